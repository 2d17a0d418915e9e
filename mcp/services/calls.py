"""The one way to a tool: may the caller, are the arguments good, run, write down what came of it."""

import logging
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import InterfaceError, OperationalError

from core.errors import ServiceError, TemporarilyUnavailable
from core.parsers import unstorable
from mcp.caller import Caller
from mcp.errors import InsufficientScope
from mcp.protocol.faults import INTERNAL_ERROR, Fault
from mcp.services.arguments import checked_arguments
from mcp.services.audit import Ended, Outcome, record_call, record_refusal
from mcp.tools.base import Arguments, Result, Tool

logger = logging.getLogger("causeway.agents")


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
    """A refusal in the words of REST. Source: docs/agents.md, For developers of clients."""
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
