"""What a payout stands for in the books. Source: docs/ledger.md, What is booked when."""

from chains.transfers import RailName
from ledger.accounts import Account, Source
from ledger.standing import Book, Standing, moved
from payouts.models import Payout
from payouts.states import PayoutStatus


def standing(payout: Payout) -> Standing:
    """What it holds while it is open, and sent on once it is paid.

    One that failed stands for nothing, and so does one on the rail ``direct``: it moves nothing.
    """
    if payout.status == PayoutStatus.FAILED or payout.rail == RailName.DIRECT or payout.intent_id is None:
        return Standing(source=Source.PAYOUT, source_id=str(payout.pk))
    where = Account.PAID_OUT if payout.status == PayoutStatus.PAID else Account.RESERVED
    return Standing(
        source=Source.PAYOUT,
        source_id=str(payout.pk),
        book=Book(payout.merchant_id, payout.mode, payout.chain, payout.token_address, payout.intent_id),
        lines=moved(payout.base_units, payout.amount_usd, debit=where, credit=Account.RECEIVED),
    )
