"""The payment that a page is about."""

from uuid import UUID

from django.http import Http404

from dashboard.visit import Visit
from payments.models import PaymentIntent


def intent_of(visit: Visit, intent_id: UUID) -> PaymentIntent:
    """The merchant's payment in this mode. Raises: Http404."""
    found: PaymentIntent | None = PaymentIntent.objects.visible_to(visit.principal).filter(pk=intent_id).first()
    if found is None:
        raise Http404
    return found
