"""A merchant's agent from the first intent to the last payout, from outside: HTTP on the embedded default."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.journeys.http_caller import Answer, Caller, soon
from tests.journeys.programs import Embedded, embedded
from tests.journeys.recipe import Receiver, receiving
from tests.journeys.stories import register
from tests.machine import PATIENCE_SECONDS, own_port, pause

pytestmark = [pytest.mark.embedded, pytest.mark.exhaustive]

PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7"
INTENT_STEPS = ("created", "quoted", "executing", "settled")
REFUND_STEPS = ("created", "missing_destination", "processing", "paid")
PAYOUT_STEPS = ("created", "processing", "paid")
REVISION = "2026-07-28"
TOO_MANY = 429
_PREFIX = "io.modelcontextprotocol/"
_numbers = itertools.count(1)
_CONNECT = """
from datetime import timedelta
from core.clock import now
from core.money import usd
from core.secrets import random_token
from mcp.models import AccessToken, AgentConnection, Application
from mcp.scopes import Scope
from merchants.models import Membership
owner = Membership.objects.select_related("user").get(merchant__name="Demo Shop", role="owner")
application = Application.objects.create(
    name="Journey", client_type="public", authorization_grant_type="authorization-code",
    redirect_uris="http://127.0.0.1/callback",
)
connection = AgentConnection.objects.create(
    merchant_id=owner.merchant_id, mode="test", user=owner.user, application=application,
    scopes=[scope.value for scope in Scope], per_call_usd=usd("1000"), per_day_usd=usd("10000"),
)
raw = random_token("at_")
AccessToken.objects.create(
    token=raw, user=owner.user, application=application, connection=connection, scope=" ".join(connection.scopes),
    expires=now() + timedelta(minutes=15), resource=[{resource!r}],
)
print(raw)
"""
"""What a person's consent leaves behind. Why by hand: this is about the tools; the way there has its own tests."""


@dataclass(frozen=True, kw_only=True)
class Agent:
    """Calls tools. ``door.key`` is the access token."""

    door: Caller

    def send(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """One tool call as it goes over the wire, and again after the wait that the service asks for."""
        while (answer := self._send_once(tool, arguments)).status == TOO_MANY:
            pause(answer.body["error"]["data"]["details"]["retry_after_seconds"])
        return answer

    def _send_once(self, tool: str, arguments: dict[str, Any]) -> Answer:
        meta = {f"{_PREFIX}protocolVersion": REVISION, f"{_PREFIX}clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": next(_numbers), "method": "tools/call", "params": params}
        headers = {"MCP_Protocol_Version": REVISION, "Mcp_Method": "tools/call", "Mcp_Name": tool}
        return self.door.post("/mcp", message, Accept="application/json, text/event-stream", **headers)

    def call(self, tool: str, *, is_refused: bool = False, **arguments: Any) -> Any:
        """The result of a call, or the refusal that it is answered with."""
        answer = self.send(tool, arguments)
        assert answer.status == 200, answer.raw
        result = answer.body["result"]
        said = json.loads(result["content"][0]["text"])
        assert result["isError"] is is_refused, answer.raw
        assert is_refused or said == result["structuredContent"]
        return said

    def until(self, found: Callable[[Any], bool], tool: str, **arguments: Any) -> Any:
        """The first result of a call, made again and again, of which this is true."""

        def look() -> Any:
            result = self.call(tool, **arguments)
            return result if found(result) else None

        return soon(look, f"{tool} {arguments}")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """One running service for every test of this file."""
    with embedded(tmp_path_factory.mktemp("agent"), own_port()) as running:
        yield running


@pytest.fixture(scope="module")
def agent(service: Embedded) -> Agent:
    """An agent that the demo merchant let do everything in test mode."""
    printed = service.manage("shell", "-c", _CONNECT.format(resource=f"{service.base_url}/mcp"))
    return Agent(door=Caller(base_url=service.base_url, key=printed.split()[-1]))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A merchant's own server, which knows the specification and nothing else."""
    with receiving() as running:
        yield running


def told(receiver: Receiver, resource_id: str) -> list[str]:
    """The events about one resource, once each, in the order of their numbers."""
    about = {event["sequence"]: event["type"] for event in receiver.accepted() if event["data"]["id"] == resource_id}
    assert sorted(about) == list(range(1, len(about) + 1))
    return [about[number] for number in sorted(about)]


@pytest.mark.spec("Agent tool interface; Agent-tool results")
def test_an_agent_takes_a_payment_refunds_a_part_and_pays_out(
    service: Embedded, agent: Agent, receiver: Receiver
) -> None:
    merchant = service.merchant()
    register(merchant, receiver)
    intent = asks_for_a_payment(agent, service.base_url)
    assert merchant.post(f"/test-helpers/payment-intents/{intent['id']}/pay").status == 200
    sees_it_settled(agent, intent["id"])
    refund_id = refunds_a_part(agent, merchant, intent["id"])
    payout_id = pays_out(agent, intent)
    receiver.wait_for(
        lambda got: {"refund.paid", "payout.paid"} <= {event["type"] for event in got.accepted()}, PATIENCE_SECONDS
    )
    assert {delivery.genuine for delivery in receiver.deliveries} == {True}
    assert told(receiver, intent["id"]) == [f"payment_intent.{step}" for step in INTENT_STEPS]
    assert told(receiver, refund_id) == [f"refund.{step}" for step in REFUND_STEPS]
    assert told(receiver, payout_id) == [f"payout.{step}" for step in PAYOUT_STEPS]


def asks_for_a_payment(agent: Agent, base_url: str) -> dict[str, Any]:
    """An intent, asked for twice; it cannot be paid out yet."""
    wish: dict[str, Any] = {"amount": 25.5, "reference": "A-7", "idempotency_key": "intent A-7"}
    intent: dict[str, Any] = agent.call("create_payment_intent", **wish)
    assert (intent["amount"], intent["status"], intent["mode"]) == ("25.50", "created", "test")
    assert intent["checkout_url"] == f"{base_url}/checkout/{intent['id']}"
    assert agent.call("create_payment_intent", **wish) == intent
    early = agent.call("create_payout", is_refused=True, payment_intent_id=intent["id"], idempotency_key="payout A-7")
    assert (early["code"], early["details"]) == ("intent_not_settled", {"status": "created"})
    return intent


def sees_it_settled(agent: Agent, intent_id: str) -> None:
    """Ask until it is over; every figure is exact."""
    settled = agent.until(lambda found: found["terminal"], "poll_settlement", payment_intent_id=intent_id)
    assert settled == {
        "id": intent_id,
        "status": "settled",
        "amount_received_usd": "25.50",
        "platform_fee_usd": "0.00",
        "net_settlement_usd": "25.50",
        "settled_at": settled["settled_at"],
        "mode": "test",
        "terminal": True,
        "poll_after_seconds": None,
    }


def refunds_a_part(agent: Agent, merchant: Caller, intent_id: str) -> str:
    """A refund, asked for twice, which waits until the merchant names where it goes; its id once it is paid."""
    about = {"payment_intent_id": intent_id}
    wish: dict[str, Any] = {**about, "amount_usd": "10.00", "reason": "one of two", "idempotency_key": "refund A-7"}
    refund = agent.call("create_refund", **wish)
    figures = (refund["amount_usd"], refund["status"], refund["failure_reason"], refund["mode"])
    assert figures == ("10.00", "pending", "missing_destination", "test")
    assert agent.call("create_refund", **wish)["id"] == refund["id"]
    assert merchant.post(f"/refunds/{refund['id']}/destination", {"destination": PAYEE}).status == 200
    shown = paid_part(agent, intent_id, "refunds")
    assert (shown["amount_received"], shown["amount_refunded_usd"]) == ("25.50", "10.00")
    [paid] = shown["refunds"]["data"]
    assert (paid["id"], paid["amount_usd"], paid["destination"]) == (refund["id"], "10.00", PAYEE)
    return str(paid["id"])


def pays_out(agent: Agent, intent: dict[str, Any]) -> str:
    """A payout of what the refund left, asked for twice; its id once it is paid."""
    asked = {"payment_intent_id": intent["id"], "idempotency_key": "payout A-7"}
    payout = agent.call("create_payout", **asked)
    assert payout == {"result": {"payoutId": payout["result"]["payoutId"]}}
    [paid] = paid_part(agent, intent["id"], "payouts")["payouts"]["data"]
    assert (paid["id"], paid["amount"], paid["attempts"]) == (payout["result"]["payoutId"], "15.50", 1)
    assert paid["destination"] == intent["settlement_address"]
    assert agent.call("create_payout", **{**asked, "idempotency_key": "another"}) == payout
    return str(paid["id"])


def paid_part(agent: Agent, intent_id: str, part: str) -> dict[str, Any]:
    """The intent with its one refund or payout, once that is paid."""
    shown: dict[str, Any] = agent.until(
        lambda found: [one["status"] for one in found[part]["data"]] == ["paid"],
        "get_payment_intent",
        payment_intent_id=intent_id,
        include=[part],
    )
    return shown
