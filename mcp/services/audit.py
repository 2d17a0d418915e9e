"""The one writer of the agents' audit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp.caller import CallFacts
from mcp.models import AgentConnection, AgentRecord, Deed


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is put down. ``arguments`` are redacted already."""

    deed: Deed
    outcome: str
    tool: str = ""
    code: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    arguments_digest: str = ""
    idempotency_key: str = ""
    object_ids: Sequence[str] = ()
    latency_ms: int | None = None
    actor: str = ""


def put_down(entry: Entry, connection: AgentConnection | None, facts: CallFacts) -> AgentRecord:
    """Write one line about a connection, or about nobody known; in the caller's transaction where there is one."""
    return AgentRecord.objects.create(
        deed=entry.deed,
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
        **_whose(connection),
    )


def _whose(connection: AgentConnection | None) -> dict[str, Any]:
    if connection is None:
        return {}
    return {
        "connection_id": connection.pk,
        "merchant_id": connection.merchant_id,
        "mode": connection.mode,
        "user_id": connection.user_id,
        "client_id": connection.application.client_id,
        "client_name": connection.application.name,
    }
