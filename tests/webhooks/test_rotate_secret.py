"""POST webhook-endpoints/{id}/rotate-secret, and what it does to signatures.

Signatures are verified by code that shares nothing with the service.
"""

import hashlib
import hmac
from datetime import timedelta

import pytest

from core.rate_limits import Limit
from merchants.principal import Principal
from merchants.throttling import CAREFUL_LIMITS
from tests.conftest import ApiClient
from tests.webhooks.actors import Subscriber, happen
from tests.webhooks.receivers import Received, Receiver, answer
from webhooks import services
from webhooks.delivery import drain
from webhooks.models import SigningSecret
from webhooks.services.endpoints import OVERLAP
from webhooks.views import WebhookEndpointViewSet


def signers(request: Received, candidates: dict[str, str]) -> list[str]:
    """Whose secrets made the request's ``v1`` values, in the order of the header; "?" for nobody's."""
    parts = [part.split("=", 1) for part in request.headers["Svc-Signature"].split(",")]
    assert [key for key, _ in parts] == ["t"] + ["v1"] * (len(parts) - 1)
    signed = parts[0][1].encode() + b"." + request.body
    by_proof = {hmac.new(key.encode(), signed, hashlib.sha256).hexdigest(): name for name, key in candidates.items()}
    return [by_proof.get(value, "?") for _, value in parts[1:]]


def rotate(api: ApiClient, subscriber: Subscriber) -> str:
    reply = api.post(f"/webhook-endpoints/{subscriber.id}/rotate-secret")
    assert reply.status == 200
    secret: str = reply.body["secret"]
    return secret


@pytest.mark.spec("Webhook endpoints: rotate-secret answers 200 with the new plaintext secret, returned once")
def test_rotation_answers_the_endpoint_with_a_new_secret(api: ApiClient, subscriber: Subscriber) -> None:
    reply = api.post(f"/webhook-endpoints/{subscriber.id}/rotate-secret", {})
    assert reply.status == 200
    assert {**api.get(f"/webhook-endpoints/{subscriber.id}").body, "secret": reply.body["secret"]} == reply.body
    assert reply.body["secret"].startswith("whsec_")
    assert reply.body["secret"] != subscriber.secret


@pytest.mark.spec("Contract 11.6")
@pytest.mark.spec("Limits: previous signing secret stays valid for 24 hours after rotation")
def test_both_secrets_sign_for_a_day_then_only_the_new_one(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    names = {"first": subscriber.secret}
    happen(principal)
    drain()
    names["second"] = rotate(api, subscriber)
    happen(principal)
    drain()
    services.shift_due(principal.merchant_id, principal.mode, int(OVERLAP.total_seconds()) - 5)
    happen(principal)
    drain()
    services.shift_due(principal.merchant_id, principal.mode, 5)
    happen(principal)
    drain()
    assert [signers(request, names) for request in receiver.received] == [
        ["first"],
        ["second", "first"],
        ["second", "first"],
        ["second"],
    ]


@pytest.mark.spec("Contract 11.6")
def test_a_second_rotation_drops_the_oldest(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    names = {"first": subscriber.secret, "second": rotate(api, subscriber), "third": rotate(api, subscriber)}
    happen(principal)
    drain()
    assert signers(receiver.received[0], names) == ["third", "second"]
    assert SigningSecret.objects.count() == 2


def test_a_retry_is_signed_with_the_secrets_of_its_own_moment(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    names = {"first": subscriber.secret}
    receiver.script = answer(500)
    happen(principal)
    drain()
    names["second"] = rotate(api, subscriber)
    services.shift_due(principal.merchant_id, principal.mode, 60)
    drain()
    assert [signers(request, names) for request in receiver.received] == [["first"], ["second", "first"]]


def test_a_replayed_rotation_is_byte_equal_and_rotates_once(api: ApiClient, subscriber: Subscriber) -> None:
    path = f"/webhook-endpoints/{subscriber.id}/rotate-secret"
    first = api.post(path, Idempotency_Key="rotate")
    again = api.post(path, Idempotency_Key="rotate")
    assert first.raw == again.raw
    assert again.headers["Idempotent-Replayed"] == "true"
    assert SigningSecret.objects.count() == 2


def test_a_body_with_fields_is_refused(api: ApiClient, subscriber: Subscriber) -> None:
    reply = api.post(f"/webhook-endpoints/{subscriber.id}/rotate-secret", {"secret": "whsec_mine"})
    assert (reply.status, reply.body["code"]) == (400, "invalid_request")
    assert SigningSecret.objects.count() == 1


def test_rotation_is_careful(settings: object, api: ApiClient, subscriber: Subscriber) -> None:
    assert WebhookEndpointViewSet.throttle_action_limits == {"rotate_secret": CAREFUL_LIMITS}
    assert (Limit(count=5, window_seconds=1),) == CAREFUL_LIMITS
    settings.RATE_LIMIT_SCALE = 1.0  # type: ignore[attr-defined]  # pytest-django's wrapper
    path = f"/webhook-endpoints/{subscriber.id}/rotate-secret"
    answers = [api.post(path) for _ in range(6)]
    assert [answer.status for answer in answers] == [200] * 5 + [429]
    assert answers[5].body["code"] == "rate_limited"
    assert answers[5].headers["Retry-After"] == "1"


def test_overlap_is_a_day() -> None:
    assert timedelta(hours=24) == OVERLAP
