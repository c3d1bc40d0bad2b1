from .answer_json import AnswerJsonError as AnswerJsonError, decode as decode, encode as encode
from .budget import (
    Budget as Budget, FARTHEST as FARTHEST, LONGEST_HOLD as LONGEST_HOLD, Ledger as Ledger, Place as Place,
    REJOIN_SECONDS as REJOIN_SECONDS, budget_path as budget_path, hold_messages as hold_messages,
)
from .network import (
    Deadline as Deadline, LOOKUPS_AT_ONCE as LOOKUPS_AT_ONCE, Lookup as Lookup, Network as Network,
    in_thread as in_thread, system_lookup as system_lookup, unconnected as unconnected,
)
from .queues import Allowance as Allowance, Breaker as Breaker, Clock as Clock, Pacer as Pacer, Sleep as Sleep
from .cache import (
    AnswerCache as AnswerCache, CacheStatistics as CacheStatistics, is_damage as is_damage, lifetime as lifetime,
)
from .cassettes import (
    Cassette as Cassette, CassetteError as CassetteError,
    Interaction as Interaction, Saving as Saving, as_response as as_response,
    is_readable as is_readable, load as load, save as save,
)
from .client import Reply as Reply, Transport as Transport, batches as batches
from .controls import MOMENT as MOMENT, ONE_RECORDING as ONE_RECORDING
from .delivery import (
    LONGEST_WAIT as LONGEST_WAIT, LONG_BODY as LONG_BODY, Tally as Tally, asked as asked, read_response as read_response,
)
from .downloads import (
    DownloadError as DownloadError, Downloads as Downloads, downloaded as downloaded, left_to_load as left_to_load,
    origin_of as origin_of,
)
from .exchange import (
    BLOCK as BLOCK, BodyDecoder as BodyDecoder, DecodingError as DecodingError, Exchanger as Exchanger,
    HttpClients as HttpClients, NetworkBackend as NetworkBackend,
)
from .http import (
    EXCHANGES_AT_ONCE as EXCHANGES_AT_ONCE, RETRIED_STATUSES as RETRIED_STATUSES, RETRIES as RETRIES,
    backoff as backoff, http_date as http_date, retry_after as retry_after, stated_rate as stated_rate,
    ExchangeError as ExchangeError, MOST_REDIRECTS as MOST_REDIRECTS,
    RawResponse as RawResponse, RedirectError as RedirectError, connected_host as connected_host,
    demands_browser as demands_browser, is_local_name as is_local_name, is_private as is_private,
    literal_address as literal_address, proxy_urls as proxy_urls, reach as reach, redirect_target as redirect_target,
    refuse_private as refuse_private, relocate as relocate, request_key as request_key, same_service as same_service,
    without_identity as without_identity,
)
from .logins import Identity as Identity
from .secrets import (
    KEPT_REQUEST_HEADERS as KEPT_REQUEST_HEADERS, KEPT_RESPONSE_HEADERS as KEPT_RESPONSE_HEADERS, REDACTED as REDACTED,
    Scrubber as Scrubber, Secret as Secret, SecretEncodings as SecretEncodings, UnsearchableError as UnsearchableError,
    kept as kept, scrubbed_logs as scrubbed_logs,
)
from .settings import (
    RecordMode as RecordMode, SILENCE_SECONDS as SILENCE_SECONDS, TransportSettings as TransportSettings,
    user_cache as user_cache,
)
