from .examination import (
    Examined as Examined, ExaminedEndpoint as ExaminedEndpoint, LookUp as LookUp, WRONG as WRONG, by_urgency as by_urgency,
    configured as configured, configured_endpoint as configured_endpoint, examined as examined,
    examined_endpoints as examined_endpoints, judged as judged,
)
