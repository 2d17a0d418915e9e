"""``POST /mcp``: one JSON-RPC message in, one JSON answer out; no session, no stream. Knows nothing of payments."""

import dataclasses
import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from core.buckets import Limit
from core.errors import ServiceError
from core.exception_handler import as_service_error
from core.rate_limits import take
from core.renderers import to_json
from core.request_id import current_request_id
from mcp.caller import Caller
from mcp.calls import call_tool, our_fault
from mcp.errors import InsufficientScope
from mcp.protocol import answers
from mcp.protocol.envelope import Notification, Request, read_message
from mcp.protocol.eras import DISCOVER, INITIALIZE, Era, RoutingHeaders, check_modern, era_of
from mcp.protocol.faults import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Fault, RequestId
from mcp.protocol.versions import MODERN
from mcp.tools.registry import TOOLS, find_tool
from mcp.views.admission import authenticate, check_form, check_sender, read_body

CALL_LIMITS = (Limit(count=10, window_seconds=1),)
"""Of one connection. Money has tighter ones of its own. Source: docs/design/requests.md, Rates."""
SERVER = {"name": "causeway", "title": "Causeway", "version": settings.API_VERSION}

logger = logging.getLogger("causeway.agents")


def endpoint(request: HttpRequest) -> HttpResponse:
    """Answer one message of an agent. Source: https://modelcontextprotocol.io/specification/2026-07-28; docs/adr/0020.

    Why no forgery protection: it reads no cookie, so there is nothing to forge; `config.middleware` skips it here.
    """
    try:
        check_sender(request)  # first: a page of another origin must not even learn of a token
        caller = authenticate(request)
        check_form(request)
        verdict = take(f"agent:{caller.connection.pk}", CALL_LIMITS)
        request.rate_limit_headers = verdict.headers  # type: ignore[attr-defined]  # read by RequestIdMiddleware
        message = read_message(read_body(request))
    except Fault as fault:
        return _json(answers.failure(fault), answers.failure_status(fault, Era.MODERN))
    except Exception as error:
        return _refused(as_service_error(error))
    if isinstance(message, Notification):
        return _json(None, 202)
    return _answered(request, caller, message)


def _answered(request: HttpRequest, caller: Caller, message: Request) -> HttpResponse:
    headers = RoutingHeaders.of(request.headers)
    era = era_of(message, headers)
    try:
        if era is Era.MODERN:
            check_modern(message, headers)
        version = MODERN[0] if era is Era.MODERN else headers.version or ""
        speaking = dataclasses.replace(caller, facts=dataclasses.replace(caller.facts, protocol_version=version))
        answer = _result(speaking, message, era)
    except InsufficientScope as error:
        return _refused(error, message.id)
    except Fault as fault:
        return _failed(fault, message, era)
    except Exception:
        logger.exception("the agents' door failed")
        return _failed(our_fault(current_request_id()), message, era)
    return _json(answers.success(message.id, answer, era, SERVER), 200)


def _failed(fault: Fault, message: Request, era: Era) -> HttpResponse:
    fault.request_id = message.id
    return _json(answers.failure(fault), answers.failure_status(fault, era))


def _result(caller: Caller, message: Request, era: Era) -> answers.Answer:
    """The result of a method. Raises: Fault for one that is unknown in this era."""
    match era, message.method:
        case Era.MODERN, method if method == DISCOVER:
            return answers.discovered()
        case Era.LEGACY, method if method == INITIALIZE:
            return answers.initialized(message.params, SERVER)
        case Era.LEGACY, "ping":
            return {}
        case _, "tools/list":
            return answers.listed(TOOLS, message.params, era)
        case _, "tools/call":
            return _called(caller, message.params)
    raise Fault(METHOD_NOT_FOUND, "Method not found")


def _called(caller: Caller, params: Mapping[str, Any]) -> answers.Answer:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise Fault(INVALID_PARAMS, "params.name must be a text, and params.arguments an object.")
    tool = find_tool(name)
    if tool is None:
        raise Fault(INVALID_PARAMS, "Unknown tool. See tools/list.")
    answer = call_tool(caller, tool, arguments or {})
    return answers.refused(answer.content) if answer.is_error else answers.called(answer.content)


def _refused(error: ServiceError, request_id: RequestId | None = None) -> HttpResponse:
    """A refusal that has an HTTP status of its own."""
    facts = {"code": error.code, "details": error.details, "request_id": current_request_id()}
    fault = Fault(INVALID_REQUEST, error.message, facts=facts, request_id=request_id)
    response = _json(answers.failure(fault), error.http_status)
    for header, value in error.headers.items():
        response.headers[header] = value
    return response


def _json(message: answers.Answer | None, status: int) -> HttpResponse:
    body = b"" if message is None else to_json(message)
    response = HttpResponse(body, status=status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    if message is None:
        del response.headers["Content-Type"]
    return response
