"""What happened to a refund and to the transfers that were made for it, and its part in a payment's story."""

from collections.abc import Iterator
from uuid import UUID

from chains.models import TransferTransition
from core.models import TransitionRecord
from core.modes import Mode
from core.money import from_base_units, to_decimal_string
from dashboard.cards import TimelineLine
from dashboard.histories import HistoryStep, steps_of
from dashboard.refunds.words import STATUS, why_words
from dashboard.visit import Visit
from refunds.models import Refund, RefundTransition
from refunds.services.dispatch import PURPOSE
from refunds.states import R

MOST_STEPS = 300
"""A refund takes some ten; only one that was tried over and over has more."""


def story_of(visit: Visit, refund: Refund) -> list[HistoryStep]:
    """Every step of the refund and of every transfer that was made for it, oldest first."""
    theirs = TransferTransition.objects.filter(subject__purpose=PURPOSE, subject__purpose_id=refund.pk)
    moves = theirs.select_related("subject").order_by("-pk")[:MOST_STEPS]
    lines: list[tuple[TransitionRecord, str]] = [
        (line, f"Refund {_plain(line.to_status)}") for line in refund.history.order_by("-pk")[:MOST_STEPS]
    ]
    lines += [(line, f"Transfer {_plain(line.to_status)}") for line in moves]
    return steps_of(visit, lines, why_words)


def story_of_payment(visit: Visit, intent_id: UUID) -> Iterator[TimelineLine]:
    """What happened to the refunds of a payment, each with what its transfer came to. One query."""
    mine = Refund.objects.visible_to(visit.principal).filter(intent_id=intent_id).values("pk")
    lines = RefundTransition.objects.filter(subject__in=mine).select_related("subject__transfer")
    for line in lines.order_by("-pk")[:MOST_STEPS]:
        refund, (_, tone) = line.subject, STATUS[R(line.to_status)]
        step = _plain(line.to_status) if line.from_status else "made"
        if line.trigger == "address":
            step = "was given an address"
        yield TimelineLine(
            at=line.created_at,
            kind="refund",
            what=f"Refund of {what_of(refund)} {step}",
            why=why_words(line.reason),
            by=line.actor,
            url=visit.url("refund", refund_id=refund.pk),
            tone=tone,
            facts=tuple(_facts(refund)),
        )


def what_of(refund: Refund) -> str:
    """Its dollars; of a stray, which has none, its tokens."""
    return f"${to_decimal_string(refund.amount_usd)}" if refund.stray_id is None else _tokens(refund)


def _tokens(refund: Refund) -> str:
    return f"{to_decimal_string(from_base_units(refund.base_units, refund.token_decimals))} {refund.token}"


def _facts(refund: Refund) -> Iterator[tuple[str, str]]:
    yield "Refund", str(refund.pk)
    yield "Amount", _tokens(refund)
    yield "Chain", refund.chain
    if refund.destination:
        yield "To", refund.destination
    if refund.reason:
        yield "Reason", refund.reason
    if refund.transfer is not None:
        yield "Sent by", refund.transfer.rail
        yield "Transfer", refund.transfer.status
        if tx_hash := refund.tx_hash or refund.transfer.tx_hash:
            yield "Transaction", tx_hash if refund.mode == Mode.LIVE else f"{tx_hash} (simulated)"


def _plain(status: str) -> str:
    return status.replace("_", " ")
