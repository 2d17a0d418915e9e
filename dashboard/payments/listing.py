"""The list of payments: filtered by the address, newest first, in pages both ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from chains.registry import CHAINS
from core.errors import InvalidParameter
from core.pagination import Page, PageLimits, read_page
from dashboard.page import draw
from dashboard.payments.wanted import Fault, Wanted, wanted_by
from dashboard.payments.words import STATUS, Label, chain_name, dollars, status_of
from dashboard.visit import Visit
from merchants.acts import Act
from payments.models import PaymentAttempt, PaymentIntent

LIMITS = PageLimits(default=50, maximum=50)
CURSORS = ("starting_after", "ending_before")
OFFERED = tuple(known.name for known in CHAINS)
"""What the form offers; every name that an intent has can be asked for in the address."""


@dataclass(frozen=True, kw_only=True)
class PaymentLine:
    """One payment as the list shows it. ``paid_with`` is what the payer's newest try pays with."""

    intent: PaymentIntent
    amount: str
    status: Label
    settles: str
    paid_with: str


@dataclass(frozen=True, kw_only=True)
class Pages:
    """The ends of addresses that lead on; empty where the list ends."""

    newer: str = ""
    older: str = ""


def list_payments(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest payments that are asked for, and the ways on."""
    wanted = wanted_by(visit, request.GET)
    mine = PaymentIntent.objects.visible_to(visit.principal)
    page = _page(wanted, mine, {name: request.GET[name] for name in CURSORS if request.GET.get(name)})
    asked = wanted.fields.get("settlement_chain", "")
    offered = [*OFFERED, *([asked] if asked and asked not in OFFERED else [])]
    context = {
        "lines": _lines(page.rows),
        "pages": _ways(wanted, page, request),
        "wanted": wanted,
        "faults": {fault.name: fault.words for fault in wanted.faults},
        "statuses": [(status.value, label.word, status.value in wanted.statuses) for status, label in STATUS.items()],
        "chains": [(name, chain_name(name)) for name in offered],
        "sees_customers": visit.may(Act.SEE_CUSTOMERS),
        "may_export": visit.may(Act.EXPORT),
        "base_url": settings.BASE_URL,
        "is_first_visit": not page.rows and not wanted.query and not request.GET,
    }
    return draw(request, visit, "dashboard/payments/list.html", context, status=400 if wanted.faults else 200)


def _page(wanted: Wanted, mine: QuerySet[PaymentIntent], cursor: dict[str, str]) -> Page[PaymentIntent]:
    shown = wanted.narrow(mine)
    if not wanted.faults:
        try:
            return read_page(shown.defer("metadata"), cursor, LIMITS, cursors=mine)
        except InvalidParameter:
            wanted.faults.append(Fault("page", "That page is gone. These links begin anew: choose a filter above."))
    return Page(rows=[], has_more=False)


def _ways(wanted: Wanted, page: Page[PaymentIntent], request: HttpRequest) -> Pages:
    if not page.rows:
        return Pages()
    came_back, came_on = "ending_before" in request.GET, "starting_after" in request.GET
    kept = wanted.query
    newer = _to(kept, "ending_before", page.rows[0]) if came_on or (came_back and page.has_more) else ""
    older = _to(kept, "starting_after", page.rows[-1]) if came_back or page.has_more else ""
    return Pages(newer=newer, older=older)


def _to(kept: str, name: str, edge: PaymentIntent) -> str:
    return "&".join(part for part in (kept, urlencode({name: str(edge.pk)})) if part)


def _lines(intents: Sequence[PaymentIntent]) -> list[PaymentLine]:
    tries = PaymentAttempt.objects.filter(intent__in=[intent.pk for intent in intents]).exclude(token="")
    rows = tries.order_by("number").values_list("intent_id", "token", "chain")
    paid_with = {intent_id: f"{token} on {chain_name(chain)}" for intent_id, token, chain in rows}
    return [
        PaymentLine(
            intent=intent,
            amount=dollars(intent.amount),
            status=status_of(intent),
            settles=f"{intent.settlement_token} on {chain_name(intent.settlement_chain)}",
            paid_with=paid_with.get(intent.pk, ""),
        )
        for intent in intents
    ]
