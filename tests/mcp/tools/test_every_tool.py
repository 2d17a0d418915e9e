"""Every tool: what agents are told of it, the scope that it asks for, and what the four that act leave alone.

Source: agents, Nine tools, 7.1 and 7.3.
"""

import json
import re
from typing import Any
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator

from core.money import usd
from mcp.models import ApprovalRequest
from mcp.services.approvals import approve, deny
from mcp.tool import Tool
from mcp.tools.registry import TOOLS
from merchants.models import Merchant
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.mcp.agents import connected_agent
from tests.mcp.charter.stories import owner_of
from tests.mcp.tools.calls import NOWHERE, caller_of, rows, tool_named
from tests.payments.world import World
from tests.payouts.stories import settled

READ, CREATE, MONEY_OUT, CANCEL = "TFTF", "FFTF", "FTTT", "FTTF"
"""readOnly, destructive, idempotent, openWorld."""
NINE = [
    ("create_payout", MONEY_OUT, "payouts:write", "payment_intent_id idempotency_key rest"),
    ("poll_settlement", READ, "payment_intents:read", "payment_intent_id"),
    ("verify_webhook", READ, "webhooks:verify", "raw_body signature secret webhook_endpoint_id"),
    (
        "create_payment_intent",
        CREATE,
        "payment_intents:write",
        "amount currency settlement_chain settlement_token customer_email expires_in_seconds metadata reference "
        "idempotency_key",
    ),
    ("get_payment_intent", READ, "payment_intents:read", "payment_intent_id include include_untrusted"),
    ("list_payment_intents", READ, "payment_intents:read", "status limit starting_after"),
    ("cancel_payment_intent", CANCEL, "payment_intents:write", "payment_intent_id"),
    ("create_refund", MONEY_OUT, "refunds:write", "payment_intent_id amount_usd reason idempotency_key"),
    ("list_tokens", READ, "tokens:read", "chain query limit include_untrusted"),
]
FREE_FORM = [
    "create_payment_intent.in.properties.metadata",
    "get_payment_intent.out.properties.untrusted.properties.metadata",
]
"""What merchants write under keys of their own."""


def told(tool: Tool) -> tuple[str, str, str, str]:
    """A tool as one row of the table."""
    hints = (tool.read_only, tool.destructive, tool.idempotent, tool.open_world)
    arguments = " ".join(tool.input_schema["properties"])
    return tool.name, "".join("T" if hint else "F" for hint in hints), tool.scope.value, arguments


@pytest.mark.spec("Contract 15.1")
def test_the_nine_tools_in_their_order() -> None:
    """Names, hints, scopes and arguments, exactly. No argument is a destination, a webhook address or a key."""
    assert [told(tool) for tool in TOOLS] == NINE


@pytest.mark.spec("Contract 15.1")
def test_every_tool_is_told_in_a_form_that_clients_take() -> None:
    for tool in TOOLS:
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(json.loads(json.dumps(schema)))
        told = {"in": tool.input_schema, "out": tool.output_schema}
        open_to_more = [
            path for path, part in objects(told, tool.name) if part.get("additionalProperties") is not False
        ]
        assert open_to_more == [path for path in FREE_FORM if path.startswith(f"{tool.name}.")]
        # Model providers refuse alternatives at the top of a tool's arguments.
        assert tool.input_schema["type"] == "object"
        assert {"oneOf", "anyOf", "allOf", "not"} & set(tool.input_schema) == set()
        assert 40 <= len(tool.description) <= 800
        assert tool.description.isascii()
        assert tool.description.isprintable()
        assert ("Changes nothing" in tool.description) is tool.read_only
        assert ("Moves money" in tool.description) is tool.open_world
        assert re.search(r"\bmode", tool.description)
        hints = [tool.annotations[f"{hint}Hint"] for hint in ("readOnly", "destructive", "idempotent", "openWorld")]
        assert hints == [tool.read_only, tool.destructive, tool.idempotent, tool.open_world]


def objects(schema: Any, path: str = "$") -> list[tuple[str, Any]]:
    if isinstance(schema, list):
        return [found for part in schema for found in objects(part, path)]
    if not isinstance(schema, dict):
        return []
    here = [(path, schema)] if schema.get("type") == "object" else []
    return here + [found for name, part in schema.items() for found in objects(part, f"{path}.{name}")]


MONEY = ("create_payout", "create_refund")
LIMITS: dict[str, Any] = {"per_call_usd": usd("1000"), "per_day_usd": usd("10000")}


def arguments_of(tool: str, intent: dict[str, Any], key: str = "k") -> dict[str, Any]:
    every = {"payment_intent_id": intent["id"], "amount_usd": "20.00", "amount": 25, "idempotency_key": key}
    return {name: every[name] for name in tool_named(tool).input_schema["required"]}


@pytest.mark.spec("Rulings B12.3")
@pytest.mark.parametrize("tool", MONEY)
def test_above_the_threshold_a_person_is_asked_and_nothing_is_made(
    world: World, api: ApiClient, principal: Principal, merchant: Merchant, tool: str
) -> None:
    intent, owner = settled(world, api), owner_of(principal)
    watched = connected_agent(merchant, **LIMITS, approval_above_usd=usd("10"))
    denied = watched.call(tool, arguments_of(tool, intent, "no"))
    deny(principal, owner, UUID(denied.error["details"]["approval_id"]))
    before = rows()
    assert watched.call(tool, arguments_of(tool, intent, "no")).code == "approval_denied"
    answers = [watched.call(tool, arguments_of(tool, intent)) for _ in range(2)]
    assert [answer.code for answer in answers] == ["approval_required"] * 2
    assert rows() == before
    request = ApprovalRequest.objects.get(status="pending")
    assert {answer.error["details"]["approval_id"] for answer in answers} == {str(request.pk)}
    made = approve(principal, owner, request.pk).subject_id
    results = [watched.call(tool, arguments_of(tool, intent)).result for _ in range(2)]
    told = [result["result"]["payoutId"] if tool == "create_payout" else result["id"] for result in results]
    assert told == [str(made)] * 2
    assert Payout.objects.count() + Refund.objects.count() == 1


def test_no_destination_is_taken_past_the_door(world: World, api: ApiClient, account: NewMerchant) -> None:
    intent, agent = settled(world, api), caller_of(account)
    for tool in ("create_payment_intent", "create_refund", "create_payout"):
        tool_named(tool).run(agent, arguments_of(tool, intent, key=tool) | DESTINATIONS)
    made = PaymentIntent.objects.exclude(pk=intent["id"]).get()
    assert (made.settlement_address, made.return_url, made.mode) == (intent["settlement_address"], "", "test")
    assert (Refund.objects.get().destination, Payout.objects.get().destination) == ("", intent["settlement_address"])


ADDRESS = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
DESTINATIONS = {
    **dict.fromkeys(("settlement_address", "destination", "address", "recipient"), ADDRESS),
    **dict.fromkeys(("return_url", "webhook_url"), "https://thief.example/"),
    **{"amount_base_units": 1, "admit": True, "mode": "live"},
}
NEVER_TAKEN = [*DESTINATIONS, "url", "api_key", "merchant"]
ABOUT = {"payment_intent_id": NOWHERE}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "create_payout": ABOUT | {"idempotency_key": "k"},
    "poll_settlement": ABOUT,
    "verify_webhook": {"raw_body": "", "signature": "", "secret": "whsec_x"},
    "create_payment_intent": {"amount": 1, "idempotency_key": "k"},
    "get_payment_intent": ABOUT,
    "list_payment_intents": {},
    "cancel_payment_intent": ABOUT,
    "create_refund": ABOUT | {"amount_usd": "1", "idempotency_key": "k"},
    "list_tokens": {},
}


def test_its_own_scope_alone_is_enough(merchant: Merchant) -> None:
    for tool in TOOLS:
        answer = connected_agent(merchant, scopes=[tool.scope]).call(tool.name, ARGUMENTS[tool.name])
        assert answer.code == ("not_found" if "payment_intent_id" in ARGUMENTS[tool.name] else ""), tool.name


def test_what_no_tool_takes_is_refused(merchant: Merchant) -> None:
    agent, before = connected_agent(merchant), rows()
    for tool in TOOLS:
        answer = agent.call(tool.name, ARGUMENTS[tool.name] | dict.fromkeys(NEVER_TAKEN, NOWHERE))
        assert answer.code == "invalid_request", tool.name
        assert answer.error["details"]["fields"] == [
            {"field": name, "code": "unknown_field", "message": "No such argument."} for name in NEVER_TAKEN
        ]
    assert rows() == before
