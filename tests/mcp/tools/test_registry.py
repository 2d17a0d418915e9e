"""What agents are told of the tools: names, order, hints, arguments, schemas. Source: agents, Nine tools."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp.tools.base import Tool
from mcp.tools.registry import TOOLS

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
ANY_TOOL = pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])


def told(tool: Tool) -> tuple[str, str, str, str]:
    """A tool as one row of the table."""
    hints = (tool.read_only, tool.destructive, tool.idempotent, tool.open_world)
    arguments = " ".join(tool.input_schema["properties"])
    return tool.name, "".join("T" if hint else "F" for hint in hints), tool.scope.value, arguments


@pytest.mark.spec("Contract 15.1")
def test_the_nine_tools_in_their_order() -> None:
    """Names, hints, scopes and arguments, exactly. No argument is a destination, a webhook address or a key."""
    assert [told(tool) for tool in TOOLS] == NINE


@ANY_TOOL
def test_every_hint_is_said(tool: Tool) -> None:
    hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert set(tool.annotations) == {"title", *hints}
    assert {type(tool.annotations[hint]) for hint in hints} == {bool}
    assert tool.annotations["title"] == tool.title


@pytest.mark.spec("Contract 15.1")
@ANY_TOOL
def test_schemas_are_valid_and_strict(tool: Tool) -> None:
    for schema in (tool.input_schema, tool.output_schema):
        Draft202012Validator.check_schema(json.loads(json.dumps(schema)))
    told = {"in": tool.input_schema, "out": tool.output_schema}
    open_to_more = [path for path, part in objects(told, tool.name) if part.get("additionalProperties") is not False]
    assert open_to_more == [path for path in FREE_FORM if path.startswith(f"{tool.name}.")]


@ANY_TOOL
def test_input_schemas_are_of_the_kind_that_every_client_takes(tool: Tool) -> None:
    """Why: model providers refuse alternatives at the top of a tool's arguments."""
    assert tool.input_schema["type"] == "object"
    assert {"oneOf", "anyOf", "allOf", "not"} & set(tool.input_schema) == set()


def objects(schema: Any, path: str = "$") -> list[tuple[str, Any]]:
    """Every object schema inside."""
    if isinstance(schema, list):
        return [found for part in schema for found in objects(part, path)]
    if not isinstance(schema, dict):
        return []
    here = [(path, schema)] if schema.get("type") == "object" else []
    return here + [found for name, part in schema.items() for found in objects(part, f"{path}.{name}")]


@ANY_TOOL
def test_descriptions_are_fixed_words_that_say_what_happens(tool: Tool) -> None:
    assert 40 <= len(tool.description) <= 800
    assert tool.description.isascii()
    assert tool.description.isprintable()
    assert ("Changes nothing" in tool.description) is tool.read_only
    assert ("Moves money" in tool.description) is tool.open_world
    assert re.search(r"\bmode", tool.description)
