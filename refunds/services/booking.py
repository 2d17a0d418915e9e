"""What a refund stands for in the books. Source: docs/ledger.md, What is booked when."""

from core.money import UsdAmount
from ledger.accounts import Account, Source
from ledger.standing import Book, Standing, added, moved
from refunds.models import Refund
from refunds.states import RELEASED, R


def standing(refund: Refund) -> Standing:
    """What it holds while it is open, and sent back once it is paid. What was released stands for nothing."""
    source_id = str(refund.pk)
    if refund.status in RELEASED:
        return Standing(source=Source.REFUND, source_id=source_id)
    place = (refund.chain, refund.token_address, refund.intent_id)
    where = Account.REFUNDED if refund.status == R.PAID else Account.RESERVED
    taken_from = Account.RECEIVED if refund.stray_id is None else Account.STRAY
    own_units = refund.base_units - refund.other_funds_units
    own_usd = UsdAmount(refund.amount_usd - refund.other_funds_usd)
    lines = moved(own_units, own_usd, debit=where, credit=taken_from)
    if refund.other_funds_units or refund.other_funds_usd:
        other = moved(refund.other_funds_units, refund.other_funds_usd, debit=where, credit=Account.OTHER_FUNDS)
        lines = added(lines, other)
    book = Book(refund.merchant_id, refund.mode, *place)
    return Standing(source=Source.REFUND, source_id=source_id, book=book, lines=lines)
