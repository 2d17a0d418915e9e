"""The one way to a tool: may the caller, are the arguments good, run, write down what came of it."""

import logging
import re
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import InterfaceError, OperationalError

from core.errors import ServiceError, TemporarilyUnavailable
from core.ids import parse_public_id
from core.parsers import unstorable
from mcp.arguments import checked_arguments
from mcp.caller import Caller, CallFacts
from mcp.errors import InsufficientScope
from mcp.models import AgentConnection, AgentRecord, AuditAction
from mcp.protocol.faults import INTERNAL_ERROR, Fault
from mcp.redaction import digest_of, idempotency_key_of, redacted
from mcp.services.audit import Entry, Outcome, record_entry
from mcp.tool import Arguments, Result, Tool
from mcp.tools.registry import find_tool
from merchants.selectors import refuse_suspended

MOST_OBJECTS = 20
_TOOL_LENGTH = 40
_NAME = re.compile(r"[a-z]+(_[a-z]+)*")
_ALIASES = frozenset({"intent_id"})
"""Arguments that tools accept without advertising them."""

logger = logging.getLogger("causeway.agents")


@dataclass(frozen=True, kw_only=True)
class ToolAnswer:
    """What a call came to: a result, or a refusal with its stable code."""

    is_error: bool
    content: Mapping[str, Any]
    code: str = ""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a call ended. ``result`` is what the tool gave; only the ids in it are kept."""

    outcome: Outcome
    code: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    latency_ms: int | None = None


def call_tool(caller: Caller, tool: Tool, arguments: Arguments) -> ToolAnswer:
    """Run a tool for a caller, and write the call down whatever came of it.

    Raises: InsufficientScope; Fault for a failure of ours, of which the caller learns the request id only.
    """
    line = _Line(caller, tool, {} if unstorable(arguments) else arguments)
    try:
        content = _run(caller, tool, arguments)
    except InsufficientScope as error:
        record_refusal(caller.connection, caller.facts, error.code, tool.name)
        raise
    except ServiceError as error:
        line.write(Outcome.TOOL_ERROR, code=error.code)
        return ToolAnswer(is_error=True, content=refusal_body(error), code=error.code)
    except Exception as error:  # whatever it is, the client must get an answer
        _log_failure(caller, tool, error)
        line.write(Outcome.TOOL_ERROR, code=ServiceError.code)
        raise our_fault(caller.facts.request_id) from None
    line.write(Outcome.OK, result=content)
    return ToolAnswer(is_error=False, content=content)


def refusal_body(error: ServiceError) -> dict[str, Any]:
    """A refusal in the words of REST. Source: docs/guides/agents.md, For developers of clients."""
    return {"error": error.message, "code": error.code, "details": error.details}


def our_fault(request_id: str) -> Fault:
    """What is told of a failure of ours."""
    facts = {"code": ServiceError.code, "request_id": request_id}
    return Fault(INTERNAL_ERROR, "Something went wrong on our side. Send us the request id.", facts=facts)


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


def _run(caller: Caller, tool: Tool, arguments: Arguments) -> Result:
    if tool.scope not in caller.scopes:
        raise InsufficientScope([tool.scope])
    if not tool.read_only:
        refuse_suspended(caller.principal.merchant_id)
    try:
        return tool.run(caller, checked_arguments(tool, arguments))
    except (OperationalError, InterfaceError) as error:
        _log_failure(caller, tool, error)
        raise TemporarilyUnavailable from None


@dataclass(frozen=True)
class _Line:
    """What the audit will hold of a call that is under way."""

    caller: Caller
    tool: Tool
    arguments: Arguments
    began_ns: int = field(default_factory=time.monotonic_ns)

    def write(self, outcome: Outcome, **ended: Any) -> None:
        """Write it down, once the call is over."""
        milliseconds = (time.monotonic_ns() - self.began_ns) // 1_000_000
        record_call(
            self.caller, self.tool.name, self.arguments, Ended(outcome=outcome, latency_ms=milliseconds, **ended)
        )


def _log_failure(caller: Caller, tool: Tool, error: Exception) -> None:
    """Say where it failed. Why without the message: it may repeat an argument, and arguments may be secrets."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("tool %s failed for %s: %s\n%s", tool.name, caller.principal.actor, type(error).__name__, frames)


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
