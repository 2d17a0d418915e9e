"""What each scenario of test mode must end in, whoever plays it. Written from the contract, not from the code."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

BEGINNING = ["created", "requires_payment", "quoted", "awaiting_signature"]
TOLD = ["created", "quoted"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The end of a payment of 25 dollars: statuses, events, figures of the intent, and of its leg."""

    statuses: list[str]
    told: list[str]
    received: str = "0.00"
    shown: dict[str, Any] = field(default_factory=dict)
    leg: str | None = "confirmed"

    @property
    def status(self) -> str:
        return self.statuses[-1]

    @property
    def due(self) -> str:
        return f"{max(25 - Decimal(self.received), Decimal(0)):.2f}"


SETTLED = Outcome(statuses=[*BEGINNING, "executing", "settled"], told=[*TOLD, "executing", "settled"], received="25.00")
REVERTED = {"code": "execution_failed", "message": "The payment transaction did not go through; no money moved."}
RETURNED = {"code": "bridge_refunded", "message": "The bridge returned the money to the payer's wallet."}

UNASKED = Outcome(statuses=["created", "requires_payment"], told=["created"], leg=None)
UNSIGNED = Outcome(statuses=BEGINNING, told=TOLD, leg="awaiting_signature")
DECLINED = Outcome(statuses=[*BEGINNING, "requires_payment"], told=TOLD, leg="failed")

OUTCOMES: dict[str, Outcome] = {
    "settle": SETTLED,
    "partial": Outcome(
        statuses=[*BEGINNING, "executing", "partially_filled"],
        told=[*TOLD, "executing", "partially_filled"],
        received="15.00",
        shown={"partially_funded": True},
    ),
    "overpay": Outcome(
        statuses=SETTLED.statuses, told=[*SETTLED.told, "overpaid"], received="27.50", shown={"overpaid_usd": "2.50"}
    ),
    "late": Outcome(statuses=[*BEGINNING, "expired"], told=[*TOLD, "expired", "late_payment"], received="25.00"),
    "fail_route": UNASKED,
    "fail_execution": Outcome(
        statuses=[*BEGINNING, "executing", "requires_payment"],
        told=[*TOLD, "executing"],
        shown={"last_error": REVERTED},
        leg="failed",
    ),
    "fail": Outcome(
        statuses=[*BEGINNING, "executing", "failed"],
        told=[*TOLD, "executing", "failed"],
        shown={"last_error": REVERTED, "failure_reason": "execution_failed"},
        leg="failed",
    ),
    "bridge_refund": Outcome(
        statuses=[*BEGINNING, "executing", "requires_payment"],
        told=[*TOLD, "executing"],
        shown={"last_error": RETURNED},
        leg="refunded",
    ),
    "in_doubt": Outcome(
        statuses=[*BEGINNING, "executing"], told=[*TOLD, "executing"], shown={"in_doubt": True}, leg="in_doubt"
    ),
    "reorg": SETTLED,
    "stuck": Outcome(statuses=[*BEGINNING, "executing"], told=[*TOLD, "executing"], leg="submitted"),
    "replaced": SETTLED,
    "quote_expired": Outcome(
        statuses=["created", "requires_payment", "quoted", "requires_payment"], told=TOLD, leg=None
    ),
    **dict.fromkeys(("decline", "no_gas"), DECLINED),
    **dict.fromkeys(("locked", "request_pending"), UNASKED),
    **dict.fromkeys(("wrong_network", "account_changed"), UNSIGNED),
    **dict.fromkeys(("unknown_network", "split"), SETTLED),
    "empty": UNASKED,
    **dict.fromkeys(
        (f"{kind}_{end}" for kind in ("payout", "refund") for end in ("retry", "fail", "unknown")), SETTLED
    ),
}
QUIET = {
    **dict.fromkeys(("overpaid_usd", "amount_refunded_usd"), "0.00"),
    **dict.fromkeys(("partially_funded", "in_doubt"), False),
    **dict.fromkeys(("last_error", "failure_reason", "cancelled_at"), None),
}
"""What an intent shows of itself when nothing special happened."""


def expected_figures(outcome: Outcome) -> dict[str, Any]:
    figures = {"status": outcome.status, "amount_received": outcome.received, "amount_due": outcome.due}
    return QUIET | figures | outcome.shown


def shown(intent: dict[str, Any]) -> dict[str, Any]:
    """The same keys of an intent as it is."""
    return {name: intent[name] for name in ("status", "amount_received", "amount_due", *QUIET)}
