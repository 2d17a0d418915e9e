"""The tools in the order in which they are listed. Source: docs/guides/agents.md, The nine tools."""

from mcp.tool import Tool
from mcp.tools.intent_making import CANCEL_PAYMENT_INTENT, CREATE_PAYMENT_INTENT
from mcp.tools.intents import GET_PAYMENT_INTENT, LIST_PAYMENT_INTENTS, POLL_SETTLEMENT
from mcp.tools.payouts import CREATE_PAYOUT
from mcp.tools.refunds import CREATE_REFUND
from mcp.tools.token_list import LIST_TOKENS
from mcp.tools.webhooks import VERIFY_WEBHOOK

TOOLS: tuple[Tool, ...] = (
    CREATE_PAYOUT,
    POLL_SETTLEMENT,
    VERIFY_WEBHOOK,
    CREATE_PAYMENT_INTENT,
    GET_PAYMENT_INTENT,
    LIST_PAYMENT_INTENTS,
    CANCEL_PAYMENT_INTENT,
    CREATE_REFUND,
    LIST_TOKENS,
)
_BY_NAME = {tool.name: tool for tool in TOOLS}


def find_tool(name: str) -> Tool | None:
    """The tool of this name, if there is one."""
    return _BY_NAME.get(name)
