"""The list of refunds, one refund, and the two things that need no wallet: its address, and cancelling it."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from chains.registry import chain, explorer_address_url, explorer_tx_url
from chains.transfers import RailName
from core.errors import ServiceError
from core.modes import Mode
from core.money import from_base_units, to_decimal_string
from merchants.guards import MAY_MOVE_MONEY, confirmed, lacks_second_factor
from merchants.site import Visit, draw, site_of
from refunds.dashboard.story import story_of
from refunds.dashboard.words import AWAITS_WALLET, STATUS, failure_words
from refunds.models import Refund
from refunds.selectors import suggested_destinations
from refunds.services.cancel import cancel_refund
from refunds.services.destination import set_destination
from refunds.states import ADDRESSED, REFUND_MACHINE, R

SHOWN, SHOWN_AT_HOME = 100, 5
WITHOUT_FACTOR = "Add a second factor first: live refunds can only be sent or cancelled with one."


@dataclass(frozen=True, kw_only=True)
class RefundLine:
    """One refund as the dashboard shows it."""

    refund: Refund
    status: str
    tone: str
    amount: str
    chain_name: str
    why: str
    tx_url: str
    destination_url: str
    awaits_wallet: bool
    awaits_address: bool
    can_cancel: bool


def refund_line(refund: Refund) -> RefundLine:
    """What is shown of a refund. Why no links in test mode: its transactions are on no chain."""
    awaits_wallet = is_for_wallet(refund)
    status, tone = AWAITS_WALLET if awaits_wallet else STATUS[R(refund.status)]
    known, is_live = chain(refund.chain), refund.mode == Mode.LIVE
    tx_url = explorer_tx_url(refund.chain, refund.tx_hash) if is_live and refund.tx_hash else ""
    where = explorer_address_url(refund.chain, refund.destination) if is_live and refund.destination else ""
    return RefundLine(
        refund=refund,
        status=status,
        tone=tone,
        amount=f"{to_decimal_string(from_base_units(refund.base_units, refund.token_decimals))} {refund.token}",
        chain_name=refund.chain if known is None else known.display_name,
        why=failure_words(refund),
        tx_url=tx_url or "",
        destination_url=where or "",
        awaits_wallet=awaits_wallet,
        awaits_address=REFUND_MACHINE.allows(refund.status, "address"),
        can_cancel=REFUND_MACHINE.allows(refund.status, "cancel"),
    )


def is_for_wallet(refund: Refund) -> bool:
    """Whether the merchant's own wallet is what it waits for, or what sent it and is still looked for."""
    return refund.status in ADDRESSED and refund.rail == RailName.MERCHANT_WALLET


def may_act(visit: Visit) -> bool:
    """Whether this person may send, cancel or address refunds."""
    return visit.role in MAY_MOVE_MONEY


def refund_of(visit: Visit, refund_id: UUID) -> Refund:
    """The merchant's refund in this mode. Raises: Http404."""
    mine = Refund.objects.visible_to(visit.principal).select_related("transfer", "intent")
    found: Refund | None = mine.filter(pk=refund_id).first()
    if found is None:
        raise Http404
    return found


def latest_refunds(visit: Visit) -> dict[str, object]:
    """The newest refunds, and how many wait for a person."""
    mine = Refund.objects.visible_to(visit.principal).order_by("-created_at", "-pk")
    lines = [refund_line(refund) for refund in mine[:SHOWN_AT_HOME]]
    wallet = mine.filter(status__in=ADDRESSED, rail=RailName.MERCHANT_WALLET).count()
    return {"lines": lines, "waiting": wallet + mine.filter(status=R.WAITING).count()}


def list_refunds(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest refunds of this merchant and mode."""
    mine = Refund.objects.visible_to(visit.principal).order_by("-created_at", "-pk")[: SHOWN + 1]
    lines = [refund_line(refund) for refund in mine]
    return draw(request, visit, "dashboard/refunds/list.html", {"lines": lines[:SHOWN], "has_more": len(lines) > SHOWN})


def show_refund(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """One refund: how it stands, what can be done, and its history."""
    refund = refund_of(visit, refund_id)
    context = {
        "line": refund_line(refund),
        "history": story_of(refund),
        "may_act": may_act(visit),
        "needs_second_factor": lacks_second_factor(visit),
    }
    return draw(request, visit, "dashboard/refunds/refund.html", context)


moves_money = confirmed(MAY_MOVE_MONEY, without_factor=WITHOUT_FACTOR)


@moves_money
def choose_destination(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Ask where the money is to go, and have it sent there."""
    refund = refund_of(visit, refund_id)
    text, error = request.POST.get("destination", "").strip(), ""
    if request.method == "POST":
        try:
            set_destination(visit.principal, refund, text)
        except ServiceError as refusal:
            error = refusal.message
        else:
            messages.success(request, "The refund now goes to that address.")
            return _to_refund(visit, refund)
    context = {
        "line": refund_line(refund),
        "suggested": suggested_destinations([refund]).get(refund.pk),
        "typed": text,
        "error": error,
    }
    return draw(request, visit, "dashboard/refunds/destination.html", context, status=400 if error else 200)


@moves_money
def cancel(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Ask, then cancel a refund of which nothing was signed."""
    refund = refund_of(visit, refund_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/refunds/cancel.html", {"line": refund_line(refund)})
    try:
        cancel_refund(visit.principal, refund)
        messages.success(request, "The refund is cancelled. Nothing was sent.")
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    return _to_refund(visit, refund)


def _to_refund(visit: Visit, refund: Refund) -> HttpResponse:
    return redirect(site_of(visit).url("refund", refund_id=refund.pk))
