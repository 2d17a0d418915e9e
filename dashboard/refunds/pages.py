"""One refund, and what needs no wallet: asking its payer, its address, letting it go, and cancelling it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from chains.registry import chain, explorer_address_url, explorer_tx_url
from chains.transfers import RailName
from core.errors import ServiceError
from core.modes import Mode
from core.money import from_base_units, to_decimal_string
from dashboard.page import carry_out, draw
from dashboard.refunds.by_api import cancel_call, destination_call
from dashboard.refunds.story import story_of, what_of
from dashboard.refunds.words import AWAITS_WALLET, STATUS, UNCONFIRMED, destination_fault, reason_words
from dashboard.visit import Visit
from merchants.acts import Act
from payments.models import MAX_NAME, PaymentIntent
from refunds.errors import DestinationInvalid
from refunds.models import Refund
from refunds.services.ask import claim_letter, claim_link, mail_claim_link
from refunds.services.cancel import cancel_refund
from refunds.services.destination import set_destination
from refunds.services.holds import release_refund, require_held
from refunds.shares import MOST_SHOWN, Share, offers, payer_for
from refunds.states import ADDRESSED, DESTINATION_UNCONFIRMED, REFUND_MACHINE, R


@dataclass(frozen=True, kw_only=True)
class RefundLine:
    """One refund as the dashboard shows it."""

    refund: Refund
    what: str
    status: str
    tone: str
    amount: str
    chain_name: str
    why: str
    next: str
    tx_url: str
    destination_url: str
    awaits_wallet: bool
    awaits_address: bool
    can_cancel: bool
    is_unconfirmed: bool
    is_failed: bool


def refund_line(refund: Refund) -> RefundLine:
    """What is shown of a refund. Why no links in test mode: its transactions are on no chain."""
    awaits_wallet = is_for_wallet(refund)
    status, tone = AWAITS_WALLET if awaits_wallet else STATUS[R(refund.status)]
    # Why also the transfer's blocker: a refund that is being sent tells none itself.
    blocked = refund.transfer.blocker if refund.transfer is not None and refund.status in ADDRESSED else ""
    reason = reason_words(refund.failure_reason or blocked)
    known, is_live = chain(refund.chain), refund.mode == Mode.LIVE
    tx_url = explorer_tx_url(refund.chain, refund.tx_hash) if is_live and refund.tx_hash else ""
    where = explorer_address_url(refund.chain, refund.destination) if is_live and refund.destination else ""
    return RefundLine(
        refund=refund,
        what=what_of(refund),
        status=status,
        tone=tone,
        amount=f"{to_decimal_string(from_base_units(refund.base_units, refund.token_decimals))} {refund.token}",
        chain_name=refund.chain if known is None else known.display_name,
        why=reason.title,
        next=reason.next,
        tx_url=tx_url or "",
        destination_url=where or "",
        awaits_wallet=awaits_wallet,
        awaits_address=REFUND_MACHINE.allows(refund.status, "address"),
        can_cancel=REFUND_MACHINE.allows(refund.status, "cancel"),
        is_unconfirmed=refund.status in ADDRESSED and refund.failure_reason == DESTINATION_UNCONFIRMED,
        is_failed=refund.status == R.FAILED,
    )


@dataclass(frozen=True, kw_only=True)
class PayerLine:
    """One payer as the dashboard shows it: what it paid, got back, and did not."""

    wallet: str
    paid: str
    paid_usd: str
    returned_usd: str
    unreturned_usd: str


def payer_lines(intent: PaymentIntent, parts: Sequence[Share]) -> list[PayerLine]:
    """The payers of an intent, those with the most left first."""
    decimals = intent.settlement_decimals
    return [
        PayerLine(
            wallet=one.wallet,
            paid=f"{to_decimal_string(from_base_units(one.paid_units, decimals))} {intent.settlement_token}",
            paid_usd=to_decimal_string(one.paid_usd),
            returned_usd=to_decimal_string(one.returned_usd),
            unreturned_usd=to_decimal_string(one.unreturned_usd),
        )
        for one in parts[:MOST_SHOWN]
    ]


def is_for_wallet(refund: Refund) -> bool:
    """Whether the merchant's own wallet is what it waits for, or what sent it and is still looked for."""
    return refund.status in ADDRESSED and refund.rail == RailName.MERCHANT_WALLET


def may_act(visit: Visit) -> bool:
    """Whether this person may send, cancel or address refunds."""
    return visit.may(Act.MOVE_MONEY)


def refund_of(visit: Visit, refund_id: UUID) -> Refund:
    """The merchant's refund in this mode. Raises: Http404."""
    mine = Refund.objects.visible_to(visit.principal).select_related("transfer", "intent")
    found: Refund | None = mine.filter(pk=refund_id).first()
    if found is None:
        raise Http404
    return found


def show_refund(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """One refund: how it stands, what can be done, and its history."""
    refund = refund_of(visit, refund_id)
    parts = offers([refund]).get(refund.pk, [])
    context = {
        "line": refund_line(refund),
        "payers": payer_lines(refund.intent, parts),
        "sole_payer": payer_for(refund, parts),
        "history": story_of(visit, refund),
        "may_act": may_act(visit),
        "may_ask": visit.may(Act.ASK_PAYER),
        "public_url": claim_link(refund),
        "calls": [cancel_call(refund.pk)] if REFUND_MACHINE.allows(refund.status, "cancel") else [],
        "again": urlencode({"amount": to_decimal_string(refund.amount_usd), "reason": refund.reason}),
    }
    return draw(request, visit, "dashboard/refunds/refund.html", context)


def choose_destination(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Ask where the money is to go, and have it sent there. The wallet that paid is offered, never assumed."""
    refund = refund_of(visit, refund_id)
    parts = offers([refund]).get(refund.pk, [])
    suggested = payer_for(refund, parts)
    text, error = request.POST.get("destination", "").strip()[: MAX_NAME + 1], ""
    if request.method == "POST":
        error = _sent_to(visit, refund, text, is_confirmed="theirs" in request.POST or not _same(text, suggested))
        if not error:
            messages.success(request, "The refund now goes to that address.")
            return _to_refund(visit, refund)
    elif request.GET.get("use") == "wallet":
        text = suggested
    context = {
        "line": refund_line(refund),
        "suggested": suggested,
        "payers": [] if suggested else payer_lines(refund.intent, parts),
        "typed": text,
        "is_wallet": _same(text, suggested),
        "error": error,
        "call": destination_call(refund.pk, text),
    }
    return draw(request, visit, "dashboard/refunds/destination.html", context, status=400 if error else 200)


def _sent_to(visit: Visit, refund: Refund, text: str, *, is_confirmed: bool) -> str:
    """Tell a refund where to go; why it was not told, in a sentence."""
    if not is_confirmed:
        return UNCONFIRMED
    try:
        set_destination(visit.principal, refund, text)
    except DestinationInvalid as refusal:
        return destination_fault(refund, text, refusal)
    except ServiceError as refusal:
        return refusal.message
    return ""


def _same(one: str, other: str) -> bool:
    return bool(one) and one.lower() == other.lower()


def cancel(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Ask, then cancel a refund of which nothing was signed."""
    refund = refund_of(visit, refund_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/refunds/cancel.html", {"line": refund_line(refund)})
    back, done = visit.url("refund", refund_id=refund.pk), "The refund is cancelled. Nothing was sent."
    return carry_out(request, lambda: cancel_refund(visit.principal, refund), done, back=back)


def release(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Show where a refund would go that is held back, then let it go there."""
    refund = refund_of(visit, refund_id)
    try:
        require_held(refund)
        if request.method != "POST":
            return draw(request, visit, "dashboard/refunds/release.html", {"line": refund_line(refund)})
        release_refund(visit.principal, refund)
        messages.success(request, "It is on its way. Refunds to this address need no word any more.")
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    return _to_refund(visit, refund)


def _to_refund(visit: Visit, refund: Refund) -> HttpResponse:
    return redirect(visit.url("refund", refund_id=refund.pk))


def ask_payer(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Show the link; mail it where the visitor may know the payer's address."""
    refund, error = refund_of(visit, refund_id), ""
    may_see = visit.may(Act.SEE_CUSTOMERS)
    if request.method == "POST":
        try:
            mail_claim_link(visit.principal, refund)
        except ServiceError as refusal:
            error = refusal.message
        else:
            messages.success(request, "The link is on its way to the payer.")
            return redirect(visit.url("refund", refund_id=refund.pk))
    context = {
        "line": refund_line(refund),
        "link": claim_link(refund),
        "letter": claim_letter(refund, visit.merchant.name),
        "email": refund.intent.customer_email if may_see else "",
        "may_see_customers": may_see,
        "error": error,
    }
    return draw(request, visit, "dashboard/refunds/ask.html", context, status=400 if error else 200)
