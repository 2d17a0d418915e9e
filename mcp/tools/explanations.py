"""Where an intent's money is and what comes next, in fixed words for whoever acts for the merchant.

The situations are those that the payer's page tells of; the words are the merchant's side of them.
"""

from dataclasses import asdict, dataclass

from checkout.selectors import situation_of
from mcp.tools.base import Schema
from mcp.tools.schemas import some_object
from payments.models import PaymentIntent
from payments.states import UNPAID


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Three short sentences; none of them holds a word from outside."""

    situation: str
    happened: str
    money: str
    next: str


_WITH_PAYER = "No money has moved. It is with the payer."
_WITH_MERCHANT = "It is at the settlement address."
_PART_WITH_MERCHANT = "What arrived is at the settlement address."
_WAIT = "Nothing to do: the payer acts on the checkout page. It expires by itself at expires_at."
_DECIDE = "A person should decide: complete the order, or refund what arrived."

WORDS = {
    "created": ("The intent waits for its payer.", _WITH_PAYER, "Give the payer the checkout_url."),
    "requires_payment": ("The payer has opened the checkout and not paid.", _WITH_PAYER, _WAIT),
    "quoted": ("The payer has been shown a price.", _WITH_PAYER, _WAIT),
    "awaiting_signature": ("The payer's wallet is asking for approval.", _WITH_PAYER, _WAIT),
    "executing": (
        "The payer has paid; the transaction is not final yet.",
        "It has left the payer's wallet and is on its way to the settlement address.",
        "Poll until the status changes. It cannot be cancelled now.",
    ),
    "in_doubt": (
        "The payer has paid; it is not known yet how that ended.",
        "It has left the payer's wallet; the route has not said where it is.",
        "Wait: the service keeps looking. Do not ask the payer to pay again.",
    ),
    "partially_filled": (
        "Only a part of the amount arrived.",
        _PART_WITH_MERCHANT,
        "The payer may pay the rest until expires_at; a person may refund what arrived.",
    ),
    "settled": ("The intent is paid.", _WITH_MERCHANT, "It can be paid out, or refunded."),
    "settled_overpaid": (
        "The intent is paid, with more than was asked for.",
        "All of it is at the settlement address, the surplus too.",
        "It can be paid out; the surplus can be refunded.",
    ),
    "failed": ("The payment failed for good.", "Nothing arrived.", "Create a new intent if it is still wanted."),
    "failed_funded": ("The payment failed, and money arrived afterwards.", _PART_WITH_MERCHANT, _DECIDE),
    "expired": ("Time ran out before anything was paid.", _WITH_PAYER, "Create a new intent if it is still wanted."),
    "expired_funded": ("Time ran out before the whole amount arrived.", _PART_WITH_MERCHANT, _DECIDE),
    "cancelled": ("The intent was cancelled.", _WITH_PAYER, "Create a new intent if it is still wanted."),
    "cancelled_funded": ("The intent was cancelled, and money arrived afterwards.", _PART_WITH_MERCHANT, _DECIDE),
    "refunded": ("Everything that arrived was sent back.", "It was sent to the refunds' destinations.", "Nothing."),
    "route_unavailable": ("No route could carry the payment.", _WITH_PAYER, "The payer may try another token."),
    "price_unavailable": ("The payer's token has no reliable price.", _WITH_PAYER, "The payer may try another token."),
    "execution_failed": (
        "The payer's transaction did not go through.",
        "No money has moved; only the network fee was spent.",
        "The payer may try again until expires_at.",
    ),
    "bridge_refunded": (
        "The bridge could not deliver and returned the money.",
        "It is back in the payer's wallet.",
        "The payer may try again until expires_at.",
    ),
    "bridge_unfilled": (
        "The bridge could not deliver the money.",
        "The bridge has it, and returns it to the payer's wallet. That can take some hours.",
        "The payer may wait for it, or pay with other money until expires_at.",
    ),
}
"""By situation: what happened, where the money is, what comes next."""

EXPLANATION: Schema = some_object(
    {
        "situation": {"type": "string", "enum": list(WORDS)},
        "happened": {"type": "string"},
        "money": {"type": "string"},
        "next": {"type": "string"},
    }
)


def explanation_of(intent: PaymentIntent) -> dict[str, str]:
    """What to say of an intent. Why changed for a top-up: a part has arrived, though the payer is asked again."""
    situation = situation_of(intent)
    happened, money, then = WORDS[situation]
    if intent.status in UNPAID and intent.received_usd > 0:
        money = _PART_WITH_MERCHANT
    return asdict(Explanation(situation=situation, happened=happened, money=money, next=then))
