"""A refund in two clicks: look at what the payer will see, then send it."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from chains.registry import chain
from core.errors import ServiceError
from core.modes import Mode
from core.money import ZERO_USD, UsdAmount, from_base_units, json_number, to_decimal_string
from dashboard.finding import intent_of
from dashboard.page import draw
from dashboard.refunds.by_api import create_call
from dashboard.refunds.form import RefundForm, blank_form, read_form
from dashboard.refunds.pages import payer_lines
from dashboard.refunds.strays import has_strays
from dashboard.refunds.words import unrefundable_words
from dashboard.visit import Visit
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.services.refund import is_refundable, may_be_sent_back
from refunds.models import MAX_REASON, Refund
from refunds.payer_words import ON_ITS_WAY, PAID, WAITS, PayerWords
from refunds.services.create import (
    create_refund_once,
    drafted_refund,
    paid_out_usd,
    refund_made_before,
    refundable_usd,
    suggested_payer,
)
from refunds.shapes import destination_tail
from refunds.shares import shares
from refunds.states import R

_MINUTE, _SHORT = 60, 90


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A refund that does not exist yet, in words."""

    refund: Refund
    usd: str
    amount: str
    chain_name: str
    tail: str
    asks_payer: bool
    by_policy: bool
    typical_time: str
    status_now: PayerWords
    status_paid: PayerWords


def preview_of(draft: Refund, *, typed: str) -> Preview:
    """What will be seen of a drafted refund, by merchant and payer."""
    known = chain(draft.chain)
    return Preview(
        refund=draft,
        usd=to_decimal_string(draft.amount_usd),
        amount=f"{to_decimal_string(from_base_units(draft.base_units, draft.token_decimals))} {draft.token}",
        chain_name=draft.chain if known is None else known.display_name,
        tail=destination_tail(draft),
        asks_payer=not draft.destination,
        by_policy=bool(draft.destination) and not typed,
        typical_time=typical_time(draft),
        status_now=ON_ITS_WAY if draft.destination else WAITS,
        status_paid=PAID,
    )


def typical_time(draft: Refund) -> str:
    """How long it takes once it is sent. Units: blocks of its chain until they count, as seconds."""
    known = chain(draft.chain)
    if draft.mode == Mode.TEST or known is None:
        return "a few seconds, simulated"
    seconds = int(known.confirmations_required * known.block_seconds)
    return "about a minute" if seconds <= _SHORT else f"about {-(-seconds // _MINUTE)} minutes"


SEND = "send"
"""What the second button says in ``step``; anything else looks."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What the page draws. ``refusal`` is why nothing can be sent like that."""

    form: RefundForm
    preview: Preview | None = None
    refusal: str = ""


def new_refund(request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """Fill in, look, send. Why the preview is drawn by a POST: what was typed belongs into no log of addresses."""
    intent = intent_of(visit, intent_id)
    balance = refundable_usd(intent) if is_refundable(intent) else ZERO_USD
    if request.method != "POST":
        offered = balance or _paid_out(intent)
        return _page(request, visit, intent, balance, Desk(form=blank_form(offered, request.GET)))
    form = read_form(request.POST.dict())
    if form.faults:
        return _page(request, visit, intent, balance, Desk(form=form))
    try:
        # Made now where the form was sent, made before where the form is old.
        make = create_refund_once if request.POST.get("step") == SEND else refund_made_before
        made = make(visit.principal, form.of(intent.pk))
        if made is not None:
            return _sent(request, visit, made)
        preview = preview_of(drafted_refund(visit.principal, form.of(intent.pk)), typed=form.destination)
    except ServiceError as refusal:
        words = unrefundable_words(intent) if isinstance(refusal, IntentNotSettled) else refusal_message(refusal)
        return _page(request, visit, intent, balance, Desk(form=form, refusal=words))
    return _page(request, visit, intent, balance, Desk(form=form, preview=preview))


def refusal_message(refusal: ServiceError) -> str:
    """A refusal as one sentence: what its first field says, where it names fields."""
    fields = refusal.details.get("fields")
    return str(fields[0]["message"]) if fields else refusal.message


def _sent(request: HttpRequest, visit: Visit, made: Refund) -> HttpResponse:
    dollars = to_decimal_string(made.amount_usd)
    waits = made.status == R.WAITING
    messages.success(
        request,
        f"The refund of ${dollars} is made. It waits for an address: send the payer its link, or say where it goes."
        if waits
        else f"The refund of ${dollars} is made and on its way.",
    )
    return redirect(visit.url("refund", refund_id=made.pk))


def _page(request: HttpRequest, visit: Visit, intent: PaymentIntent, balance: UsdAmount, desk: Desk) -> HttpResponse:
    form = desk.form
    elsewhere = _paid_out(intent)
    amount = json_number(form.amount_usd or balance)
    context = {
        "intent": intent,
        "desk": desk,
        "form": form,
        "received": to_decimal_string(intent.received_usd),
        "platform_fee": to_decimal_string(intent.platform_fee_usd) if intent.platform_fee_usd else "",
        "balance": to_decimal_string(balance),
        "paid_out": to_decimal_string(elsewhere) if elsewhere else "",
        "barred": "" if balance > ZERO_USD or elsewhere else unrefundable_words(intent),
        "offered": suggested_payer(intent, form.amount_usd or balance),
        "payers": payer_lines(intent, shares(intent.pk)),
        "is_final": may_be_sent_back(intent),
        "has_strays": has_strays(intent),
        "longest_reason": MAX_REASON,
        "call": create_call(intent.pk, amount, form.destination, form.reason),
    }
    is_wrong = bool(form.faults or desk.refusal)
    return draw(request, visit, "dashboard/refunds/new.html", context, status=400 if is_wrong else 200)


def _paid_out(intent: PaymentIntent) -> UsdAmount:
    """What a refund can only take from other funds of the merchant's."""
    return paid_out_usd(intent) if is_refundable(intent) else ZERO_USD
