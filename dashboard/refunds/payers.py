"""Who paid a payment, and the one button that sends each of them what it did not get back yet."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import ServiceError
from core.ids import parse_public_id
from core.money import ZERO_USD, to_decimal_string
from dashboard.finding import intent_of
from dashboard.page import draw
from dashboard.refunds.by_api import repay_call
from dashboard.refunds.form import KEY_FORM, minted_key
from dashboard.refunds.pages import payer_lines
from dashboard.refunds.words import beyond_words, unrefundable_words
from dashboard.visit import Visit
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.services.balance import NOTHING, Sum, balance
from payments.services.refund import is_refundable
from refunds.errors import SharesExceedBalance
from refunds.models import Refund
from refunds.services.create import refundable_usd
from refunds.services.repay import Repayment, RepayRequest, refuse_beyond, repay_payers, repayments
from refunds.shares import MOST_SHOWN, shares, unproven_usd
from refunds.states import R

UNCONFIRMED: Final = "Tick that the payers called these wallets their own. Nothing was sent."


def show_payers(request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """Show the payers; on the button, repay each its share. A refund that waits may be named, and is cancelled then."""
    intent = intent_of(visit, intent_id)
    given = (request.POST if request.method == "POST" else request.GET).get("instead_of", "")
    waiting, error = _waiting(visit, intent, given), ""
    if request.method == "POST":
        try:
            if "theirs" in request.POST:
                return _repaid(request, visit, intent, waiting)
            error = UNCONFIRMED
        except IntentNotSettled:
            error = unrefundable_words(intent)
        except ServiceError as refusal:
            error = refusal.message
    context = _context(intent, waiting) | {"error": error, "key": minted_key()}
    return draw(request, visit, "dashboard/refunds/payers.html", context, status=400 if error else 200)


def _context(intent: PaymentIntent, waiting: Refund | None) -> dict[str, object]:
    parts, planned, nobodys = shares(intent.pk), repayments(intent), unproven_usd(intent.pk)
    return {
        "intent": intent,
        "waiting": waiting,
        "payers": payer_lines(intent, parts),
        "more": max(len(parts) - MOST_SHOWN, 0),
        "most": MOST_SHOWN,
        "unproven_usd": to_decimal_string(nobodys) if nobodys else "",
        "planned": [(to_decimal_string(one.amount_usd), one.destination) for one in planned],
        "total_usd": to_decimal_string(sum((one.amount_usd for one in planned), ZERO_USD)),
        "received": to_decimal_string(intent.received_usd),
        "balance": to_decimal_string(refundable_usd(intent) if is_refundable(intent) else ZERO_USD),
        "barred": _why_not(intent, planned, waiting),
        "call": repay_call(intent.pk),
    }


def _why_not(intent: PaymentIntent, planned: Sequence[Repayment], waiting: Refund | None) -> str:
    """Why the button would be refused; empty where it works."""
    if not is_refundable(intent):
        return unrefundable_words(intent)
    freed = NOTHING if waiting is None else Sum(usd=waiting.amount_usd, units=waiting.base_units)
    try:
        if planned:
            refuse_beyond(balance(intent).available + freed, planned)
    except SharesExceedBalance as refusal:
        return beyond_words(refusal)
    return ""


def _repaid(request: HttpRequest, visit: Visit, intent: PaymentIntent, waiting: Refund | None) -> HttpResponse:
    """Repay, and say so. Why a key for each form: sent twice, it repays once. Raises: what ``repay_payers`` raises."""
    key = request.POST.get("key", "")
    key = key if KEY_FORM.fullmatch(key) else minted_key()
    repay_request = RepayRequest(
        intent_id=intent.pk,
        reason="" if waiting is None else waiting.reason,
        idempotency_key=key,
        fingerprint=sha256(f"payers\n{intent.pk}".encode()).hexdigest(),
        instead_of=None if waiting is None else waiting.pk,
    )
    made = repay_payers(visit.principal, repay_request)
    total = to_decimal_string(sum((one.amount_usd for one in made), ZERO_USD))
    word = "refund" if len(made) == 1 else "refunds"
    messages.success(request, f"{len(made)} {word} over ${total} in all: each payer gets its share back.")
    return redirect(visit.url("refunds"))


def _waiting(visit: Visit, intent: PaymentIntent, text: str) -> Refund | None:
    """The refund of this payment that waits for an address and is to be replaced, if one is named."""
    refund_id = parse_public_id(text)
    mine = Refund.objects.visible_to(visit.principal).filter(intent=intent, status=R.WAITING)
    found: Refund | None = None if refund_id is None else mine.filter(pk=refund_id).first()
    return found
