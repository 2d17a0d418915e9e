"""What an intent's history says in words: one sentence per trigger, and why."""

from collections.abc import Iterable, Iterator

from dashboard.cards import TimelineLine
from payments.models import IntentTransition

STEPS = {
    "create": ("The payment was created", ""),
    "await_payment": ("The checkout was opened", ""),
    "quote": ("The payer was shown a price", ""),
    "lapse_quote": ("The price ran out", ""),
    "lapse_top_up_quote": ("The price of the rest ran out", ""),
    "proceed": ("The payer took the price", ""),
    "requote": ("One payer stepped back; another one was shown a price", ""),
    "resume": ("That try ended; another one is still open", ""),
    "abandon": ("The payer stepped back", ""),
    "abandon_top_up": ("The payer stepped back from paying the rest", ""),
    "sign": ("The payer signed", ""),
    "observe_credit": ("Money was seen on its way", ""),
    "settle": ("Paid in full", "ok"),
    "fill_partly": ("Only a part arrived", "warn"),
    "end_attempt": ("The try ended, and no money moved", "warn"),
    "end_top_up": ("The try to pay the rest ended", "warn"),
    "fail": ("The payment failed for good", "bad"),
    "expire": ("Time ran out", ""),
    "cancel": ("The payment was cancelled", ""),
    "accept_partial": ("The part was taken as the whole", "ok"),
    "accept_late": ("The money came after expiry, and was taken", "ok"),
    "reverse": ("The chain took the settlement back", "bad"),
    "restore": ("The payment is settled again", "ok"),
    "refund": ("Everything that arrived was sent back", ""),
}
"""By trigger: what happened, and its tone."""
LONGEST = 300


def steps_of(lines: Iterable[IntentTransition]) -> Iterator[TimelineLine]:
    """A line for each step of the history."""
    for line in lines:
        what, tone = STEPS[line.trigger]
        facts = (("Status", line.to_status), ("Before", line.from_status), ("Request", line.request_id))
        yield TimelineLine(
            at=line.created_at,
            kind="payment",
            what=what,
            why=why(line.reason),
            by=line.actor,
            tone=tone,
            facts=tuple((name, text) for name, text in facts if text),
        )


def why(reason: str) -> str:
    """A reason as a sentence; codes lose their underscores."""
    if not reason:
        return ""
    if reason.replace("_", "").isalnum():
        return reason.replace("_", " ").capitalize()
    return f"{reason[:1].upper()}{reason[1:LONGEST]}"
