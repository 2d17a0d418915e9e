"""The one writer of the agents' audit. Source: docs/adr/0024."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.ids import parse_public_id
from mcp.caller import Caller, CallFacts
from mcp.models import AgentConnection, AgentRecord, AuditAction
from mcp.redaction import digest_of, idempotency_key_of, redacted
from mcp.tools.registry import find_tool
from merchants.principal import Principal

MOST_OBJECTS = 20
_TOOL_LENGTH = 40
_NAME = re.compile(r"[a-z]+(_[a-z]+)*")
_ALIASES = frozenset({"intent_id"})
"""Arguments that tools accept without advertising them."""


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


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a call ended. ``result`` is what the tool gave; only the ids in it are kept."""

    outcome: Outcome
    code: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    latency_ms: int | None = None


def record_call(caller: Caller, tool: str, arguments: object, ended: Ended) -> AgentRecord:
    """Put down one tool call, whatever became of it. Call it outside of what the tool may roll back."""
    return record_entry(describe_call(caller, tool, arguments, ended), caller.connection, caller.facts)


def describe_call(caller: Caller, tool: str, arguments: object, ended: Ended) -> Entry:
    """What is put down of a call: arguments only as far as they may be seen, and the ids it was about."""
    known = find_tool(tool)
    names = frozenset(known.input_schema.get("properties", ())) | _ALIASES if known else frozenset()
    kept = redacted(tool, arguments, names)
    return Entry(
        action=AuditAction.CALL,
        outcome=ended.outcome.value,
        tool=tool if known else _unknown(tool),
        code=ended.code,
        arguments=kept,
        arguments_digest=digest_of(tool, arguments),
        idempotency_key=idempotency_key_of(arguments),
        object_ids=list(dict.fromkeys([*_ids(kept), *_ids(ended.result)]))[:MOST_OBJECTS],
        latency_ms=ended.latency_ms,
        actor=caller.connection.actor,
    )


def record_refusal(connection: AgentConnection, facts: CallFacts, code: str, tool: str = "") -> AgentRecord:
    """Put down that a known connection was refused at the door: revoked, expired, without the scope, too often."""
    named = tool if not tool or find_tool(tool) else _unknown(tool)
    entry = Entry(
        action=AuditAction.REFUSAL, outcome=Outcome.DENIED.value, tool=named, code=code, actor=connection.actor
    )
    return record_entry(entry, connection, facts)


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
        deed=entry.action,
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


def _unknown(tool: str) -> str:
    """A name that an agent invented, as far as it looks like one. Why not as it came: it may be any text."""
    return tool if len(tool) <= _TOOL_LENGTH and _NAME.fullmatch(tool) else f"[{len(tool)} characters]"


def _ids(found: object) -> Iterator[str]:
    """The ids in what a tool gave or was given, and nothing else of it."""
    values = found.values() if isinstance(found, Mapping) else found if isinstance(found, list) else ()
    for value in values:
        if isinstance(value, str):
            parsed = parse_public_id(value, "pi_")
            if parsed is not None:
                yield str(parsed)
        else:
            yield from _ids(value)
