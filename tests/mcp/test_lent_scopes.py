"""What an agent may do for a person of each role: every cell of docs/reach.md, tried at the agents' door."""

from typing import Any

import pytest
from pytest_django import Settings

from core.modes import Mode
from mcp.scopes import Scope
from merchants.models import Membership, Role
from merchants.services import NewMerchant
from tests.factories.refunds import paid_intent
from tests.mcp.agents import connected_agent
from tests.reach import AGENTS, cells

NOWHERE = "00000000-0000-4000-8000-000000000000"
CALLS: dict[Scope, tuple[str, dict[str, Any]]] = {
    Scope.READ_TOKENS: ("list_tokens", {}),
    Scope.WRITE_INTENTS: ("cancel_payment_intent", {"payment_intent_id": NOWHERE}),
    Scope.WRITE_REFUNDS: ("create_refund", {}),
    Scope.WRITE_PAYOUTS: ("create_payout", {}),
    Scope.VERIFY_WEBHOOKS: ("verify_webhook", {}),
}


@pytest.mark.parametrize("mode", Mode)
def test_an_agent_reaches_what_its_persons_role_does(mode: Mode, account: NewMerchant, settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 1000
    agent = connected_agent(account.merchant, mode)
    intent = paid_intent(account.merchant, mode=mode, customer_email="payer@shop.example")
    read = {"payment_intent_id": str(intent.pk), "include_untrusted": True}
    done: dict[tuple[str, str], set[str]] = {(scope, mode): set() for scope in Scope}
    for role in Role:
        Membership.objects.filter(merchant=account.merchant).update(role=role)
        shown = agent.rpc("tools/call", {"name": "get_payment_intent", "arguments": read})
        tried = {
            Scope.READ_INTENTS: shown.status == 200,
            Scope.READ_CUSTOMERS: b"payer@shop.example" in shown.raw,
            **{
                scope: agent.rpc("tools/call", {"name": name, "arguments": arguments}).status == 200
                for scope, (name, arguments) in CALLS.items()
            },
        }
        for scope in [scope for scope, may in tried.items() if may]:
            done[scope, mode].add(role)
    assert done == {scope: roles for scope, roles in cells(AGENTS).items() if scope[1] == mode}
