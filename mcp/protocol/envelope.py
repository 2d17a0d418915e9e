"""Reads one JSON-RPC message exactly, and says what kind it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from core.errors import InvalidJson
from core.parsers import parse_with_any_text, unstorable
from mcp.protocol.faults import INVALID_REQUEST, PARSE_ERROR, Fault, RequestId

UNREADABLE = frozenset({"not_json", "not_utf8", "not_a_number"})
"""What is no JSON at all; every other reason is JSON that nobody should send."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """A message that wants an answer."""

    id: RequestId
    method: str
    params: Mapping[str, Any]

    @property
    def meta(self) -> Mapping[str, Any] | None:
        """The request's ``_meta``, if it is one."""
        found = self.params.get("_meta")
        return found if isinstance(found, Mapping) else None


@dataclass(frozen=True, kw_only=True)
class Notification:
    """A message that wants none."""

    method: str


def read_message(body: bytes) -> Request | Notification:
    """The one message of a body. Raises: Fault for what is no JSON, a batch, a response or malformed."""
    message = _object(body)
    sent = message.get("id")  # no fractions: two writers may write one in two ways
    request_id = sent if isinstance(sent, str | int) and not isinstance(sent, bool) else None
    method, params = message.get("method"), message.get("params")
    if method is None and ("result" in message or "error" in message):
        _refuse("The server asks nothing, so it takes no responses.")
    if message.get("jsonrpc") != "2.0":
        _refuse('Member jsonrpc must be "2.0".', request_id)
    if not isinstance(method, str) or not method:
        _refuse("Member method must be a text.", request_id)
    if params is not None and not isinstance(params, dict):
        _refuse("Member params must be an object.", request_id)
    if "id" not in message:
        return Notification(method=method)
    if request_id is None:
        _refuse("Member id must be a text or an integer.")
    return Request(id=request_id, method=method, params=params or {})


def _object(body: bytes) -> dict[str, Any]:
    try:
        message = parse_with_any_text(body)
    except InvalidJson as error:
        raise _unreadable(error.details["reason"]) from None
    params, judged = message.get("params"), message
    if isinstance(params, dict):
        # What is wrong with a tool's arguments is the tool's to say, so that the agent reads it.
        judged = message | {"params": {name: value for name, value in params.items() if name != "arguments"}}
    if reason := unstorable(judged):
        raise _unreadable(reason)
    return message


def _unreadable(reason: str) -> Fault:
    code = PARSE_ERROR if reason in UNREADABLE else INVALID_REQUEST
    sentence = "The body must be one JSON-RPC request or notification, as one JSON object in UTF-8."
    return Fault(code, sentence, facts={"reason": reason})


def _refuse(sentence: str, request_id: RequestId | None = None) -> NoReturn:
    raise Fault(INVALID_REQUEST, sentence, request_id=request_id)
