"""Reads about a merchant that others ask before they begin something."""

from merchants.errors import MerchantSuspended
from merchants.models import Merchant


def is_suspended(merchant_id: int) -> bool:
    """Whether an operator has stopped it. One read, and no lock."""
    return Merchant.objects.filter(pk=merchant_id, suspended_at__isnull=False).exists()


def refuse_suspended(merchant_id: int) -> None:
    """Let nothing new begin for a merchant that is stopped. Raises: MerchantSuspended."""
    if is_suspended(merchant_id):
        raise MerchantSuspended
