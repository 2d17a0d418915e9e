"""What payments stand for in the books: what came, what the platform took, and what is owed after a reorganisation.

Source: docs/ledger.md, What is booked when; docs/adr/0112.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from core.money import BaseUnits, UsdAmount
from ledger.accounts import Account, Source
from ledger.services import booked, bring_in_line, post
from ledger.standing import Book, Standing, moved
from payments.models import Credit, Leg, PaymentIntent
from payments.states import LegStatus

_BESIDE = {"stray": Account.STRAY, "unattributed": Account.UNATTRIBUTED}
"""By its purpose: where money is that came beside a payment."""


def standing(row: Credit | Leg) -> Standing:
    """What a credit, or a leg by its fee, stands for as it is now."""
    return _of_credit(row) if isinstance(row, Credit) else _of_fee(row)


@contextmanager
def booking(*rows: Credit | Leg) -> Iterator[None]:
    """Book what changes of these rows inside. Locks: the caller holds theirs, or their intent's."""
    before = [standing(row) for row in rows]
    yield
    for row, stood in zip(rows, before, strict=True):
        post(stood, standing(row))


def book_new(credit: Credit) -> None:
    """Book a credit that was just inserted. Locks: as ``booking``."""
    post(None, standing(credit))


def book_owed(intent: PaymentIntent, units: BaseUnits, usd: UsdAmount) -> None:
    """Book what left an intent although its chain shows it no more. Locks: the caller holds the intent's lock.

    Why what is booked is read: the intent's row keeps the dollars alone. It is rare.
    """
    after = owed_standing(intent, units, usd)
    bring_in_line(after, booked([after.key])[after.key])


def owed_standing(intent: PaymentIntent, units: BaseUnits, usd: UsdAmount) -> Standing:
    """What an intent stands for by what it owes: nothing, unless a reorganisation took what was paid on."""
    if not usd:
        return Standing(source=Source.INTENT, source_id=str(intent.pk))
    book = Book(intent.merchant_id, intent.mode, intent.settlement_chain, intent.settlement_token_address, intent.pk)
    lines = moved(units, usd, debit=Account.RECEIVED, credit=Account.OWED)
    return Standing(source=Source.INTENT, source_id=str(intent.pk), book=book, lines=lines)


def _of_credit(credit: Credit) -> Standing:
    """Where it is: expected until it counts. What came beside a payment is there as soon as it was seen."""
    intent_id = credit.intent_id
    if intent_id is None and credit.leg is not None:
        intent_id = credit.leg.intent_id
    if credit.reversed_at is not None or intent_id is None or credit.merchant_id is None:
        return Standing(source=Source.CREDIT, source_id=str(credit.pk))
    where, came_as = _BESIDE.get(credit.purpose), Account.BESIDE
    if where is None:
        where = Account.EXPECTED if credit.final_at is None else Account.RECEIVED
        came_as = Account.LATE if credit.late else Account.PAYMENTS
    return Standing(
        source=Source.CREDIT,
        source_id=str(credit.pk),
        book=Book(credit.merchant_id, credit.mode, credit.chain, credit.token_address, intent_id),
        lines=moved(credit.base_units, credit.value_usd, debit=where, credit=came_as),
    )


def _of_fee(leg: Leg) -> Standing:
    """Units of what the payer gave, on its chain; none where the fee is taken out of what comes, and then dollars."""
    if leg.status != LegStatus.CONFIRMED or not leg.platform_fee_usd:
        return Standing(source=Source.LEG, source_id=str(leg.pk))
    units, usd = leg.platform_fee_base_units, leg.platform_fee_usd
    return Standing(
        source=Source.LEG,
        source_id=str(leg.pk),
        book=Book(leg.merchant_id, leg.mode, leg.chain, leg.token_address, leg.intent_id),
        lines=moved(units, usd, debit=Account.FEES, credit=Account.PAYMENTS),
    )
