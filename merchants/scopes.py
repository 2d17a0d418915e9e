"""What a restricted key may be allowed to do. Pure. The words are those that agents are given (``mcp.scopes``).

Source: docs/adr/0028.
"""

from enum import StrEnum
from typing import Final


class KeyScope(StrEnum):
    """One permission of a restricted key. There is no wildcard and no hierarchy."""

    READ_INTENTS = "payment_intents:read"
    WRITE_INTENTS = "payment_intents:write"
    WRITE_REFUNDS = "refunds:write"
    WRITE_PAYOUTS = "payouts:write"


KEY_SCOPE_TEXTS: Final = {
    KeyScope.READ_INTENTS: "See payments with customers’ e-mail and metadata, their routes, refunds and payouts",
    KeyScope.WRITE_INTENTS: "Create and cancel payments; in test mode also pay them. No money moves out",
    KeyScope.WRITE_REFUNDS: "Send refunds to payers, cancel them, and say where they go",
    KeyScope.WRITE_PAYOUTS: "Have failed payouts sent again",
}
"""The sentences of the form. Why no ``customer_data:read`` as for agents: see ADR 28."""
