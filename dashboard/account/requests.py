"""The request log: what each key asked and was answered, filtered, in pages, and one request as a curl command."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse

from dashboard.cards import SearchResult, TimelineLine
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.acts import Act
from merchants.models import ApiKey, RequestRecord
from merchants.models.requests import PATH_LENGTH, REFUSED

PAGE, KEYS_OFFERED, STORY_LINES = 50, 100, 50
LOOKED_THROUGH = 10_000
"""Lines in which one page of a filter is looked for. Why bounded: what is rare would read all of a merchant's."""
_ID_DIGITS = 18
_REQUEST_ID = re.compile(r"req_[0-9a-f]{32}")
METHODS = ("GET", "POST", "PATCH", "DELETE")
CLASSES = {"2": "Succeeded (2xx)", "4": "Refused (4xx)", "5": "Failed on our side (5xx)"}
_FAULTS = {
    "status": "There is no such kind of answer.",
    "method": "There is no such method.",
    "path": "A path begins with a slash, like /api/public/v1/payment-intents.",
    "key": "There is no such key.",
    "request": "A request id looks like req_ and 32 letters and digits.",
}


@dataclass
class Wanted:
    """What was asked for, what of it makes sense, and what does not."""

    asked: Mapping[str, str]
    faults: list[str] = field(default_factory=list)

    @property
    def words(self) -> dict[str, str]:
        """The filters that are set, for links to other pages of the same."""
        return {name: self.asked[name].strip() for name in _READERS if self.asked.get(name, "").strip()}

    def conditions(self) -> dict[str, Any]:
        """The lines that are asked for. What makes no sense is told in ``faults`` and finds nothing."""
        found: dict[str, Any] = {}
        for name, text in self.words.items():
            found |= _READERS[name](text) or self._fault(name)
        return found

    @property
    def is_searched_for(self) -> bool:
        """Whether lines are read one after the other, because no index leads to what is asked for."""
        return bool(self.words) and "request" not in self.words

    def before(self) -> dict[str, int]:
        """Where the page begins: below the last line of the page before."""
        return {"pk__lt": int(text)} if _is_number(text := self.asked.get("before", "")) else {}

    def _fault(self, name: str) -> dict[str, Any]:
        self.faults.append(_FAULTS[name])
        return {"pk__in": []}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _ID_DIGITS


_READERS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "status": lambda text: (
        {"status__gte": int(text) * 100, "status__lt": int(text) * 100 + 100} if text in CLASSES else {}
    ),
    "method": lambda text: {"method": text} if text in METHODS else {},
    "path": lambda text: (
        {"path": text} if text.startswith("/") and len(text) <= PATH_LENGTH and text.isprintable() else {}
    ),
    "key": lambda text: {"key_id": int(text)} if _is_number(text) else {},
    "request": lambda text: {"request_id": text} if _REQUEST_ID.fullmatch(text) else {},
}


@dataclass(frozen=True, kw_only=True)
class RequestLine:
    """One request as it is listed."""

    record: RequestRecord
    key: str
    tone: str
    is_known_key: bool


def show_requests(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest requests that are asked for, and the way to older ones."""
    wanted = Wanted(request.GET.dict())
    rows = _mine(visit).filter(**wanted.before()).order_by("-pk")
    end = None  # the last line that this page looks at; None, too, where all that are left are few enough
    if wanted.is_searched_for:
        end = rows.values_list("pk", flat=True)[LOOKED_THROUGH - 1 : LOOKED_THROUGH].first()
    found = list(rows.filter(**wanted.conditions(), pk__gte=end or 0)[: PAGE + 1])
    last = found[PAGE - 1].pk if len(found) > PAGE else end
    more = urlencode({**wanted.words, "before": last}) if last else ""
    context = {
        "looked_through": LOOKED_THROUGH if end and len(found) <= PAGE else 0,
        "lines": list(_lines(visit, found[:PAGE])),
        "older": f"?{more}" if more else "",
        "newest": f"?{urlencode(wanted.words)}" if wanted.before() else "",
        "wanted": wanted,
        "methods": METHODS,
        "classes": CLASSES.items(),
        "keys": ApiKey.objects.visible_to(visit.principal).order_by("-pk")[:KEYS_OFFERED],
        "base_url": settings.BASE_URL,
    }
    return draw(request, visit, "dashboard/requests/list.html", context, status=400 if wanted.faults else 200)


def show_request(request: HttpRequest, visit: Visit, record_id: int) -> HttpResponse:
    """One request, and how to send it again."""
    record = _mine(visit).filter(pk=record_id).first()
    if record is None:
        raise Http404
    [line] = _lines(visit, [record])
    body = json.dumps(json.loads(record.body), indent=2, ensure_ascii=False) if record.body else ""
    context = {"line": line, "body": body, "curl": curl_of(record)}
    return draw(request, visit, "dashboard/requests/one.html", context)


def curl_of(record: RequestRecord) -> str:
    """The request as a command, with a placeholder where the key belongs. What was not kept stands in brackets."""
    url = f"{settings.BASE_URL}{record.path}{f'?{record.query}' if record.query else ''}"
    parts = [f"curl -X {record.method} {shlex.quote(url)}", '-H "Authorization: Bearer $CAUSEWAY_API_KEY"']
    if record.body:
        parts += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(record.body)}"]
    return " \\\n  ".join(parts)


def find_requests(visit: Visit, text: str) -> Iterator[SearchResult]:
    """The request that has this id."""
    if not _REQUEST_ID.fullmatch(text) or not visit.may(Act.SEE_REQUESTS):
        return
    for record in _mine(visit).filter(request_id=text)[:1]:
        url = visit.url("request", record_id=record.pk)
        yield SearchResult(kind="Request", title=f"{record.method} {record.path}", detail=_answer(record), url=url)


def story_of_payment(visit: Visit, intent_id: UUID) -> Iterator[TimelineLine]:
    """The requests that named this payment, or made it."""
    if not visit.may(Act.SEE_REQUESTS):
        return
    for record in _mine(visit).filter(object_id=intent_id).order_by("-pk")[:STORY_LINES]:
        yield TimelineLine(
            at=record.created_at,
            kind="api",
            what=f"{record.method} {record.path}",
            why=_answer(record),
            by=f"key:{record.key_id}",
            url=visit.url("request", record_id=record.pk),
            tone=_tone(record),
            facts=(("Request", record.request_id), ("Took", f"{record.duration_ms} ms"), ("From", record.address)),
        )


def _answer(record: RequestRecord) -> str:
    return f"Answered {record.status}{f', {record.code}' if record.code else ''}"


def _tone(record: RequestRecord) -> str:
    if record.status < REFUSED:
        return "ok"
    return "warn" if record.status < 500 else "bad"  # noqa: PLR2004  (where our own failures begin)


def _mine(visit: Visit) -> QuerySet[RequestRecord]:
    rows: QuerySet[RequestRecord] = RequestRecord.objects.visible_to(visit.principal)
    return rows


def _lines(visit: Visit, records: list[RequestRecord]) -> Iterator[RequestLine]:
    known = ApiKey.objects.visible_to(visit.principal).in_bulk({record.key_id for record in records})
    for record in records:
        key = known.get(record.key_id)
        name = (key.name or str(key)) if key else f"key {record.key_id}"
        yield RequestLine(record=record, key=name, tone=_tone(record), is_known_key=key is not None)
