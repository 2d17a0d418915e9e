"""GET, PATCH and DELETE webhook-endpoints; who may see which."""

import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.models import SigningSecret, Subscription, WebhookEndpoint

PATH = "/webhook-endpoints"
URL = "https://hooks.shop.example/causeway"


@pytest.mark.spec("Contract 6.6")
@pytest.mark.spec("Webhook endpoints: GET list")
def test_list_gives_every_endpoint_newest_first(api: ApiClient, principal: Principal) -> None:
    made = [subscribe(principal, URL).id for _ in range(3)]
    reply = api.get(PATH)
    assert reply.status == 200
    assert set(reply.body) == {"data"}
    rows = list(WebhookEndpoint.objects.order_by("-created_at", "-id"))
    assert [entry["id"] for entry in reply.body["data"]] == [str(row.pk) for row in rows]
    assert {entry["id"] for entry in reply.body["data"]} == set(made)


@pytest.mark.spec("Webhook endpoints: GET one; WebhookEndpoint")
def test_retrieve_gives_one(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, URL, "ping")
    reply = api.get(f"{PATH}/{made.id}")
    assert reply.status == 200
    assert reply.body == {
        "id": made.id,
        "url": URL,
        "events": ["ping"],
        "enabled": True,
        "created_at": made.endpoint.created_at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
        "disabled_reason": None,
    }


@dataclass(frozen=True)
class Callers:
    """The owner's test key, another merchant's, and the owner's live key."""

    own: ApiClient
    other: ApiClient
    live: ApiClient


@pytest.fixture
def callers(api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> Callers:
    """Everybody who may try."""
    return Callers(api, other_api, live_api)


ACTIONS: list[tuple[str, str, Any]] = [
    ("GET", "", None),
    ("PATCH", "", {"enabled": False}),
    ("DELETE", "", None),
    ("POST", "/rotate-secret", None),
    ("GET", "/deliveries", None),
    ("POST", "/recover", {"since": "2026-01-01T00:00:00Z"}),
    ("POST", "/deliveries/8d0c1f3e-52b7-4b0b-9a51-0c5d3f1f7a11/resend", None),
]


@pytest.mark.spec("Errors: 404 for retrieve webhook endpoint; Authentication 3: a key only sees its own mode")
@pytest.mark.parametrize(("method", "suffix", "body"), ACTIONS)
def test_foreign_unknown_malformed_and_other_mode_ids_look_alike(
    callers: Callers, principal: Principal, method: str, suffix: str, body: Any
) -> None:
    made = subscribe(principal, URL)
    secret_before = bytes(SigningSecret.objects.get().ciphertext)
    answers = [
        client.send(method, f"{PATH}/{endpoint_id}{suffix}", body)
        for client, endpoint_id in [
            (callers.other, made.id),
            (callers.live, made.id),
            (callers.own, str(uuid.uuid4())),
            (callers.own, "not-an-id"),
            (callers.own, "%00"),
        ]
    ]
    assert {answer.status for answer in answers} == {404}
    for answer in answers:
        answer.body.pop("request_id")
    assert {answer.body["code"] for answer in answers} == {"not_found"}
    assert all(answer.body == answers[0].body for answer in answers)
    assert made.fresh().enabled
    assert made.fresh().deleted_at is None
    assert bytes(SigningSecret.objects.get().ciphertext) == secret_before


@pytest.mark.spec("Webhook endpoints: PATCH with optional url, events, enabled")
def test_patch_changes_what_it_names(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, URL, "ping")
    path = f"{PATH}/{made.id}"
    assert api.send("PATCH", path, {}).body == api.get(path).body
    moved = api.send("PATCH", path, {"url": "https://other.shop.example/x"})
    assert (moved.status, moved.body["url"], moved.body["events"]) == (200, "https://other.shop.example/x", ["ping"])
    widened = api.send("PATCH", path, {"events": ["*"], "enabled": False})
    assert (widened.body["events"], widened.body["enabled"]) == (["*"], False)
    assert widened.body["disabled_reason"] == "by_merchant"
    assert api.send("PATCH", path, {"enabled": True}).body["disabled_reason"] is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"url": "http://hooks.shop.example/"}, "webhook_url_not_allowed"),
        ({"events": []}, "invalid_request"),
        ({"events": ["nope"]}, "unknown_event_type"),
        ({"enabled": None}, "invalid_request"),
        ({"created_at": "2026-01-01T00:00:00Z"}, "invalid_request"),
        ({"url": "https://ok.example/", "events": ["nope"]}, "unknown_event_type"),
    ],
)
def test_a_refused_patch_changes_nothing(api: ApiClient, principal: Principal, body: Any, code: str) -> None:
    made = subscribe(principal, URL, "ping")
    reply = api.send("PATCH", f"{PATH}/{made.id}", body)
    assert (reply.status, reply.body["code"]) == (400, code)
    after = made.fresh()
    assert (after.url, after.events, after.enabled) == (URL, ["ping"], True)
    assert Subscription.objects.count() == 1


@pytest.mark.spec("Contract 12.5")
@pytest.mark.spec("Webhook endpoints: DELETE; Webhook endpoints: body of the delete (not shown)")
def test_delete_answers_once_and_leaves_no_secret(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, URL)
    path = f"{PATH}/{made.id}"
    first = api.send("DELETE", path)
    assert (first.status, first.body) == (200, {"id": made.id, "deleted": True})
    assert api.send("DELETE", path).status == 404
    assert api.get(path).status == 404
    assert api.get(PATH).body == {"data": []}
    assert not SigningSecret.objects.exists()


@pytest.mark.parametrize("how", ["PATCH", "DELETE"])
def test_what_is_on_its_way_to_a_removed_endpoint_is_cancelled(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver, how: str
) -> None:
    happen(principal)
    fan_out()
    assert subscriber.delivery().outcome == "due"
    body = {"enabled": False} if how == "PATCH" else None
    assert api.send(how, f"{PATH}/{subscriber.id}", body).status == 200
    after = subscriber.delivery()
    assert (after.outcome, after.next_attempt_at) == ("cancelled", None)
    assert drain() == 0
    assert receiver.received == []


def test_other_methods_are_405(api: ApiClient) -> None:
    reply = api.send("PUT", PATH, {})
    assert (reply.status, reply.body["code"]) == (405, "method_not_allowed")
