"""The tools in the order in which they are listed."""

from mcp.tools.base import Tool
from mcp.tools.settlement import POLL_SETTLEMENT

TOOLS: tuple[Tool, ...] = (POLL_SETTLEMENT,)
_BY_NAME = {tool.name: tool for tool in TOOLS}


def find_tool(name: str) -> Tool | None:
    """The tool of this name, if there is one."""
    return _BY_NAME.get(name)
