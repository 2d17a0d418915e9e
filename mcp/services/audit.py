"""The one writer of the agents' audit. Source: docs/adr/0024."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mcp.caller import CallFacts
from mcp.models import AgentConnection, AgentRecord, AuditAction
from merchants.principal import Principal


class Outcome(StrEnum):
    """How it ended: done, refused by a tool, or refused before any tool ran."""

    OK = "ok"
    TOOL_ERROR = "tool_error"
    DENIED = "denied"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is put down. ``arguments`` are redacted already."""

    action: AuditAction
    outcome: str
    tool: str = ""
    code: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    arguments_digest: str = ""
    idempotency_key: str = ""
    object_ids: Sequence[str] = ()
    latency_ms: int | None = None
    actor: str = ""


def record_event(
    whose: AgentConnection | Principal | None,
    action: AuditAction,
    facts: CallFacts,
    *,
    actor: str,
    code: str = "",
    changes: Mapping[str, Any] | None = None,
) -> AgentRecord:
    """Put down what a person or the authorization server did: consent, step-up, change, decision, revocation, replay.

    ``changes`` are our own words and figures (``{"per_call_usd": ["0.00", "25.00"]}``), never a client's text.
    """
    outcome = Outcome.DENIED if action == AuditAction.REFUSAL else Outcome.OK
    entry = Entry(action=action, outcome=outcome.value, code=code, arguments=changes or {}, actor=actor)
    return record_entry(entry, whose, facts)


def record_entry(entry: Entry, whose: AgentConnection | Principal | None, facts: CallFacts) -> AgentRecord:
    """Write one line about a connection, a merchant or nobody known; in the caller's transaction where there is one."""
    return AgentRecord.objects.create(
        action=entry.action,
        outcome=entry.outcome,
        tool=entry.tool,
        code=entry.code,
        arguments=dict(entry.arguments),
        arguments_digest=entry.arguments_digest,
        idempotency_key=entry.idempotency_key,
        object_ids=list(entry.object_ids),
        latency_ms=entry.latency_ms,
        actor=entry.actor,
        address=facts.address,
        user_agent=facts.user_agent,
        protocol_version=facts.protocol_version,
        request_id=facts.request_id,
        **_whose(whose),
    )


def _whose(whose: AgentConnection | Principal | None) -> dict[str, Any]:
    if whose is None:
        return {}
    if isinstance(whose, Principal):
        return {"merchant_id": whose.merchant_id, "mode": whose.mode}
    return {
        "connection_id": whose.pk,
        "merchant_id": whose.merchant_id,
        "mode": whose.mode,
        "user_id": whose.user_id,
        "client_id": whose.application.client_id,
        "client_name": whose.application.name,
    }
