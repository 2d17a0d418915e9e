"""What a payment's receipt tells of its refunds."""

from django.urls import reverse

from chains.registry import chain, explorer_tx_url, is_tx_hash
from core.modes import Mode
from core.money import from_base_units
from payments.models import PaymentIntent
from payments.receipts import Returned
from refunds.models import Refund
from refunds.payer_words import WAITS, payer_words
from refunds.shapes import destination_tail
from refunds.states import PUBLIC_STATUS, R

MOST_LINES = 20
"""The newest refunds of an intent that a receipt tells of."""


def returned_lines(intent: PaymentIntent) -> list[Returned]:
    """A line for each refund, the oldest first. One query."""
    newest = intent.refunds.order_by("-created_at", "-pk")[:MOST_LINES]
    return [_line(refund) for refund in reversed(newest)]


def _line(refund: Refund) -> Returned:
    words, known = payer_words(refund), chain(refund.chain)
    is_on_explorers = refund.mode == Mode.LIVE and bool(refund.tx_hash)  # no explorer shows play money
    return Returned(
        id=str(refund.pk),
        status=PUBLIC_STATUS[R(refund.status)],
        tone=words.tone,
        title=words.title,
        next=words.next,
        amount_usd=refund.amount_usd,
        quantity=from_base_units(refund.base_units, refund.token_decimals),
        token=refund.token,
        chain=refund.chain if known is None else known.display_name,
        destination_tail=destination_tail(refund),
        asked_at=refund.created_at,
        paid_at=refund.paid_at,
        tx_hash=refund.tx_hash if is_tx_hash(refund.tx_hash) else "",
        explorer_url=(explorer_tx_url(refund.chain, refund.tx_hash) or "") if is_on_explorers else "",
        claim_url=reverse("refund-claim-page", kwargs={"refund_id": refund.pk}) if words is WAITS else "",
    )
