"""Connections as a person's consent leaves them, without the way there."""

from typing import Any

from core.modes import Mode
from core.money import usd
from mcp.caller import CallFacts
from mcp.models import AgentConnection
from mcp.scopes import Scope
from merchants.services import NewMerchant
from tests.mcp.oauth.flow import new_application

FACTS = CallFacts(address="203.0.113.7", user_agent="agent/1.0", protocol_version="2026-07-28", request_id="req_1")


def connection_of(account: NewMerchant, mode: Mode = Mode.TEST, **fields: Any) -> AgentConnection:
    """A connection of this merchant to a client of its own, with every scope and a hundred dollars a call."""
    name = fields.pop("client_name", "Shopkeeper")
    usual = {
        "scopes": [scope.value for scope in Scope],
        "per_call_usd": usd("100"),
        "per_day_usd": usd("500"),
        "application": new_application(name=name, redirect_uris="http://127.0.0.1:7777/callback"),
    }
    return AgentConnection.objects.create(merchant=account.merchant, mode=mode, user=account.owner, **usual | fields)
