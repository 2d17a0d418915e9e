"""Webhook endpoints by REST: made, shown, changed, deleted, and given new secrets; who may see which."""

import base64
import hashlib
import hmac
from datetime import timedelta
from typing import Any

import pytest

from core.modes import Mode
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Received, Receiver, answer
from webhooks import services
from webhooks.catalog import SUBSCRIBABLE
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.models import SigningSecret, Subscription, WebhookEndpoint
from webhooks.services.endpoints import OVERLAP

PATH = "/webhook-endpoints"
URL = "https://hooks.shop.example/causeway"
BODY = {"url": URL, "events": ["payment_intent.settled", "payout.*"]}
FIELDS = {"id", "kind", "url", "events", "enabled", "created_at", "disabled_reason"}


@pytest.mark.spec("Webhook endpoints: POST answers 201 with the endpoint and its plaintext secret")
@pytest.mark.spec("WebhookEndpoint: secret is present only in create and rotate-secret responses and never again")
def test_create_answers_the_endpoint_with_its_secret_which_is_never_shown_again(api: ApiClient) -> None:
    reply = api.post(PATH, BODY)
    assert (reply.status, set(reply.body)) == (201, {*FIELDS, "secret"})
    assert {key: reply.body[key] for key in ("url", "events", "enabled")} == {**BODY, "enabled": True}
    assert reply.body["created_at"].endswith("Z")
    secret, path = reply.body["secret"], f"{PATH}/{reply.body['id']}"
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret[6:])) == 33
    asked = (api.get(PATH), api.get(path), api.send("PATCH", path, {"enabled": False}), api.get(f"{path}/deliveries"))
    for shown in asked:
        assert shown.status == 200
        assert b"secret" not in shown.raw
        assert secret.encode() not in shown.raw
    assert secret[6:].encode() not in bytes(SigningSecret.objects.get().ciphertext)


def test_an_endpoint_can_be_created_switched_off_and_repeated_event_names_count_once(api: ApiClient) -> None:
    reply = api.post(PATH, {**BODY, "enabled": False})
    assert (reply.status, reply.body["enabled"], reply.body["disabled_reason"]) == (201, False, "by_merchant")
    assert not Subscription.objects.exists()
    assert api.post(PATH, {"url": f"{URL}/2", "events": ["ping", "*", "ping"]}).body["events"] == ["ping", "*"]


MALFORMED: list[tuple[dict[str, Any], str, str]] = [
    *(({"url": None}, "url", "type"), ({"url": 5}, "url", "type"), ({"url": ""}, "url", "format")),
    ({"url": "https://a.example/" + "x" * 2048}, "url", "too_long"),
    *(({"events": wrong}, "events", "type") for wrong in (None, "ping", {"0": "ping"})),
    *(({"events": []}, "events", "format"), ({"events": ["ping", 7]}, "events.1", "type")),
    *(({"enabled": wrong}, "enabled", "type") for wrong in ("true", 1, None)),
    *(({"secret": "whsec_mine"}, "secret", "unknown_field"), ({"id": "0"}, "id", "unknown_field")),
]


@pytest.mark.spec("Contract 10.3; Contract 12.2")
@pytest.mark.spec("Webhook endpoints: url (uri, required), events (array of string, required), enabled (boolean)")
def test_a_malformed_or_missing_field_is_named_and_nothing_is_stored(api: ApiClient) -> None:
    bodies = [({**BODY, **change}, field, code) for change, field, code in MALFORMED]
    for missing in ("url", "events"):
        bodies.append(({key: value for key, value in BODY.items() if key != missing}, missing, "required"))
    for body, field, code in bodies:
        reply = api.post(PATH, body)
        assert (reply.status, reply.body["code"]) == (400, "invalid_request"), body
        named = [(entry["field"], entry["code"]) for entry in reply.body["details"]["fields"]]
        assert named == [(field, code)], body
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.spec("Contract 5.17; Contract 12.2")
@pytest.mark.spec("Limits: number of webhook endpoints (not shown)")
def test_sixteen_endpoints_per_mode_and_no_more(api: ApiClient, live_api: ApiClient, principal: Principal) -> None:
    for _ in range(15):
        subscribe(principal, f"{URL}/more")
    last, before = api.post(PATH, BODY), all_rows()
    refused = api.post(PATH, {**BODY, "url": f"{URL}/17"})
    assert last.status == 201
    assert_refused(refused, 409, "webhook_endpoint_limit")
    assert (refused.body["details"], all_rows() == before) == ({"limit": 16}, True)
    made = live_api.post(PATH, BODY)
    assert (made.status, WebhookEndpoint.objects.get(pk=made.body["id"]).mode) == (201, Mode.LIVE)
    secret = SigningSecret.objects.get(endpoint_id=made.body["id"])
    assert (secret.merchant_id, secret.mode) == (principal.merchant_id, "live")
    assert api.send("DELETE", f"{PATH}/{last.body['id']}").status == 200
    assert api.post(PATH, BODY).status == 201


def test_a_second_endpoint_for_one_url_is_refused_with_the_id_of_the_first(
    api: ApiClient, live_api: ApiClient, other_api: ApiClient
) -> None:
    first, other = api.post(PATH, BODY).body["id"], api.post(PATH, {**BODY, "url": f"{URL}/2"}).body["id"]
    api.send("PATCH", f"{PATH}/{first}", {"enabled": False})
    before = all_rows()
    for reply in (api.post(PATH, BODY), api.send("PATCH", f"{PATH}/{other}", {"url": URL, "enabled": False})):
        assert_refused(reply, 409, "endpoint_url_taken")
        assert reply.body["details"] == {"endpoint_id": first}
    assert all_rows() == before
    assert api.send("PATCH", f"{PATH}/{first}", {"url": URL, "enabled": True}).status == 200
    assert [client.post(PATH, BODY).status for client in (live_api, other_api)] == [201, 201]
    assert api.send("DELETE", f"{PATH}/{first}").status == 200
    assert api.send("PATCH", f"{PATH}/{other}", {"url": URL}).body["url"] == URL


def test_endpoints_of_before_that_share_a_url_go_on_as_they_are(api: ApiClient, principal: Principal) -> None:
    first, second = subscribe(principal, URL), subscribe(principal, f"{URL}/2")
    WebhookEndpoint.objects.filter(pk=second.id).update(url=URL)
    for one in (first, second):
        reply = api.send("PATCH", f"{PATH}/{one.id}", {"url": URL, "events": ["ping"]})
        assert (reply.status, reply.body["events"]) == (200, ["ping"])
    assert_refused(api.post(PATH, BODY), 409, "endpoint_url_taken")


@pytest.mark.spec("Contract 5.10")
def test_unknown_event_types_are_listed_with_what_exists(api: ApiClient) -> None:
    reply = api.post(PATH, {**BODY, "events": ["payment_intent.settled", "invoice.paid", "x" * 500]})
    assert (reply.status, reply.body["code"]) == (400, "unknown_event_type")
    assert reply.body["details"] == {"unknown": ["invoice.paid", "x" * 80], "allowed": list(SUBSCRIBABLE)}
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.spec("Contract 6.6; Webhook endpoints: GET list; Webhook endpoints: GET one; WebhookEndpoint")
def test_list_gives_every_endpoint_newest_first_and_retrieve_gives_one(api: ApiClient, principal: Principal) -> None:
    made = [subscribe(principal, URL, "ping") for _ in range(3)]
    reply = api.get(PATH)
    assert (reply.status, set(reply.body)) == (200, {"data", "has_more", "next_cursor"})
    rows = list(WebhookEndpoint.objects.order_by("-created_at", "-id"))
    assert [entry["id"] for entry in reply.body["data"]] == [str(row.pk) for row in rows]
    assert {entry["id"] for entry in reply.body["data"]} == {one.id for one in made}
    shown = api.get(f"{PATH}/{made[0].id}")
    assert (shown.status, shown.body) == (
        200,
        {
            **{
                "id": made[0].id,
                "kind": "push",
                "url": URL,
                "events": ["ping"],
                "enabled": True,
                "disabled_reason": None,
            },
            "created_at": made[0].endpoint.created_at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
        },
    )


@pytest.mark.spec("Webhook endpoints: PATCH with optional url, events, enabled")
def test_patch_changes_what_it_names_and_a_refused_one_nothing(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, URL, "ping")
    path = f"{PATH}/{made.id}"
    before = all_rows()
    for body, code in (
        ({"url": "http://hooks.shop.example/"}, "webhook_url_not_allowed"),
        ({"events": []}, "invalid_request"),
        ({"events": ["nope"]}, "unknown_event_type"),
        ({"enabled": None}, "invalid_request"),
        ({"created_at": "2026-01-01T00:00:00Z"}, "invalid_request"),
        ({"url": "https://ok.example/", "events": ["nope"]}, "unknown_event_type"),
    ):
        reply = api.send("PATCH", path, body)
        assert (reply.status, reply.body["code"], all_rows() == before) == (400, code, True), body
    assert api.send("PATCH", path, {}).body == api.get(path).body
    moved = api.send("PATCH", path, {"url": "https://other.shop.example/x"})
    assert (moved.status, moved.body["url"], moved.body["events"]) == (200, "https://other.shop.example/x", ["ping"])
    widened = api.send("PATCH", path, {"events": ["*"], "enabled": False})
    assert (widened.body["events"], widened.body["enabled"]) == (["*"], False)
    assert widened.body["disabled_reason"] == "by_merchant"
    assert api.send("PATCH", path, {"enabled": True}).body["disabled_reason"] is None


@pytest.mark.spec("Contract 12.5; Webhook endpoints: DELETE; Webhook endpoints: body of the delete (not shown)")
def test_delete_answers_once_and_leaves_no_secret(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, URL)
    path = f"{PATH}/{made.id}"
    first = api.send("DELETE", path)
    assert (first.status, first.body) == (200, {"id": made.id, "deleted": True})
    assert (api.send("DELETE", path).status, api.get(path).status) == (404, 404)
    assert api.get(PATH).body == {"data": [], "has_more": False, "next_cursor": None}
    assert not SigningSecret.objects.exists()
    reply = api.send("PUT", PATH, {})
    assert (reply.status, reply.body["code"]) == (405, "method_not_allowed")


def test_what_is_on_its_way_to_a_removed_endpoint_is_cancelled(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    other = subscribe(principal, receiver.url)
    happen(principal)
    fan_out()
    for how, body, one in (("PATCH", {"enabled": False}, subscriber), ("DELETE", None, other)):
        assert one.delivery().outcome == "due"
        assert api.send(how, f"{PATH}/{one.id}", body).status == 200
        assert (one.delivery().outcome, one.delivery().next_attempt_at) == ("cancelled", None)
    assert (drain(), receiver.received) == (0, [])


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


@pytest.mark.spec("Contract 11.6")
@pytest.mark.spec("Webhook endpoints: rotate-secret answers 200 with the new plaintext secret, returned once")
def test_rotation_answers_the_endpoint_with_a_new_secret_and_a_second_one_drops_the_oldest(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    path = f"{PATH}/{subscriber.id}"
    refused = api.post(f"{path}/rotate-secret", {"secret": "whsec_mine"})
    assert (refused.status, refused.body["code"]) == (400, "invalid_request")
    assert SigningSecret.objects.count() == 1
    reply = api.post(f"{path}/rotate-secret", {})
    secret = reply.body["secret"]
    assert (reply.status, reply.body) == (200, {**api.get(path).body, "secret": secret})
    assert (secret.startswith("whsec_"), secret != subscriber.secret) == (True, True)
    names = {"first": subscriber.secret, "second": secret, "third": rotate(api, subscriber)}
    happen(principal)
    drain()
    assert signers(receiver.received[0], names) == ["third", "second"]
    assert SigningSecret.objects.count() == 2


@pytest.mark.spec("Contract 11.6; Limits: previous signing secret stays valid for 24 hours after rotation")
def test_both_secrets_sign_for_a_day_then_only_the_new_one(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    """A retry is signed with the secrets of its own moment."""
    assert timedelta(hours=24) == OVERLAP
    names = {"first": subscriber.secret}
    receiver.script = answer(500)
    happen(principal)
    drain()
    receiver.script = answer(200)
    names["second"] = rotate(api, subscriber)
    for seconds in (60, int(OVERLAP.total_seconds()) - 65, 5):
        services.shift_due(principal.merchant_id, principal.mode, seconds)
        if seconds != 60:
            happen(principal)
        drain()
    assert [signers(request, names) for request in receiver.received] == [
        *(["first"], ["second", "first"], ["second", "first"], ["second"])
    ]
    assert [request.headers["Svc-Attempt"] for request in receiver.received] == ["1", "2", "1", "1"]
