"""What a signed event does to a row of django-payments. Every change is made under the row's lock.

The row's ``attrs.causeway`` remembers: ``seen``, the newest event's sequence and time; the intent's ``amount``,
``status`` and what it ``received``; its ``refunds`` by id; how many were ``asked`` for here and answered; ``asking``,
the amount of one whose answer did not come yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_DOWN, Decimal
from typing import Any

from django.db import router, transaction

from causeway_django.facts import facts_of
from payments import PaymentError, PaymentStatus

CENT = Decimal("0.01")
UNPAID_REFUNDS = frozenset({"failed", "cancelled"})
"""What these were about to send is the shop's again."""
ANSWERED = {"asking": ""}
NOTHING = {"seen": [0, ""], "status": "", "received": "0", "amount": "0", "asked": 0, **ANSWERED}
ENDED = {
    "failed": PaymentStatus.REJECTED,
    "expired": PaymentStatus.REJECTED,
    "cancelled": PaymentStatus.CANCELLED,
    "refunded": PaymentStatus.REFUNDED,
}


def intent_of(event: Any) -> str:
    """The id of the payment intent that an event is about; empty where it is about none."""
    facts, kind = facts_of(event), event.resource.type
    if facts is None or kind == "payout":
        return ""
    return str(facts.id if kind == "payment_intent" else facts.payment_intent_id)


def token_of(event: Any) -> str:
    """The token that stands in a payment's metadata; empty where there is none."""
    facts = facts_of(event)
    return str(facts.metadata.get("payment", "")) if facts and event.resource.type == "payment_intent" else ""


def follow(payment: Any, event: Any) -> None:
    """Bring the row to where the newest events say it is, in whichever order they come."""
    with _locked(payment) as row:
        kept, facts = _kept(row), facts_of(event)
        moment = [event.sequence, event.to_dict()["created_at"]]
        if event.resource.type == "refund":
            known = kept["refunds"].get(facts.id)
            if known is not None and moment <= known["seen"]:
                return
            if known is None and kept["asking"] and facts.amount_usd == Decimal(kept["asking"]):
                kept |= ANSWERED | {"asked": kept["asked"] + 1}
            kept["refunds"][facts.id] = _refund(facts, moment)
        elif moment > kept["seen"]:
            kept |= {"seen": moment, "status": facts.status, "received": str(facts.amount_received)}
            kept["amount"] = str(facts.amount)
        else:
            return
        _write(row, kept)


def begin_refund(payment: Any, amount: Any) -> tuple[Decimal, str]:
    """Note that a refund is asked for, before it is: its amount, and the idempotency key to ask under.

    While an answer is lost, only the same amount may be asked for, under the same key. Why its event counts as the
    answer, by the amount: else nobody could ask any more once it lowered what can be refunded.
    Units: US dollars. Raises: PaymentError.
    """
    with _locked(payment) as row:
        kept = _kept(row)
        wanted = row.captured_amount if amount is None else Decimal(amount)
        if kept["asking"] and Decimal(kept["asking"]) != wanted:
            raise PaymentError(f"A refund of {kept['asking']} was asked for and its answer was lost: ask for it again.")
        if row.status != PaymentStatus.CONFIRMED or not 0 < wanted <= row.captured_amount:
            raise PaymentError(f"{wanted} cannot be refunded: {row.captured_amount} is there.")
        row.attrs.causeway = {**kept, "asking": f"{wanted:f}"}
        row.save(update_fields=["extra_data"])
        return wanted, f"{row.token}-refund-{kept['asked']}-{wanted:f}"


def keep_refund(payment: Any, refund: Any) -> None:
    """Note the answer, unless the refund's event was quicker."""
    with _locked(payment) as row:
        kept = _kept(row)
        kept["refunds"].setdefault(refund.id, _refund(refund, [0, ""]))
        kept |= ANSWERED | {"asked": kept["asked"] + bool(kept["asking"])}
        _write(row, kept)


def forget_refund(payment: Any) -> None:
    """Note that the service refused."""
    with _locked(payment) as row:
        row.attrs.causeway = _kept(row) | ANSWERED
        row.save(update_fields=["extra_data"])


def _refund(about: Any, moment: list[Any]) -> dict[str, Any]:
    reason = about.failure_reason or ""
    return {"amount": str(about.amount_usd), "status": about.status, "reason": reason, "seen": moment}


@contextmanager
def _locked(payment: Any) -> Iterator[Any]:
    """The row as it is now, locked until the block ends."""
    with transaction.atomic(using=router.db_for_write(type(payment))):
        yield type(payment)._default_manager.select_for_update().get(pk=payment.pk)


def _kept(row: Any) -> dict[str, Any]:
    found: dict[str, Any] = getattr(row.attrs, "causeway", None) or {}
    return {**NOTHING, "refunds": {}, **found}


def _write(row: Any, kept: dict[str, Any]) -> None:
    """Store what is known and what follows from it; the signal of a changed status is sent last."""
    row.attrs.causeway = kept
    row.captured_amount = _captured(row, kept)
    row.save(update_fields=["captured_amount", "extra_data"])
    status, message = _status(row, kept)
    if status != row.status or (message and message != row.message):
        row.change_status(status, message)


def _captured(row: Any, kept: dict[str, Any]) -> Decimal:
    """What is the shop's: at most the total, less what went or goes back."""
    if kept["status"] != "settled":
        return Decimal(0)
    returned = [Decimal(one["amount"]) for one in kept["refunds"].values() if one["status"] not in UNPAID_REFUNDS]
    left: Decimal = min(row.total, Decimal(kept["received"])) - sum(returned)
    return max(Decimal(0), left.quantize(CENT, ROUND_DOWN))


def _status(row: Any, kept: dict[str, Any]) -> tuple[str, str]:
    """The row's status, and a sentence where the shop should know more."""
    if kept["status"] == "settled":
        if Decimal(kept["amount"]) != row.total:
            return PaymentStatus.ERROR, f"{kept['amount']} was asked for and paid, not {row.total}."
        unpaid = [one for one in kept["refunds"].values() if one["status"] in UNPAID_REFUNDS]
        message = f"A refund of {unpaid[-1]['amount']} {unpaid[-1]['status']}: {unpaid[-1]['reason']}" if unpaid else ""
        return (PaymentStatus.CONFIRMED if row.captured_amount > 0 else PaymentStatus.REFUNDED), message
    if kept["status"] in ENDED:
        return ENDED[kept["status"]], kept["status"]
    if row.status in {PaymentStatus.CONFIRMED, PaymentStatus.REFUNDED}:
        return PaymentStatus.WAITING, "A chain took the settlement back."
    return row.status, row.message
