from .agent import write_rules as write_rules
from .answers import find_answer as find_answer, record_bibtex as record_bibtex
from .lsp import serve_editor as serve_editor
from .mcp import serve_agents as serve_agents
from .serve import serve_page as serve_page
from .session import Checked as Checked, DoorSession as DoorSession
from .texts import TextLines as TextLines, changed_part as changed_part
