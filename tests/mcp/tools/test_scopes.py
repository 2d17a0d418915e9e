"""Every tool at the door: without its scope it is refused, with it alone it is let in. Source: agents, 7.1 and 7.3."""

from typing import Any

from mcp.models import AgentRecord
from mcp.scopes import Scope
from mcp.tools.registry import TOOLS
from merchants.models import Merchant
from tests.mcp.agents import connected_agent
from tests.mcp.tools.calls import NOWHERE

NEVER_TAKEN = ["destination", "settlement_address", "return_url", "url", "webhook_url", "api_key", "mode", "merchant"]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "create_payout": {"payment_intent_id": NOWHERE, "idempotency_key": "k"},
    "poll_settlement": {"payment_intent_id": NOWHERE},
    "verify_webhook": {"raw_body": "", "signature": "", "secret": "whsec_x"},
    "create_payment_intent": {"amount": 1, "idempotency_key": "k"},
    "get_payment_intent": {"payment_intent_id": NOWHERE},
    "list_payment_intents": {},
    "cancel_payment_intent": {"payment_intent_id": NOWHERE},
    "create_refund": {"payment_intent_id": NOWHERE, "amount_usd": "1", "idempotency_key": "k"},
    "list_tokens": {},
}


def test_every_other_scope_is_not_enough(merchant: Merchant) -> None:
    for tool in TOOLS:
        agent = connected_agent(merchant, scopes=[scope for scope in Scope if scope != tool.scope])
        reply = agent.rpc("tools/call", {"name": tool.name, "arguments": ARGUMENTS[tool.name]})
        assert reply.status == 403, tool.name
        assert f'error="insufficient_scope", scope="{tool.scope}"' in reply.headers["WWW-Authenticate"]
    assert list(AgentRecord.objects.values_list("outcome", flat=True)) == ["denied"] * len(TOOLS)


def test_its_own_scope_alone_is_enough(merchant: Merchant) -> None:
    for tool in TOOLS:
        answer = connected_agent(merchant, scopes=[tool.scope]).call(tool.name, ARGUMENTS[tool.name])
        assert answer.code == ("not_found" if "payment_intent_id" in ARGUMENTS[tool.name] else ""), tool.name


def test_what_no_tool_takes_is_refused(merchant: Merchant) -> None:
    agent = connected_agent(merchant)
    for tool in TOOLS:
        answer = agent.call(tool.name, ARGUMENTS[tool.name] | dict.fromkeys(NEVER_TAKEN, NOWHERE))
        assert answer.code == "invalid_request", tool.name
        assert answer.error["details"]["fields"] == [
            {"field": name, "code": "unknown_field", "message": "No such argument."} for name in NEVER_TAKEN
        ]
