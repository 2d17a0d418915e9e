"""Asking for a certificate of an endpoint's receiver, and reading the last one."""

from datetime import timedelta

from django.db import transaction

from core.clock import now
from core.dispatch import nudge
from core.errors import NotFound
from merchants.principal import Principal
from webhooks import selectors
from webhooks.errors import CertificateTooSoon, WebhookEndpointDisabled, WebhookEndpointPulled
from webhooks.models import ReceiverCertificate, WebhookEndpoint

REST = timedelta(minutes=1)
"""From one battery of an endpoint to the next. Why: an address may be of somebody else, who never asked for it."""
WAKE = "webhooks.certify_receivers"


def ask_certificate(principal: Principal, endpoint_id: str) -> ReceiverCertificate:
    """Have a worker test an endpoint's receiver; what came of the last time stays to be read until then.

    Raises: NotFound; WebhookEndpointDisabled; WebhookEndpointPulled; CertificateTooSoon. Locks: the endpoint's row.
    """
    with transaction.atomic():
        endpoint = selectors.find_endpoint(principal, endpoint_id)
        WebhookEndpoint.objects.select_for_update().get(pk=endpoint.pk)
        if endpoint.is_pulled:
            raise WebhookEndpointPulled
        if not endpoint.enabled:
            raise WebhookEndpointDisabled
        moment = now()
        made = ReceiverCertificate.objects.filter(endpoint=endpoint).first()
        if made is not None and (made.due_at is not None or made.requested_at > moment - REST):
            raise CertificateTooSoon(max(1, round((made.requested_at + REST - moment).total_seconds())))
        found, _ = ReceiverCertificate.objects.update_or_create(
            endpoint=endpoint,
            defaults={"requested_at": moment, "due_at": moment, "tries": 0},
            create_defaults={
                "merchant_id": endpoint.merchant_id,
                "mode": endpoint.mode,
                "requested_at": moment,
                "due_at": moment,
            },
        )
        nudge(WAKE)
    return found


def certificate_of(endpoint: WebhookEndpoint) -> ReceiverCertificate | None:
    """The endpoint's certificate; None where none was ever asked for."""
    return ReceiverCertificate.objects.filter(endpoint=endpoint).first()


def find_certificate(principal: Principal, endpoint_id: str) -> ReceiverCertificate:
    """The certificate of a merchant's endpoint. Raises: NotFound, also where none was ever asked for."""
    found = certificate_of(selectors.find_endpoint(principal, endpoint_id))
    if found is None:
        raise NotFound("receiver_certificate")
    return found
