from .agent import write_rules as write_rules
from .lsp import serve_editor as serve_editor
from .mcp import serve_agents as serve_agents
from .session import DoorSession as DoorSession
