"""The request log: what each key asked and was answered, noted as the answer leaves, written down a second later.

Nobody waits for it: a request is noted in memory, and a thread that has nothing to answer writes what was noted. What
does not fit is dropped and counted. Source: docs/adr/0029, docs/adr/0075.
"""

import logging
import re
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import Error, InterfaceError, OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponseBase

from core.caller import client_address
from core.clock import now
from core.ids import parse_public_id
from core.request_id import current_request_id
from core.written_later import WrittenLater
from merchants.authentication import KnownKey
from merchants.models import RequestRecord
from merchants.models.requests import REFUSED
from merchants.request_redaction import shown_body, shown_path, shown_query

MOST_WAITING = 5000
"""Requests in memory until they are written down: some megabytes at most."""
MOST_TRIES = 100
"""How often a batch is halved to find the lines that no column takes: one among 5,000 takes 26."""
API = "/api/"
_MADE_ID: Final = re.compile(rb'\{"id":"([0-9a-f-]{36})"')
_CREATED = 201

logger = logging.getLogger("causeway.request_log")


class Line(NamedTuple):
    """A row of the log, its columns in order. Why no model: making one takes as long as all the rest together."""

    created_at: datetime
    merchant_id: int
    mode: str
    key_id: int
    method: str
    path: str
    query: str
    route: str
    status: int
    code: str
    duration_ms: int
    request_id: str
    object_id: str | None
    address: str
    user_agent: str
    body: str


_INTO = f"{RequestRecord._meta.db_table} ({', '.join(Line._fields)})"
_COPY = f"COPY {_INTO} FROM STDIN"
_INSERT = f"INSERT INTO {_INTO} VALUES ({', '.join(['%s'] * len(Line._fields))})"  # noqa: S608 - our own names
_AWAY = (OperationalError, InterfaceError)
_REFUSED = (Error, ValueError, OverflowError)
"""What the database or its driver says of a value that no column takes, once it is not ``_AWAY``."""


class RequestLog(WrittenLater[list[Line]]):
    """The requests of one process since they were last written down."""

    every = timedelta(milliseconds=250)
    """Why so often: a second's lines of a busy process take 25 ms, for which other requests wait."""
    what = "requests"

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Line] = []
        self._dropped = 0

    def note(self, line: Line) -> None:
        """Remember a request that was answered."""
        with self._lock:
            self._begin_if_new()
            if len(self._waiting) < MOST_WAITING:
                self._waiting.append(line)
            else:
                self._dropped += 1

    def _take(self) -> list[Line]:
        batch, self._waiting = self._waiting, []
        if self._dropped:
            logger.warning("%s requests are missing from the log: more came than could be written", self._dropped)
            self._dropped = 0
        return batch

    def _put_back(self, batch: list[Line]) -> None:
        room = MOST_WAITING - len(self._waiting)
        self._waiting = batch[:room] + self._waiting
        self._dropped += max(0, len(batch) - room)

    def _store(self, batch: list[Line]) -> None:
        """Write a batch down. Why refused lines are dropped: what no column takes would be tried for ever."""
        if not batch:
            return
        try:
            _write(batch)
        except _AWAY:
            raise
        except _REFUSED as refusal:
            with transaction.atomic():
                missing = _write_in_parts(batch)
            logger.warning("%s requests are missing from the log", missing, exc_info=refusal)


def _write(lines: list[Line]) -> None:
    """All of these or none. Raises: what the database and its driver do."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            moment = connection.ops.adapt_datetimefield_value
            cursor.executemany(_INSERT, [(moment(line.created_at), *line[1:]) for line in lines])
            return
        with connection.wrap_database_errors, cursor.copy(_COPY) as copy:
            for line in lines:
                copy.write_row(line)


def _write_in_parts(batch: list[Line]) -> int:
    """Write what can be written; returns how many lines could not. Called in a transaction: all of it stays or none."""
    parts, missing = [batch], 0
    for _ in range(MOST_TRIES):
        if not parts:
            break
        part = parts.pop()
        try:
            _write(part)
        except _AWAY:
            raise
        except _REFUSED:
            middle = len(part) // 2
            parts += [part[middle:], part[:middle]] if middle else []
            missing += not middle
    return missing + sum(map(len, parts))


request_log = RequestLog()


class RequestLogMiddleware:
    """Notes every request of a known key, let in or refused, as its answer leaves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, then note."""
        if not request.path_info.startswith(API):
            return self.get_response(request)
        began = time.perf_counter()
        response = self.get_response(request)
        key: KnownKey | None = getattr(request, "caller_key", None)
        if key is not None:
            _note(request, response, key, time.perf_counter() - began)
        return response


def _note(request: HttpRequest, response: HttpResponseBase, key: KnownKey, seconds: float) -> None:
    """Note a request. Why nothing may fail here: what was answered was answered."""
    try:
        request_log.note(line_of(request, response, key, seconds))
    except Exception:
        logger.exception("a request is missing from the log")


def line_of(request: HttpRequest, response: HttpResponseBase, key: KnownKey, seconds: float) -> Line:
    """The line of one request: redacted, and nothing of its headers but where it came from."""
    match = request.resolver_match
    words: dict[str, str] = match.kwargs if match else {}
    # What the request sent, as far as the view has read it already: nothing is read for the log's sake.
    context = getattr(response, "renderer_context", None)
    body = getattr(context.get("request") if context else None, "_full_data", None)
    return Line(
        created_at=now(),
        merchant_id=key.principal.merchant_id,
        mode=key.principal.mode,
        key_id=key.id,
        method=(request.method or "")[:8],
        path=shown_path(request.path, match.route if match else "", words),
        query=shown_query(request.GET) if request.META.get("QUERY_STRING") else "",
        route=(match.url_name or "") if match else "",
        status=response.status_code,
        code=_code_of(response),
        duration_ms=round(seconds * 1000),
        request_id=current_request_id(),
        object_id=_object_of(words, body, response),
        address=printable(client_address(request)[:64]),
        user_agent=printable(request.META.get("HTTP_USER_AGENT", "")[:200]),
        body=shown_body(body),
    )


def _code_of(response: Any) -> str:
    if response.status_code < REFUSED:
        return ""
    answer = getattr(response, "data", None)
    return str(answer.get("code", ""))[:48] if isinstance(answer, dict) else ""


def _object_of(words: dict[str, str], body: Any, response: Any) -> str | None:
    """The intent that a request is about: named in the path, named in the body, or made by it."""
    named = words.get("intent_id") or (body.get("intent_id") if isinstance(body, dict) else None)
    if named is not None:
        found = parse_public_id(named, "pi_") if isinstance(named, str) else None
        return found.hex if found else None
    if response.status_code != _CREATED:
        return None
    return made_by(response.content)


def made_by(answer: bytes) -> str | None:
    """The id of what an answer says that it made, as the log keeps it."""
    made = _MADE_ID.match(answer)
    return made[1].decode().replace("-", "") if made else None


def printable(text: str) -> str:
    """A text without its control characters."""
    return text if text.isprintable() else "".join(one for one in text if one.isprintable())
