"""The list of refunds: what needs an address first, then all of them, narrowed, in pages, and as a file."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from core.clock import optional_wire_time, wire_time
from core.csv_export import csv_answer
from core.errors import InvalidParameter
from core.money import from_base_units, to_decimal_string
from core.pagination import Page, PageLimits, read_page
from dashboard.page import draw
from dashboard.refunds.filters import ADDRESS, STATUS_CHOICES, WAITS_FOR, Filter
from dashboard.refunds.pages import RefundLine, refund_line
from dashboard.visit import Visit
from merchants.acts import Act
from refunds.models import Refund
from refunds.shares import offers, payer_for
from refunds.states import R

PAGE: Final = PageLimits(default=50, maximum=50)
FIRST_UP: Final = 20
"""How many that need an address stand above the list."""
CHUNK: Final = 1000
HEAD: Final = (
    *("id", "payment_intent_id", "created_at", "status", "amount_usd", "amount", "token", "chain"),
    *("destination", "tx_hash", "failure_reason", "attempts", "reason", "paid_at", "created_by", "mode"),
)


def list_refunds(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The refunds that are asked for, newest first; above them, without a filter, those that need an address."""
    wanted = Filter(request.GET.dict())
    page = _page(visit, wanted)
    is_plain = not wanted.words and not wanted.asked.get("after")
    needing = _needing(visit) if is_plain else []
    context = {
        "lines": [refund_line(refund) for refund in page.rows],
        "needing": needing[:FIRST_UP],
        "all_needing": "" if len(needing) <= FIRST_UP else f"?{urlencode({'waits': ADDRESS})}",
        "older": wanted.with_cursor(page.next_cursor) if page.next_cursor else "",
        "newest": f"?{wanted.query}" if wanted.asked.get("after") else "",
        "wanted": wanted,
        "statuses": STATUS_CHOICES,
        "waits": list(WAITS_FOR.items()),
        "may_act": visit.may(Act.MOVE_MONEY),
        "may_ask": visit.may(Act.ASK_PAYER),
        "may_export": visit.may(Act.EXPORT),
        "payments_url": visit.url("payments"),
    }
    return draw(request, visit, "dashboard/refunds/list.html", context, status=400 if wanted.faults else 200)


def export_refunds(request: HttpRequest, visit: Visit) -> HttpResponseBase:
    """Everything that is asked for as a file, however long. Newest first."""
    wanted = Filter(request.GET.dict())
    rows: QuerySet[Refund] = Refund.objects.visible_to(visit.principal).filter(wanted.conditions())
    parts = wanted.any_of()
    if parts:
        either = parts[0]
        for part in parts[1:]:
            either |= part
        rows = rows.filter(either)
    return (
        list_refunds(request, visit)
        if wanted.faults
        else csv_answer(
            f"refunds-{visit.mode}", HEAD, _cells(rows.order_by("-created_at", "-pk")), whose=visit.person.pk
        )
    )


def _page(visit: Visit, wanted: Filter) -> Page[Refund]:
    mine = Refund.objects.visible_to(visit.principal)
    cursor = {"starting_after": after} if (after := wanted.asked.get("after")) else {}
    narrowed, any_of = mine.filter(wanted.conditions()), wanted.any_of()
    try:
        return read_page(narrowed, cursor, PAGE, cursors=mine, any_of=any_of)
    except InvalidParameter:
        wanted.faults.append("That page does not exist. Begin with the newest refunds.")
        return Page(rows=[], has_more=False)


def _needing(visit: Visit) -> list[tuple[RefundLine, str, int]]:
    """Those that wait for an address, oldest first, each with the one wallet that paid as much, and how many paid.

    One more than is shown.
    """
    waiting = Refund.objects.visible_to(visit.principal).filter(status=R.WAITING)
    oldest = list(waiting.order_by("created_at", "pk")[: FIRST_UP + 1])
    found = offers(oldest)
    return [(refund_line(one), payer_for(one, found[one.pk]), len(found[one.pk])) for one in oldest]


def _cells(rows: QuerySet[Refund]) -> Iterator[tuple[Any, ...]]:
    for refund in rows.iterator(chunk_size=CHUNK):
        yield (
            refund.pk,
            refund.intent_id,
            wire_time(refund.created_at),
            refund.status,
            to_decimal_string(refund.amount_usd),
            to_decimal_string(from_base_units(refund.base_units, refund.token_decimals)),
            refund.token,
            refund.chain,
            refund.destination,
            refund.tx_hash,
            refund.failure_reason,
            refund.attempts,
            refund.reason,
            optional_wire_time(refund.paid_at),
            refund.created_by,
            refund.mode,
        )
