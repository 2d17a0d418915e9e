"""How much of a merchant's money counts that its chain may still take back, and what follows for the next payment.

Source: docs/live.md, What an operator sets.
"""

from decimal import Decimal

from django.conf import settings
from django.db.models import Sum

from core.modes import Mode
from payments.models import Credit, PaymentIntent


def at_stake_usd(intent: PaymentIntent) -> Decimal:
    """By which amount is decided how surely a payment must stand: the intent's own, or all that is at stake together.

    Why together above a limit: whoever can take back blocks takes back many small payments at once.
    """
    amount: Decimal = intent.amount
    if intent.mode != Mode.LIVE:
        return amount
    open_elsewhere = Credit.objects.filter(
        merchant_id=intent.merchant_id,
        mode=intent.mode,
        chain=intent.settlement_chain,
        final_at__isnull=False,
        finalized_at=None,
        reversed_at=None,
    ).exclude(intent_id=intent.pk)
    together = amount + (open_elsewhere.aggregate(total=Sum("value_usd"))["total"] or Decimal(0))
    return together if together > settings.UNFINALIZED_CAP_USD else amount
