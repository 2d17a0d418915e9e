"""What the tests of the charter share: connections with limits, settled intents, and what an agent asks for."""

from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from chains.models import Transfer
from core.modes import Mode
from core.money import UsdAmount, usd
from mcp.caller import Caller
from mcp.models import AgentConnection, AgentEffect, ApprovalRequest
from mcp.money_requests import refund_request
from mcp.scopes import Scope
from mcp.services.asking import Ask, asking_first
from mcp.services.charter import admission
from merchants.models import Membership, User
from merchants.principal import Principal
from payouts.models import Payout
from payouts.services import create_payout
from refunds.models import Refund
from refunds.services.create import NewRefund, create_refund, refund_made_before
from tests.mcp.oauth.flow import new_application
from tests.mcp.rows import FACTS
from webhooks.models import Event

PAYOUT, REFUND = "create_payout", "create_refund"


def owner_of(principal: Principal) -> User:
    found: User = Membership.objects.select_related("user").filter(merchant_id=principal.merchant_id)[0].user
    return found


def connected(principal: Principal, **limits: Any) -> AgentConnection:
    """A connection in the principal's mode: a thousand dollars a call and ten thousand a day unless said otherwise."""
    fields = {
        "merchant_id": principal.merchant_id,
        "mode": principal.mode,
        "user": owner_of(principal),
        "scopes": [Scope.WRITE_PAYOUTS, Scope.WRITE_REFUNDS],
        "per_call_usd": usd("1000"),
        "per_day_usd": usd("10000"),
    }
    return AgentConnection.objects.create(application=new_application(), **fields | limits)


def caller_of(connection: AgentConnection, **facts: str) -> Caller:
    principal = Principal(merchant_id=connection.merchant_id, mode=Mode(connection.mode), actor=connection.actor)
    scopes = frozenset(connection.scopes)
    return Caller(principal=principal, connection=connection, scopes=scopes, facts=replace(FACTS, **facts))


def pay_out(connection: AgentConnection, intent: dict[str, Any], key: str = "k") -> Payout:
    """Ask for an intent's payout as the agent's tool does, below the threshold."""
    caller = caller_of(connection)
    return create_payout(caller.principal, UUID(intent["id"]), key, admit=admission(caller, PAYOUT)).payout


def refund(connection: AgentConnection, intent: dict[str, Any], amount: str, key: str = "") -> Refund:
    """Ask for a refund as the agent's tool does, below the threshold."""
    caller = caller_of(connection)
    new = NewRefund(intent_id=UUID(intent["id"]), amount_usd=usd(amount), idempotency_key=key, fingerprint=key)
    return create_refund(caller.principal, new, admit=admission(caller, REFUND))


def ask_payout(connection: AgentConnection, intent: dict[str, Any], key: str = "k") -> Payout:
    """Ask for an intent's payout as the agent's tool does, whatever its amount."""
    caller, arguments = caller_of(connection), {"payment_intent_id": intent["id"], "idempotency_key": key}
    ask = Ask(tool=PAYOUT, intent_id=UUID(intent["id"]), idempotency_key=key, arguments=arguments)
    return asking_first(
        caller, ask, lambda admit: create_payout(caller.principal, ask.intent_id, key, admit=admit).payout
    )


def ask_refund(connection: AgentConnection, intent: dict[str, Any], amount: str = "25", key: str = "k") -> Refund:
    """Ask for a refund as the agent's tool does, whatever its amount."""
    caller = caller_of(connection)
    arguments = {"payment_intent_id": intent["id"], "amount_usd": amount, "idempotency_key": key}
    new = refund_request(arguments)
    ask = Ask(tool=REFUND, intent_id=new.intent_id, idempotency_key=key, arguments=arguments)
    return asking_first(
        caller,
        ask,
        lambda admit: refund_made_before(caller.principal, new) or create_refund(caller.principal, new, admit=admit),
    )


def counted(connection: AgentConnection) -> list[Decimal]:
    """The dollars of the connection's effects, oldest first."""
    rows = AgentEffect.objects.filter(connection=connection).order_by("pk")
    return [UsdAmount(amount) for amount in rows.values_list("amount_usd", flat=True)]


def made() -> dict[str, int]:
    """How many rows there are of everything that an agent's call can make."""
    models = (Payout, Refund, Transfer, AgentEffect, ApprovalRequest, Event)
    return {model.__name__: model._default_manager.count() for model in models}
