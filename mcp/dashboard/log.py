"""The agents' log: everything they did and were refused, filtered, in pages, and as a file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from core.clock import wire_time
from core.csv_export import csv_answer
from mcp.dashboard.sight import connections_of
from mcp.dashboard.words import OUTCOMES, TOOL_WORDS, client_of, line_of, plain
from mcp.models import AgentRecord
from merchants.site import Visit, draw

PAGE, CHUNK, CHOICES = 50, 1000, 100
_ID_DIGITS = 18
HEAD = (
    *("time", "mode", "connection", "client", "client_id", "who", "what", "tool", "arguments", "arguments_digest"),
    *("idempotency_key", "outcome", "code", "object_ids", "latency_ms", "address", "user_agent"),
    *("protocol_version", "request_id"),
)


@dataclass
class Filter:
    """What was asked for, what of it makes sense, and what does not."""

    asked: Mapping[str, str]
    faults: list[str] = field(default_factory=list)

    @property
    def words(self) -> dict[str, str]:
        """The filters that are set, for links to other pages of the same."""
        return {name: self.asked[name] for name in ("connection", "tool", "outcome", "day") if self.asked.get(name)}

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        return urlencode(self.words)

    def conditions(self) -> dict[str, Any]:
        """The lines that are asked for. What makes no sense is told in ``faults`` and finds nothing."""
        found: dict[str, Any] = {}
        for name, value in self.words.items():
            found |= _READERS[name](value) or self._fault(name)
        return found

    def before(self) -> dict[str, int]:
        """Where the page begins: below the last line of the page before."""
        return {"pk__lt": int(text)} if _is_number(text := self.asked.get("before", "")) else {}

    def _fault(self, name: str) -> dict[str, Any]:
        self.faults.append(_FAULTS[name])
        return {"pk__in": []}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _ID_DIGITS


def _connection(text: str) -> dict[str, Any]:
    return {"connection_id": int(text)} if _is_number(text) else {}


def _tool(text: str) -> dict[str, Any]:
    return {"tool": text} if text in TOOL_WORDS else {}


def _outcome(text: str) -> dict[str, Any]:
    return {"outcome": text} if text in OUTCOMES else {}


def _day(text: str) -> dict[str, Any]:
    try:
        begins = datetime.combine(date.fromisoformat(text), time.min, UTC)
        return {"created_at__gte": begins, "created_at__lt": begins + timedelta(days=1)}
    except (ValueError, OverflowError):
        return {}


_READERS = {"connection": _connection, "tool": _tool, "outcome": _outcome, "day": _day}
_FAULTS = {
    "connection": "There is no such connection.",
    "tool": "There is no such tool.",
    "outcome": "There is no such outcome.",
    "day": "That is no day. Write it like 2026-05-04.",
}


def show_log(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest lines that are asked for, and the way to older ones."""
    wanted = Filter(request.GET.dict())
    mine = _lines(visit, wanted).filter(**wanted.before())
    found = list(mine[: PAGE + 1])
    names = _names(visit)
    context = {
        "lines": [(line_of(record), names.get(record.connection_id)) for record in found[:PAGE]],
        "older": urlencode({**wanted.words, "before": found[PAGE - 1].pk}) if len(found) > PAGE else "",
        "is_later_page": bool(wanted.before()),
        "wanted": wanted,
        "connections": names.items(),
        "tools": TOOL_WORDS.items(),
        "outcomes": [(value, said.word) for value, said in OUTCOMES.items()],
    }
    return draw(request, visit, "dashboard/agents/log.html", context, status=400 if wanted.faults else 200)


def export_log(request: HttpRequest, visit: Visit) -> StreamingHttpResponse | HttpResponse:
    """Everything that is asked for as a file, however long. Newest first."""
    wanted = Filter(request.GET.dict())
    records = _lines(visit, wanted)
    if wanted.faults:
        return show_log(request, visit)
    return csv_answer(f"agent-log-{visit.mode}", HEAD, _rows(records))


def _lines(visit: Visit, wanted: Filter) -> Any:
    return AgentRecord.objects.visible_to(visit.principal).filter(**wanted.conditions()).order_by("-pk")


def _rows(records: Any) -> Iterator[tuple[object, ...]]:
    for record in records.iterator(chunk_size=CHUNK):
        yield (
            wire_time(record.created_at),
            record.mode,
            record.connection_id,
            plain(record.client_name),
            record.client_id,
            record.actor,
            record.deed,
            record.tool,
            json.dumps(record.arguments, sort_keys=True) if record.arguments else "",
            record.arguments_digest,
            record.idempotency_key,
            record.outcome,
            record.code,
            " ".join(record.object_ids),
            record.latency_ms,
            record.address,
            record.user_agent,
            record.protocol_version,
            record.request_id,
        )


def _names(visit: Visit) -> dict[int | None, str]:
    """The connections one can choose from, newest first."""
    newest = connections_of(visit).order_by("-pk")[:CHOICES]
    return {one.pk: plain(one.name) or client_of(one).name for one in newest}
