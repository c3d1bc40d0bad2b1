from .calls import LONGEST_WAIT as LONGEST_WAIT, cassette_name as cassette_name
from .configuration import (
    CallOptions as CallOptions, ConfigurationError as ConfigurationError, Document as Document,
    HOMES as HOMES, KeyRules as KeyRules, Section as Section,
    first_problems as first_problems,
    read_call_options as read_call_options, read_chat_endpoints as read_chat_endpoints,
    read_endpoints as read_endpoints, substituted as substituted,
)
from .dialects import DIALECTS as DIALECTS
from .dialects.base import Post as Post
from .endpoint import (
    CallFailure as CallFailure, ChatModel as ChatModel, ChatRequest as ChatRequest, Endpoint as Endpoint,
    Message as Message, Refusal as Refusal, Reply as Reply, SearchOptions as SearchOptions, ToolCall as ToolCall,
    ToolSpec as ToolSpec, read_refusal as read_refusal,
)
from .models import ChatModels as ChatModels, ChatSettings as ChatSettings
from .plan import ModelPlan as ModelPlan, model_plan as model_plan
from .search import SourceSearch as SourceSearch, search_tool as search_tool
from .spending import (
    Amount as Amount, Booking as Booking, LARGEST_ANSWER as LARGEST_ANSWER, LEDGER as LEDGER, Ledger as Ledger,
    NOTHING as NOTHING, PRICES as PRICES, Price as Price, Prices as Prices, Spending as Spending,
    SpendingLimits as SpendingLimits, bound as bound,
)
from .tools import (
    Conversation as Conversation, Fallback as Fallback, LONGEST_RESULT as LONGEST_RESULT, MOST_CALLS as MOST_CALLS,
    Tool as Tool, ToolError as ToolError, converse as converse, total_of_known as total_of_known,
)
