"""What came with a payment and nobody asked for, and the button that gives it back as it came."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from chains.registry import chain
from core.errors import ServiceError
from core.ids import parse_public_id
from core.money import ZERO_USD, from_base_units, to_decimal_string
from dashboard.finding import intent_of
from dashboard.page import draw
from dashboard.refunds.by_api import stray_call
from dashboard.visit import Visit
from payments.models import PaymentIntent, stray_id_of
from payments.services.strays import standing_strays
from refunds.models import Refund
from refunds.services.create import NewRefund
from refunds.services.stray import give_stray_back
from refunds.states import RELEASED
from tokens.selectors import find_token


@dataclass(frozen=True, kw_only=True)
class StrayLine:
    """One stray as the page shows it. ``refund``: the one by which it goes, or went, back."""

    id: str
    what: str
    chain_name: str
    payer: str
    tx_hash: str
    is_final: bool
    refund: Refund | None


def show_strays(request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """Show the strays of a payment; on a button, give one back. Sent twice, it goes back once."""
    intent, error = intent_of(visit, intent_id), ""
    if request.method == "POST":
        stray_id = parse_public_id(request.POST.get("stray_id", ""))
        if stray_id is None:
            raise Http404
        try:
            made = give_stray_back(
                visit.principal, NewRefund(intent_id=intent.pk, amount_usd=ZERO_USD, stray_id=stray_id)
            )
        except ServiceError as refusal:
            error = refusal.message
        else:
            messages.success(request, "It goes back to the wallet that sent it, once its chain calls it final.")
            return redirect(visit.url("refund", refund_id=made.pk))
    lines = _lines(intent)
    context = {"intent": intent, "lines": lines, "error": error}
    context |= {"call": stray_call(intent.pk, lines[0].id)} if lines else {}
    return draw(request, visit, "dashboard/refunds/strays.html", context, status=400 if error else 200)


def has_strays(intent: PaymentIntent) -> bool:
    """Whether something came that was not asked for and stands. Why no button on the payment: it asks enough."""
    return bool(standing_strays(intent))


def _lines(intent: PaymentIntent) -> list[StrayLine]:
    credits = standing_strays(intent)
    back = Refund.objects.filter(stray__in=credits).exclude(status__in=RELEASED).order_by("created_at", "pk")
    by_stray = {refund.stray_id: refund for refund in back}
    lines = []
    for credit in credits:
        token, known = find_token(credit.chain, credit.token_address), chain(credit.chain)
        what = "A token that is on no list"
        if token is not None:
            what = f"{to_decimal_string(from_base_units(credit.base_units, token.decimals), 0)} {token.symbol}"
        lines.append(
            StrayLine(
                id=str(stray_id_of(intent.pk, credit.pk)),
                what=what,
                chain_name=credit.chain if known is None else known.display_name,
                payer=credit.payer,
                tx_hash=credit.tx_hash,
                is_final=credit.finalized_at is not None,
                refund=by_stray.get(credit.pk),
            )
        )
    return lines
