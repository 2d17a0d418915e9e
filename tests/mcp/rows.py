"""Connections as a person's consent leaves them, and calls through them, without the way there."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from core.modes import Mode
from core.money import UsdAmount
from mcp.caller import Caller, CallFacts
from mcp.models import AgentConnection, Application
from mcp.scopes import Scope
from merchants.principal import Principal
from merchants.services import NewMerchant

FACTS = CallFacts(address="203.0.113.7", user_agent="agent/1.0", protocol_version="2026-07-28", request_id="req_1")


def connection_of(account: NewMerchant, mode: Mode = Mode.TEST, **fields: Any) -> AgentConnection:
    """A connection of this merchant to a client of its own, with every scope and a hundred dollars a call."""
    name = fields.pop("client_name", "Shopkeeper")
    application = Application.objects.create(
        name=name,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="http://127.0.0.1:7777/callback",
    )
    found: AgentConnection = AgentConnection.objects.create(
        merchant=account.merchant,
        mode=mode,
        user=account.owner,
        application=application,
        **{
            "scopes": [scope.value for scope in Scope],
            "per_call_usd": dollars(100),
            "per_day_usd": dollars(500),
            **fields,
        },
    )
    return found


def caller_of(connection: AgentConnection, **facts: str) -> Caller:
    """Who calls through it."""
    principal = Principal(merchant_id=connection.merchant_id, mode=Mode(connection.mode), actor=connection.actor)
    return Caller(
        principal=principal, connection=connection, scopes=frozenset(connection.scopes), facts=replace(FACTS, **facts)
    )


def dollars(amount: int | str) -> UsdAmount:
    """An amount as columns hold it."""
    return UsdAmount(Decimal(amount))
