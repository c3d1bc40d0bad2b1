from .agent import write_rules as write_rules
from .lsp import editor_server as editor_server, serve_editor as serve_editor
from .mcp import agent_server as agent_server, serve_agents as serve_agents
from .session import Checked as Checked, DoorSession as DoorSession
