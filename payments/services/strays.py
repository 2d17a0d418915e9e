"""A stray as what can be given back: its name on the wire, whether it stands, and its lock."""

from uuid import UUID

from core.clock import now
from core.errors import NotFound
from payments.models import Credit, PaymentIntent, stray_id_of
from payments.strays import standing_strays

__all__ = ["promised_stray", "standing_strays", "stray_stands"]


def promised_stray(intent: PaymentIntent, stray_id: UUID) -> Credit:
    """An intent's stray of this name, which from now on nobody else's mark takes over. Raises: NotFound.

    Locks: the caller holds the intent's lock; the credit's own is taken.
    """
    keys = intent.credits.filter(purpose="stray").order_by("pk").values_list("pk", flat=True)
    key = next((pk for pk in keys.iterator() if stray_id_of(intent.pk, pk) == stray_id), None)
    if key is None:
        raise NotFound("stray")
    stray: Credit = Credit.objects.select_for_update(of=("self",)).get(pk=key)
    if stray.intent_id != intent.pk:  # a mark took it over since
        raise NotFound("stray")
    stray.promised_at = stray.promised_at or now()
    stray.save(update_fields=["promised_at"])
    return stray


def stray_stands(credit: Credit) -> bool:
    """Whether it is a stray still, deep enough to be shown, and nothing took it back."""
    is_gone = credit.reversed_at is not None or credit.vanished_at is not None
    return credit.purpose == "stray" and credit.final_at is not None and not is_gone
