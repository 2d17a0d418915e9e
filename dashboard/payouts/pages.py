"""The list of payouts, the same as a file, and one payout with what can be done about it.

One that is held because its address was given up is sent to the present one, or to the old one after all.
"""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from core.clock import optional_wire_time, wire_time
from core.csv_export import csv_answer
from core.errors import InvalidParameter, ServiceError
from core.money import ZERO_USD, from_base_units, to_decimal_string
from core.pagination import Page, PageLimits, read_page
from dashboard.page import carry_out, draw
from dashboard.payouts.filter import PayoutFilter
from dashboard.payouts.lines import payout_line, payout_of
from dashboard.payouts.settings import payout_settings
from dashboard.payouts.story import story_of
from dashboard.payouts.words import RAILS, STATUS
from dashboard.visit import Visit
from merchants.acts import Act
from merchants.principal import Principal
from payouts.models import Payout
from payouts.services import create_payout, readdress_payout, release_payout, replay_payout, rest_of, resume_payout
from payouts.states import PayoutStatus

LIMITS = PageLimits(default=50, maximum=50)
CHUNK = 1000
HEAD = (
    *("id", "created_at", "status", "amount_usd", "amount", "token", "chain", "rail", "destination"),
    *("tx_hash", "failure_reason", "attempts", "paid_at", "payment_intent_id"),
)
Send = Callable[[Principal, UUID], Payout]


def list_payouts(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest payouts that are asked for, and the way to older ones."""
    wanted = PayoutFilter(request.GET.dict())
    mine: QuerySet[Payout] = Payout.objects.visible_to(visit.principal)
    page, here = _page(mine, wanted), visit.url("payouts")
    older = {**wanted.words, "starting_after": page.next_cursor}
    context = {
        "lines": [payout_line(payout) for payout in page.rows],
        "wanted": wanted,
        "older": f"{here}?{urlencode(older)}" if page.next_cursor else "",
        "newest": f"{here}?{wanted.query}" if wanted.cursor else "",
        "statuses": [(status.value, label.word) for status, label in STATUS.items()],
        "section": (section := payout_settings(visit)),
        "policy": section["policy"],
        "may_act": visit.may(Act.MOVE_MONEY),
        "may_export": visit.may(Act.EXPORT),
    }
    return draw(request, visit, "dashboard/payouts/list.html", context, status=400 if wanted.faults else 200)


def _page(mine: QuerySet[Payout], wanted: PayoutFilter) -> Page[Payout]:
    """One page; an empty one that says why where its beginning is unknown."""
    try:
        return read_page(wanted.narrow(mine), wanted.cursor, LIMITS, cursors=mine)
    except InvalidParameter:
        wanted.faults.append("This page begins at a payout that is not yours. Begin with the newest.")
        return Page(rows=[], has_more=False)


def export_payouts(request: HttpRequest, visit: Visit) -> HttpResponseBase:
    """Every payout that is asked for as a file, newest first."""
    wanted = PayoutFilter(request.GET.dict())
    found = wanted.narrow(Payout.objects.visible_to(visit.principal)).order_by("-created_at", "-id")
    if wanted.faults:
        return list_payouts(request, visit)
    return csv_answer(f"payouts-{visit.mode}", HEAD, _rows(found), whose=visit.person.pk)


def _rows(payouts: Any) -> Iterator[tuple[object, ...]]:
    for payout in payouts.iterator(chunk_size=CHUNK):
        yield (
            payout.pk,
            wire_time(payout.created_at),
            payout.status,
            to_decimal_string(payout.amount_usd),
            to_decimal_string(from_base_units(payout.base_units, payout.token_decimals)),
            payout.token,
            payout.chain,
            payout.rail,
            payout.destination,
            payout.tx_hash,
            payout.failure_reason,
            payout.attempts,
            optional_wire_time(payout.paid_at),
            payout.intent_id,
        )


def show_payout(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """One payout: where the money is, what can be done, and everything that happened."""
    payout = payout_of(visit, payout_id)
    line = payout_line(payout)
    address = f"{settings.BASE_URL}/api/public/v1/payouts/{payout.pk}/replay"
    # How a program does what the button does.
    call = {"curl": f'curl -X POST {address} \\\n  -H "Authorization: Bearer $CAUSEWAY_API_KEY"', "name": "replay"}
    context = {
        "line": line,
        "rail": RAILS.get(payout.rail, payout.rail),
        "history": story_of(visit, payout),
        "may_act": visit.may(Act.MOVE_MONEY),
        "call": call if line.can_replay else None,
        "rest": _rest_of(payout),
    }
    return draw(request, visit, "dashboard/payouts/payout.html", context)


def replay(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """Ask, then have a failed payout sent again."""
    return _send(request, visit, payout_id, "replay", (replay_payout, "The payout is queued and sent within seconds."))


def resume(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """Ask, then let a paused payout go on."""
    return _send(request, visit, payout_id, "resume", (resume_payout, "The payout goes on and is sent within seconds."))


def pay_rest(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """Ask, then pay out what came for the payment after its payouts, or was given free again since."""
    payout = payout_of(visit, payout_id)
    if request.method != "POST":
        context = {"line": payout_line(payout), "rest": _rest_of(payout)}
        return draw(request, visit, "dashboard/payouts/rest.html", context)
    if payout.intent_id is not None:
        try:
            newest = Payout.objects.filter(intent=payout.intent_id).latest("created_at", "id")
            payout = create_payout(visit.principal, payout.intent_id, f"rest-{newest.pk}", rest=True).payout
            messages.success(request, "The rest is queued and sent within seconds.")
        except ServiceError as refusal:
            messages.error(request, refusal.message)
    return redirect(visit.url("payout", payout_id=payout.pk))


def _rest_of(payout: Payout) -> str:
    """In dollars what another payout of the same payment would send now; empty where that is nothing.

    Or where a replay of this one would send it.
    """
    rest = ZERO_USD if payout.intent is None else rest_of(payout.intent)
    is_replayed = payout.status == PayoutStatus.FAILED and rest >= payout.amount_usd
    return to_decimal_string(rest) if rest and not is_replayed else ""


def _send(request: HttpRequest, visit: Visit, payout_id: UUID, name: str, action: tuple[Send, str]) -> HttpResponse:
    payout, (send, words) = payout_of(visit, payout_id), action
    if request.method != "POST":
        return draw(request, visit, f"dashboard/payouts/{name}.html", {"line": payout_line(payout)})
    back = visit.url("payout", payout_id=payout.pk)
    return carry_out(request, lambda: send(visit.principal, payout.pk), words, back=back)


Decide = Callable[[Principal, UUID, str], Payout]


def readdress(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """Ask, then send it to the present address."""
    return _decided(request, visit, payout_id, (readdress_payout, "It goes to your present address, within seconds."))


def release(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """Ask, then let it go to the old address."""
    return _decided(request, visit, payout_id, (release_payout, "It goes to the old address, within seconds."))


def _decided(request: HttpRequest, visit: Visit, payout_id: UUID, action: tuple[Decide, str]) -> HttpResponse:
    """Why the form carries the address: it must be the one that the person read."""
    payout, (decide, words) = payout_of(visit, payout_id), action
    if request.method != "POST":
        context = {"line": payout_line(payout), "is_release": decide is release_payout}
        return draw(request, visit, "dashboard/payouts/moved.html", context)
    read, back = request.POST.get("destination", ""), visit.url("payout", payout_id=payout.pk)
    return carry_out(request, lambda: decide(visit.principal, payout.pk, read), words, back=back)
