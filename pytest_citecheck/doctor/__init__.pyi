from .bodies import (
    Change as Change, Shape as Shape, body_of as body_of, change as change, expected_shape as expected_shape,
    read_shape as read_shape, shape_file as shape_file, written as written,
)
from .examination import (
    Examined as Examined, ExaminedEndpoint as ExaminedEndpoint, INDEX as INDEX, LookUp as LookUp, WRONG as WRONG,
    WRONG_STATES as WRONG_STATES, by_urgency as by_urgency, chosen_sources as chosen_sources, configured as configured,
    configured_endpoint as configured_endpoint, endpoints_by_urgency as endpoints_by_urgency, examined as examined,
    examined_endpoints as examined_endpoints, judged as judged, known_sources as known_sources,
    write_bodies as write_bodies,
)
