"""Creating, changing, disabling and deleting endpoints, and rotating their secrets.

Every change of what an endpoint wants closes one dated subscription and opens another in the same transaction.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from core.bulk import insert_together
from core.clock import now
from core.errors import NotFound
from core.secrets import encrypt
from core.transitions import locked
from merchants.audit import record_audit
from merchants.models import Merchant
from merchants.principal import Principal
from webhooks import outcomes, selectors
from webhooks.catalog import SUBSCRIBABLE, unknown_names
from webhooks.errors import (
    EndpointUrlTaken,
    SigningSecretChanged,
    UnknownEventType,
    WebhookEndpointExists,
    WebhookEndpointLimit,
    WebhookUrlNotAllowed,
)
from webhooks.events import endpoint_disabled
from webhooks.models import Delivery, SigningSecret, Subscription, WebhookEndpoint
from webhooks.services.urls import CheckedUrl
from webhooks.signatures import new_secret
from webhooks.states import DisabledReason, EndpointKind, Outcome, Step

MAX_ENDPOINTS = 16
"""Source: docs/guides/webhooks.md, Addresses."""
OVERLAP = timedelta(hours=24)
"""Source: specification, Limits (previous signing secret validity)."""


@dataclass(frozen=True, kw_only=True)
class NewEndpoint:
    """What a merchant asks for; without a URL its deliveries are fetched. ``id`` is minted by a form, so that the form
    sent twice makes one endpoint.
    """

    url: CheckedUrl | None
    events: list[str]
    enabled: bool
    id: uuid.UUID | None = None


@dataclass(frozen=True, kw_only=True)
class EndpointChanges:
    """What a merchant changes; None leaves a field as it is."""

    url: CheckedUrl | None = None
    events: list[str] | None = None
    enabled: bool | None = None


def create_endpoint(principal: Principal, new: NewEndpoint) -> tuple[WebhookEndpoint, str]:
    """Create an endpoint and its first secret, which is returned in clear this once.

    Raises: UnknownEventType; WebhookUrlNotAllowed; WebhookEndpointLimit; WebhookEndpointExists; EndpointUrlTaken.
    Locks: the merchant's row against other creations, so that the limit holds and no URL is taken twice.
    """
    events = _known(new.events)
    if new.url is not None:
        new.url.require_public_answers()
    moment, key = now(), new.id or uuid.uuid4()
    endpoint = WebhookEndpoint(
        id=key,
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        kind=EndpointKind.PULL if new.url is None else EndpointKind.PUSH,
        url=f"pull:{key}" if new.url is None else new.url.text,
        events=events,
        enabled=new.enabled,
        disabled_reason="" if new.enabled else DisabledReason.BY_MERCHANT,
        created_at=moment,
    )
    secret = new_secret()
    with transaction.atomic():
        _lock_urls(principal)
        if new.id and WebhookEndpoint.objects.filter(pk=new.id).exists():
            raise WebhookEndpointExists
        if selectors.endpoints_of(principal).count() >= MAX_ENDPOINTS:
            raise WebhookEndpointLimit(MAX_ENDPOINTS)
        _refuse_taken(principal, endpoint.url)
        insert_together([endpoint, _secret_row(endpoint, secret, moment), *_opened(endpoint, moment)])
        record_audit(principal, "endpoint.created", str(endpoint.pk), after=_shown(endpoint))
    return endpoint, secret


def update_endpoint(principal: Principal, endpoint_id: str, changes: EndpointChanges) -> WebhookEndpoint:
    """Change an endpoint. Disabling it cancels what is still on its way; enabling it forgets past failures.

    Raises: NotFound; UnknownEventType; WebhookUrlNotAllowed; EndpointUrlTaken.
    Locks: the merchant's row where the URL is named, then the endpoint.
    """
    events = None if changes.events is None else _known(changes.events)
    if changes.url is not None:
        changes.url.require_public_answers()
    with transaction.atomic():
        if changes.url is not None:
            _lock_urls(principal)
        endpoint = _lock_own(principal, endpoint_id)
        wanted_before, before = (endpoint.enabled, endpoint.events), _shown(endpoint)
        if changes.url is not None and endpoint.is_pulled:
            raise WebhookUrlNotAllowed("pull_endpoint", "This endpoint is fetched, and has no URL. Create another one.")
        if changes.url is not None and changes.url.text != endpoint.url:
            _refuse_taken(principal, changes.url.text)
            endpoint.url = changes.url.text
        if events is not None:
            endpoint.events = events
        if changes.enabled is not None and changes.enabled != endpoint.enabled:
            _switch(endpoint, "" if changes.enabled else DisabledReason.BY_MERCHANT)
        endpoint.save()
        if wanted_before != (endpoint.enabled, endpoint.events):
            _redate(endpoint)
        if (after := _shown(endpoint)) != before:
            record_audit(principal, "endpoint.changed", str(endpoint.pk), before=before, after=after)
    return endpoint


def delete_endpoint(principal: Principal, endpoint_id: str) -> uuid.UUID:
    """Delete an endpoint: nothing more is sent, its secrets are gone. Raises: NotFound. Locks: the endpoint."""
    with transaction.atomic():
        endpoint = _lock_own(principal, endpoint_id)
        before = _shown(endpoint)
        endpoint.deleted_at = now()
        _switch(endpoint, DisabledReason.BY_MERCHANT)
        endpoint.save()
        endpoint.secrets.all().delete()
        _redate(endpoint)
        record_audit(principal, "endpoint.deleted", str(endpoint.pk), before=before)
    return endpoint.pk


def disable_endpoint(endpoint_id: uuid.UUID, reason: DisabledReason) -> bool:
    """Switch an endpoint off on the service's own account and tell the merchant's other endpoints.

    False when it was off already. Locks: the endpoint.
    """
    with transaction.atomic():
        endpoint = locked(WebhookEndpoint.objects.all(), pk=endpoint_id)
        if not endpoint.enabled:
            return False
        _switch(endpoint, reason)
        _redate(endpoint)
        # Why after the subscription ended: the endpoint must not be told of its own end.
        event = endpoint_disabled(endpoint)
        endpoint.save()
        insert_together([event])
    return True


def rotate_secret(
    principal: Principal, endpoint_id: str, *, shown_secret_id: int | None = None
) -> tuple[WebhookEndpoint, str]:
    """Replace the secret and return the new one in clear this once; the previous one signs along for 24 hours.

    A second rotation inside that time drops the oldest. ``shown_secret_id``: the secret a form was drawn for, so that
    the form sent twice rotates once. Raises: NotFound; SigningSecretChanged. Locks: the endpoint.
    """
    secret, moment = new_secret(), now()
    with transaction.atomic():
        endpoint = _lock_own(principal, endpoint_id)
        if shown_secret_id is not None and not endpoint.secrets.filter(pk=shown_secret_id, expires_at=None).exists():
            raise SigningSecretChanged
        endpoint.secrets.filter(expires_at__isnull=False).delete()
        endpoint.secrets.update(expires_at=moment + OVERLAP)
        insert_together([_secret_row(endpoint, secret, moment)])
        record_audit(
            principal, "endpoint.secret_rotated", str(endpoint.pk), after={"old_signs_until": moment + OVERLAP}
        )
    return endpoint, secret


def _lock_urls(principal: Principal) -> None:
    """Let nobody else name a URL for an endpoint of this merchant until this transaction ends."""
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)


def _refuse_taken(principal: Principal, url: str) -> None:
    """Why no constraint: endpoints of before may share one, and go on as they are. Raises: EndpointUrlTaken."""
    taken = selectors.endpoints_of(principal).filter(url=url).first()
    if taken is not None:
        raise EndpointUrlTaken(taken.pk)


def _shown(endpoint: WebhookEndpoint) -> dict[str, object]:
    """What the audit keeps of an endpoint."""
    return {"url": endpoint.url, "events": endpoint.events, "enabled": endpoint.enabled}


def _lock_own(principal: Principal, endpoint_id: str) -> WebhookEndpoint:
    key = selectors.read_id(endpoint_id, "webhook_endpoint")
    try:
        return locked(selectors.endpoints_of(principal), pk=key)
    except WebhookEndpoint.DoesNotExist:
        raise NotFound("webhook_endpoint") from None


def _known(events: list[str]) -> list[str]:
    """The names once each, in the caller's order. Raises: UnknownEventType."""
    unknown = unknown_names(events)
    if unknown:
        raise UnknownEventType(unknown, SUBSCRIBABLE)
    return list(dict.fromkeys(events))


def _switch(endpoint: WebhookEndpoint, disabled_reason: str) -> None:
    endpoint.disabled_reason = disabled_reason
    endpoint.enabled = not disabled_reason
    endpoint.failing_since = None
    endpoint.owner_notified = 0


def _redate(endpoint: WebhookEndpoint) -> None:
    """Close the open subscription, open the new one, and cancel deliveries if there is none.

    Why the later of two moments: changes within one millisecond must not make a subscription end before it began.
    Why locked deliveries are left: a worker is writing down what came of them, and waiting for each other would end
    one of the two. What is still due then is cancelled by the next claim, which finds nobody to send it to.
    """
    current = endpoint.subscriptions.filter(valid_to=None).first()
    moment = now()
    if current is not None:
        current.valid_to = moment = max(moment, current.valid_from)
        current.save(update_fields=["valid_to"])
    if endpoint.enabled:
        insert_together(_opened(endpoint, moment))
    else:
        free = Delivery.objects.filter(endpoint=endpoint, outcome=Outcome.DUE).select_for_update(skip_locked=True)
        outcomes.finish(Delivery.objects.filter(pk__in=free.values("pk")), Step.CANCEL, moment)


def _opened(endpoint: WebhookEndpoint, moment: datetime) -> list[Subscription]:
    if not endpoint.enabled:
        return []
    return [
        Subscription(
            merchant_id=endpoint.merchant_id,
            mode=endpoint.mode,
            endpoint=endpoint,
            events=endpoint.events,
            valid_from=moment,
        )
    ]


def _secret_row(endpoint: WebhookEndpoint, secret: str, moment: datetime) -> SigningSecret:
    return SigningSecret(
        merchant_id=endpoint.merchant_id,
        mode=endpoint.mode,
        endpoint=endpoint,
        ciphertext=encrypt(secret.encode()),
        created_at=moment,
    )
