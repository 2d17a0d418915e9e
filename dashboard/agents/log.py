"""The agents' log: everything they did and were refused, filtered, in pages, and as a file."""

import json
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from core.clock import wire_time
from core.csv_export import csv_answer
from core.filters import DAY, Filter, Reader, is_number
from dashboard.agents.lines import connections_of
from dashboard.agents.words import OUTCOMES, TOOL_WORDS, client_of, line_of, plain
from dashboard.page import draw
from dashboard.visit import Visit
from mcp.models import AgentRecord

PAGE, CHUNK, CHOICES = 50, 1000, 100
HEAD = (
    *("time", "mode", "connection", "client", "client_id", "who", "what", "tool", "arguments", "arguments_digest"),
    *("idempotency_key", "outcome", "code", "object_ids", "latency_ms", "address", "user_agent"),
    *("protocol_version", "request_id"),
)


_READERS = {
    "connection": Reader(
        read=lambda text: {"connection_id": int(text)} if is_number(text) else {}, fault="There is no such connection."
    ),
    "tool": Reader(read=lambda text: {"tool": text} if text in TOOL_WORDS else {}, fault="There is no such tool."),
    "outcome": Reader(
        read=lambda text: {"outcome": text} if text in OUTCOMES else {}, fault="There is no such outcome."
    ),
    "day": DAY,
}


def show_log(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest lines that are asked for, and the way to older ones."""
    wanted = Filter(request.GET.dict(), _READERS)
    mine = _lines(visit, wanted).filter(**wanted.before())
    found = list(mine[: PAGE + 1])
    newest = connections_of(visit).order_by("-pk")[:CHOICES]
    names: dict[int | None, str] = {one.pk: plain(one.name) or client_of(one).name for one in newest}
    context = {
        "lines": [(line_of(record), names.get(record.connection_id)) for record in found[:PAGE]],
        "older": wanted.older_than(found[PAGE - 1].pk) if len(found) > PAGE else "",
        "is_later_page": bool(wanted.before()),
        "wanted": wanted,
        "connections": names.items(),
        "tools": TOOL_WORDS.items(),
        "outcomes": [(value, label.word) for value, label in OUTCOMES.items()],
    }
    return draw(request, visit, "dashboard/agents/log.html", context, status=400 if wanted.faults else 200)


def export_log(request: HttpRequest, visit: Visit) -> StreamingHttpResponse | HttpResponse:
    """Everything that is asked for as a file, however long. Newest first."""
    wanted = Filter(request.GET.dict(), _READERS)
    records = _lines(visit, wanted)
    if wanted.faults:
        return show_log(request, visit)
    return csv_answer(f"agent-log-{visit.mode}", HEAD, _rows(records), whose=visit.person.pk)


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
            record.action,
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
