"""The examples of requests are sent to the service as they stand, with the ids of what there is."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from config.description.requests import ATTEMPT, DELIVERY, INTENT, REFUND, REQUESTS
from tests.conftest import ApiClient, Reply
from tests.contract.conformity import document
from tests.payments.payer import Payer
from tests.payments.world import World, create
from tests.refunds.stories import refund, settled
from webhooks.delivery.fan_out import fan_out

OF_MERCHANTS = {
    "createPaymentIntent": (201, "/payment-intents"),
    "createRefund": (201, "/refunds"),
    "setRefundDestination": (200, f"/refunds/{REFUND}/destination"),
    "refundToPayers": (201, "/refunds/to-payers"),
    "advanceTestClock": (200, "/test-helpers/clock/advance"),
    "triggerTestEvent": (200, "/test-helpers/events/trigger"),
    "createTestScenarioReplay": (201, "/test-helpers/scenarios/replays"),
    "payTestPaymentIntent": (200, f"/test-helpers/payment-intents/{INTENT}/pay"),
    "createWebhookEndpoint": (201, "/webhook-endpoints"),
}
OF_AN_ENDPOINT = {"updateWebhookEndpoint": ("PATCH", ""), "recoverWebhookEndpoint": ("POST", "/recover")}
OF_A_PULLED_ENDPOINT = {"answerWebhookDelivery": "/answer"}
OF_PAYERS = {
    "connectCheckoutWallet": "/wallet",
    "requestCheckoutQuote": "/quote",
    "startCheckoutAttempt": "/start",
    "reportCheckoutTransaction": "/submitted",
    "rejectCheckoutAttempt": "/rejected",
    "sendSimulatedTransaction": "/simulated-wallet/transactions",
    "createSolanaPayTransaction": "/solana-pay",
}
OF_WHO_CLAIMS = {"prepareRefundClaim": "/claim/nonce", "claimRefund": "/claim"}
UNREAD = {"invalid_request", "invalid_json", "unsupported_media_type", "internal_error"}
"""Codes of bodies that were not even taken for what they are."""


@pytest.fixture(autouse=True)
def _no_name_server() -> Iterator[None]:
    """Names reserved for examples do not resolve, whatever the machine's name server says."""

    def getaddrinfo(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield


def examples(*names: str) -> list[tuple[str, str]]:
    return [(name, shown) for name in names for shown in REQUESTS[name]]


def filled(value: Any, ids: dict[str, str]) -> Any:
    """A body, or a path, with ids that exist."""
    text = json.dumps(value)
    for stands, real in ids.items():
        text = text.replace(stands, real)
    return json.loads(text)


def test_every_request_has_an_example_that_is_sent_here() -> None:
    bodies = {
        operation["operationId"]
        for methods in document()["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    }
    sent = {*OF_MERCHANTS, *OF_AN_ENDPOINT, *OF_A_PULLED_ENDPOINT, *OF_PAYERS, *OF_WHO_CLAIMS}
    assert bodies == sent == set(REQUESTS)


@pytest.mark.parametrize(("name", "shown"), examples(*OF_MERCHANTS))
def test_a_merchants_request_is_carried_out(world: World, api: ApiClient, name: str, shown: str) -> None:
    status, path = OF_MERCHANTS[name]
    intent = create(api) if name == "payTestPaymentIntent" else settled(world, api)
    ids = {INTENT: intent["id"]}
    if name == "setRefundDestination":
        ids[REFUND] = refund(api, intent, 5)["id"]
    reply = api.post(filled(path, ids), filled(REQUESTS[name][shown], ids))
    if shown == "stray":  # none came with this payment
        assert (reply.status, reply.body["code"]) == (404, "not_found")
    elif name == "refundToPayers":  # a simulated wallet that nothing is proven of
        assert reply.status in {status, 409}, reply.body
    else:
        assert reply.status == status, reply.body


@pytest.mark.parametrize(("name", "shown"), examples(*OF_AN_ENDPOINT))
def test_a_request_about_an_endpoint_is_carried_out(api: ApiClient, name: str, shown: str) -> None:
    method, path = OF_AN_ENDPOINT[name]
    made = api.post("/webhook-endpoints", {"url": "https://shop.example/hook", "events": ["ping"]}).body
    reply = api.send(method, f"/webhook-endpoints/{made['id']}{path}", REQUESTS[name][shown])
    assert reply.status == 200, reply.body


@pytest.mark.parametrize(("name", "shown"), examples(*OF_A_PULLED_ENDPOINT))
def test_what_was_fetched_is_answered(api: ApiClient, name: str, shown: str) -> None:
    made = api.post("/webhook-endpoints", {"kind": "pull", "events": ["payment_intent.created"]}).body
    create(api)
    fan_out()
    [given] = api.get(f"/webhook-endpoints/{made['id']}/pull").body["data"]
    answer = filled(REQUESTS[name][shown], {DELIVERY: given["delivery_id"]})
    reply = api.post(f"/webhook-endpoints/{made['id']}{OF_A_PULLED_ENDPOINT[name]}", answer)
    assert (reply.status, reply.body["attempt_count"]) == (200, 1), reply.body


@pytest.mark.parametrize(("name", "shown"), examples(*OF_PAYERS))
def test_a_payers_request_is_taken(world: World, api: ApiClient, name: str, shown: str) -> None:
    """No attempt is open: what is answered is about the payment, not about the body."""
    intent = create(api)
    payer = Payer.of(intent)
    if name == "requestCheckoutQuote":
        payer.connect()
    reply = payer.send("POST", OF_PAYERS[name], filled(REQUESTS[name][shown], {ATTEMPT: intent["id"]}))
    assert_read(reply)
    assert name not in {"connectCheckoutWallet", "requestCheckoutQuote"} or reply.status == 202


@pytest.mark.parametrize(("name", "shown"), examples(*OF_WHO_CLAIMS))
def test_a_request_of_who_claims_is_taken(world: World, api: ApiClient, name: str, shown: str) -> None:
    waits = refund(api, settled(world, api), 5)
    path = f"/api/public/refunds/{waits['id']}{OF_WHO_CLAIMS[name]}"
    assert_read(ApiClient("").post(path, REQUESTS[name][shown]))


def assert_read(reply: Reply) -> None:
    assert reply.status < 300 or reply.body["code"] not in UNREAD, reply.body
