"""How much of a merchant's money counts that its chain may still take back, and what follows for the next payment.

Source: docs/live.md, What an operator sets.
"""

from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet, Sum

from core.compiled import compiled_once
from core.modes import Mode
from payments.models import Credit, PaymentIntent


def at_stake_usd(intent: PaymentIntent) -> Decimal:
    """By which amount is decided how surely a payment must stand: the intent's own, or all that is at stake together.

    Why together above a limit: whoever can take back blocks takes back many small payments at once.
    """
    amount: Decimal = intent.amount
    if intent.mode != Mode.LIVE:
        return amount
    elsewhere = _open_elsewhere(intent.merchant_id, intent.mode, intent.settlement_chain, intent.pk)
    together = sum(elsewhere, amount)
    return together if together > settings.UNFINALIZED_CAP_USD else amount


@compiled_once
def _open_elsewhere(merchant_id: int, mode: str, chain: str, intent_id: UUID) -> QuerySet[Credit, Decimal]:
    """What counts of a merchant's other payments on a chain and may still be taken back: one sum, or none."""
    rows = Credit.objects.filter(
        merchant_id=merchant_id, mode=mode, chain=chain, final_at__isnull=False, finalized_at=None, reversed_at=None
    ).exclude(intent_id=intent_id)
    return rows.order_by().values("merchant_id").annotate(total=Sum("value_usd")).values_list("total", flat=True)
