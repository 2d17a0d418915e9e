"""The one way to a tool: may the caller, are the arguments good, run, write down what came of it."""

import logging
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import InterfaceError, OperationalError

from core.errors import ServiceError, TemporarilyUnavailable
from mcp.caller import Caller
from mcp.errors import InsufficientScope
from mcp.models import Deed
from mcp.protocol.faults import INTERNAL_ERROR, Fault
from mcp.services.arguments import checked_arguments
from mcp.services.audit import Entry, put_down
from mcp.tools.base import Arguments, Result, Tool

logger = logging.getLogger("causeway.agents")

OK = "ok"
TOOL_ERROR = "tool_error"
DENIED = "denied"
LONGEST_KEY = 255


@dataclass(frozen=True, kw_only=True)
class ToolAnswer:
    """What a call came to: a result, or a refusal with its stable code."""

    is_error: bool
    content: Mapping[str, Any]
    code: str = ""


def call_tool(caller: Caller, tool: Tool, arguments: Arguments) -> ToolAnswer:
    """Run a tool for a caller, and write the call down whatever came of it.

    Raises: InsufficientScope; Fault for a failure of ours, of which the caller learns the request id only.
    """
    began = time.monotonic()
    entry = _Pending(caller, tool, arguments, began)
    try:
        content = _run(caller, tool, arguments)
    except InsufficientScope as error:
        entry.put_down(DENIED, error.code)
        raise
    except ServiceError as error:
        entry.put_down(TOOL_ERROR, error.code)
        return ToolAnswer(is_error=True, content=refusal_body(error), code=error.code)
    except Exception as error:  # whatever it is, the client must get an answer
        _log_failure(caller, tool, error)
        entry.put_down(TOOL_ERROR, ServiceError.code)
        raise our_fault(caller.facts.request_id) from None
    entry.put_down(OK, "")
    return ToolAnswer(is_error=False, content=content)


def refusal_body(error: ServiceError) -> dict[str, Any]:
    """A refusal in the words of REST. Source: agents, 7.3."""
    return {"error": error.message, "code": error.code, "details": error.details}


def our_fault(request_id: str) -> Fault:
    """What is told of a failure of ours."""
    facts = {"code": ServiceError.code, "request_id": request_id}
    return Fault(INTERNAL_ERROR, "Something went wrong on our side. Send us the request id.", facts=facts)


def _run(caller: Caller, tool: Tool, arguments: Arguments) -> Result:
    if tool.scope not in caller.scopes:
        raise InsufficientScope([tool.scope])
    try:
        return tool.run(caller, checked_arguments(tool, arguments))
    except (OperationalError, InterfaceError) as error:
        _log_failure(caller, tool, error)
        raise TemporarilyUnavailable from None


@dataclass(frozen=True)
class _Pending:
    """A call that is under way."""

    caller: Caller
    tool: Tool
    arguments: Arguments
    began: float

    def put_down(self, outcome: str, code: str) -> None:
        """Write its line."""
        key = self.arguments.get("idempotency_key")
        entry = Entry(
            deed=Deed.CALL,
            outcome=outcome,
            tool=self.tool.name,
            code=code,
            idempotency_key=key[:LONGEST_KEY] if isinstance(key, str) else "",
            latency_ms=round((time.monotonic() - self.began) * 1000),
            actor=self.caller.principal.actor,
        )
        put_down(entry, self.caller.connection, self.caller.facts)


def _log_failure(caller: Caller, tool: Tool, error: Exception) -> None:
    """Say where it failed. Why without the message: it may repeat an argument, and arguments may be secrets."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("tool %s failed for %s: %s\n%s", tool.name, caller.principal.actor, type(error).__name__, frames)
