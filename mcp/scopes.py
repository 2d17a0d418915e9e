"""What a merchant may let an agent do; the sentences are those of the consent page.

Source: docs/guides/agents.md, What the consent page asks.
"""

from enum import StrEnum
from typing import Final


class Scope(StrEnum):
    """One permission. There is no wildcard and no hierarchy."""

    READ_INTENTS = "payment_intents:read"
    READ_TOKENS = "tokens:read"
    WRITE_INTENTS = "payment_intents:write"
    WRITE_REFUNDS = "refunds:write"
    WRITE_PAYOUTS = "payouts:write"
    READ_CUSTOMERS = "customer_data:read"
    VERIFY_WEBHOOKS = "webhooks:verify"


SCOPE_TEXTS: Final = {
    Scope.READ_INTENTS: "See payment intents, their routes and settlement status",
    Scope.READ_TOKENS: "See the supported tokens",
    Scope.WRITE_INTENTS: "Create and cancel payment intents (no money moves out)",
    Scope.WRITE_REFUNDS: "Send refunds to payers, within limits",
    Scope.WRITE_PAYOUTS: "Send payouts to the settlement address of an intent, within limits",
    Scope.READ_CUSTOMERS: "See customer e-mail and metadata",
    Scope.VERIFY_WEBHOOKS: "Check a webhook signature (no account data)",
}
BASIC_SCOPES: Final = (Scope.READ_INTENTS, Scope.READ_TOKENS, Scope.VERIFY_WEBHOOKS)
"""What a first challenge names, and what a client that asks for nothing gets."""
MONEY_SCOPES: Final = frozenset({Scope.WRITE_REFUNDS, Scope.WRITE_PAYOUTS})
