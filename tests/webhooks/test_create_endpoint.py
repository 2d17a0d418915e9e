"""POST webhook-endpoints."""

import base64
from typing import Any

import pytest

from core.modes import Mode
from merchants.models import IdempotencyRecord, Merchant
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.webhooks.actors import subscribe
from webhooks.catalog import SUBSCRIBABLE
from webhooks.models import SigningSecret, Subscription, WebhookEndpoint

PATH = "/webhook-endpoints"
BODY = {"url": "https://hooks.shop.example/causeway", "events": ["payment_intent.settled", "payout.*"]}
FIELDS = {"id", "url", "events", "enabled", "created_at", "disabled_reason"}


@pytest.mark.spec("Webhook endpoints: POST answers 201 with the endpoint and its plaintext secret")
def test_create_answers_the_endpoint_with_its_secret(api: ApiClient) -> None:
    reply = api.post(PATH, BODY)
    assert reply.status == 201
    assert set(reply.body) == {*FIELDS, "secret"}
    assert {key: reply.body[key] for key in ("url", "events", "enabled")} == {**BODY, "enabled": True}
    assert reply.body["secret"].startswith("whsec_")
    assert len(base64.b64decode(reply.body["secret"][6:])) == 33
    assert reply.body["created_at"].endswith("Z")


@pytest.mark.spec("WebhookEndpoint: secret is present only in create and rotate-secret responses and never again")
def test_the_secret_is_never_shown_again_and_not_stored_in_clear(api: ApiClient) -> None:
    created = api.post(PATH, BODY).body
    path = f"{PATH}/{created['id']}"
    for reply in (
        api.get(PATH),
        api.get(path),
        api.send("PATCH", path, {"enabled": False}),
        api.get(f"{path}/deliveries"),
    ):
        assert reply.status == 200
        assert b"secret" not in reply.raw
        assert created["secret"].encode() not in reply.raw
    assert created["secret"][6:].encode() not in bytes(SigningSecret.objects.get().ciphertext)


def test_an_endpoint_can_be_created_switched_off(api: ApiClient) -> None:
    reply = api.post(PATH, {**BODY, "enabled": False})
    assert (reply.status, reply.body["enabled"], reply.body["disabled_reason"]) == (201, False, "by_merchant")
    assert not Subscription.objects.exists()


def test_repeated_event_names_count_once(api: ApiClient) -> None:
    assert api.post(PATH, {**BODY, "events": ["ping", "*", "ping"]}).body["events"] == ["ping", "*"]


@pytest.mark.spec("Contract 10.3; Contract 12.2")
@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"url": None}, "url", "type"),
        ({"url": 5}, "url", "type"),
        ({"url": ""}, "url", "format"),
        ({"url": "https://a.example/" + "x" * 2048}, "url", "too_long"),
        ({"events": None}, "events", "type"),
        ({"events": "ping"}, "events", "type"),
        ({"events": []}, "events", "format"),
        ({"events": {"0": "ping"}}, "events", "type"),
        ({"enabled": "true"}, "enabled", "type"),
        ({"enabled": 1}, "enabled", "type"),
        ({"enabled": None}, "enabled", "type"),
        ({"secret": "whsec_mine"}, "secret", "unknown_field"),
        ({"id": "0"}, "id", "unknown_field"),
    ],
)
@pytest.mark.spec("Webhook endpoints: url (uri, required), events (array of string, required), enabled (boolean)")
def test_a_malformed_field_is_named_and_nothing_is_stored(
    api: ApiClient, change: dict[str, Any], field: str, code: str
) -> None:
    reply = api.post(PATH, {**BODY, **change})
    assert (reply.status, reply.body["code"]) == (400, "invalid_request")
    assert [(entry["field"], entry["code"]) for entry in reply.body["details"]["fields"]] == [(field, code)]
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.parametrize("missing", ["url", "events"])
def test_a_missing_field_is_named(api: ApiClient, missing: str) -> None:
    reply = api.post(PATH, {key: value for key, value in BODY.items() if key != missing})
    assert reply.status == 400
    [entry] = reply.body["details"]["fields"]
    assert (entry["field"], entry["code"]) == (missing, "required")


def test_an_event_name_that_is_no_string_is_named(api: ApiClient) -> None:
    reply = api.post(PATH, {**BODY, "events": ["ping", 7]})
    assert (reply.status, reply.body["code"]) == (400, "invalid_request")
    assert reply.body["details"]["fields"][0]["code"] == "type"


@pytest.mark.spec("Contract 5.10")
def test_unknown_event_types_are_listed_with_what_exists(api: ApiClient) -> None:
    reply = api.post(PATH, {**BODY, "events": ["payment_intent.settled", "invoice.paid", "x" * 500]})
    assert (reply.status, reply.body["code"]) == (400, "unknown_event_type")
    assert reply.body["details"] == {"unknown": ["invoice.paid", "x" * 80], "allowed": list(SUBSCRIBABLE)}
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.spec("Limits: number of webhook endpoints (not shown)")
def test_sixteen_endpoints_per_mode_and_no_more(api: ApiClient, live_api: ApiClient, principal: Principal) -> None:
    for _ in range(15):
        subscribe(principal, "https://hooks.shop.example/causeway")
    last = api.post(PATH, BODY)
    assert last.status == 201
    refused = api.post(PATH, BODY)
    assert (refused.status, refused.body["code"], refused.body["details"]) == (
        409,
        "webhook_endpoint_limit",
        {"limit": 16},
    )
    assert WebhookEndpoint.objects.count() == 16
    assert live_api.post(PATH, BODY).status == 201
    assert api.send("DELETE", f"{PATH}/{last.body['id']}").status == 200
    assert api.post(PATH, BODY).status == 201


def test_a_repeat_with_the_same_key_is_the_same_answer_secret_included(api: ApiClient) -> None:
    first = api.post(PATH, BODY, Idempotency_Key="create-1")
    again = api.post(PATH, BODY, Idempotency_Key="create-1")
    assert (first.status, again.status) == (201, 201)
    assert first.raw == again.raw
    assert again.headers["Idempotent-Replayed"] == "true"
    assert WebhookEndpoint.objects.count() == 1
    assert first.body["secret"].encode() not in bytes(IdempotencyRecord.objects.get().answer)
    other = api.post(PATH, {**BODY, "events": ["*"]}, Idempotency_Key="create-1")
    assert (other.status, other.body["code"]) == (409, "idempotency_key_reused")


def test_a_refusal_leaves_the_key_free(api: ApiClient) -> None:
    assert api.post(PATH, {**BODY, "events": ["nothing"]}, Idempotency_Key="create-2").status == 400
    assert api.post(PATH, BODY, Idempotency_Key="create-2").status == 201


def test_a_key_is_required(anonymous: ApiClient, account: Any) -> None:
    assert anonymous.post(PATH, BODY).status == 401
    publishable = ApiClient(account.test.publishable_key).post(PATH, BODY)
    assert (publishable.status, publishable.body["code"]) == (401, "secret_key_required")
    assert not WebhookEndpoint.objects.exists()


def test_the_endpoint_belongs_to_the_key_s_merchant_and_mode(live_api: ApiClient, merchant: Merchant) -> None:
    endpoint = WebhookEndpoint.objects.get(pk=live_api.post(PATH, BODY).body["id"])
    assert (endpoint.merchant_id, endpoint.mode) == (merchant.pk, Mode.LIVE)
    assert {(row.merchant_id, row.mode) for row in SigningSecret.objects.all()} == {(merchant.pk, "live")}
