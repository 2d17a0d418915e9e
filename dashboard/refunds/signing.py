"""The page on which a merchant's own wallet sends a refund, and what its script asks and tells.

Everything is stored and answered at once; a worker does what needs a network, and the page asks again.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from chains.models import Transfer
from chains.registry import Family, chain, explorer_tx_url
from chains.transfers import RailName
from chains.wallets import Stage, wallet_observation
from core.errors import ServiceError
from dashboard.page import draw
from dashboard.refunds.pages import refund_line, refund_of
from dashboard.refunds.words import REFUSED, STAGES
from dashboard.visit import Visit
from merchants.principal import Principal
from refunds.models import Refund
from refunds.services import wallet
from refunds.states import R

Tell = Callable[[Principal, Refund, str], Transfer]
ACTIONS: dict[str, tuple[str, Tell]] = {
    "offer": ("sender", wallet.offer_to_wallet),
    "sent": ("tx_hash", wallet.tell_hash),
    "signed": ("signed_transaction", wallet.tell_signed),
    "authorized": ("signature", wallet.tell_authorization),
}
"""What the script may tell, under which name of the form."""


def sign_refund(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """What will happen, and the wallet that does it."""
    refund = _wallet_refund(visit, refund_id)
    known = chain(refund.chain)
    context = {
        "line": refund_line(refund),
        "family": known.family.value if known is not None else Family.EVM.value,
        "sight": wallet_state_body(refund),
        "wallet_url": visit.url("refund_wallet", refund_id=refund.pk),
    }
    return draw(request, visit, "dashboard/refunds/sign.html", context)


def wallet_state(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """How the refund stands with its wallet, for the page's script."""
    return JsonResponse(wallet_state_body(_wallet_refund(visit, refund_id)))


def wallet_action(request: HttpRequest, visit: Visit, refund_id: UUID, action: str) -> HttpResponse:
    """Store what the page's script tells; how it stands then. Refusals carry their code and a sentence."""
    if request.method != "POST" or action not in ACTIONS:
        raise Http404
    refund, (name, tell) = _wallet_refund(visit, refund_id), ACTIONS[action]
    try:
        tell(visit.principal, refund, request.POST.get(name, ""))
    except ServiceError as refusal:
        return JsonResponse({"code": refusal.code, "message": refusal.message}, status=refusal.http_status)
    return JsonResponse(wallet_state_body(_wallet_refund(visit, refund_id)))


def state_not_signed(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Ask for the merchant's word that no wallet signed it, and take back what was shown.

    Why identity is asked for again: nothing on a chain proves this. Source: docs/design/sending.md, What a wallet was
    shown.
    """
    refund = _wallet_refund(visit, refund_id)
    if request.method != "POST" or "not_signed" not in request.POST:
        return draw(request, visit, "dashboard/refunds/unsigned.html", {"line": refund_line(refund)})
    try:
        wallet.state_unsigned(visit.principal, refund)
    except ServiceError as refusal:
        messages.error(request, refusal.message)
        return redirect(visit.url("sign_refund", refund_id=refund.pk))
    messages.success(request, "Taken back. You can send it from a wallet again, or cancel the refund.")
    return redirect(visit.url("refund", refund_id=refund.pk))


def wallet_state_body(refund: Refund) -> dict[str, Any]:
    """What the page's script is told. ``stage`` says what is next, and whose turn it is."""
    if refund.transfer is None:
        raise Http404
    observation = wallet_observation(refund.transfer)
    # Why: the transfer may be a moment ahead of the refund, and paid must mean that everybody says so.
    is_ahead = observation.stage is Stage.PAID and refund.status != R.PAID
    stage = Stage.CONFIRMING if is_ahead else observation.stage
    refused = None if observation.refused is None else REFUSED[observation.refused.code.value]
    return {
        "stage": stage.value,
        **STAGES[stage]._asdict(),
        "sender": observation.sender,
        "unsigned": observation.unsigned,
        "refused": {"code": observation.refused.code.value, **refused._asdict()}
        if observation.refused and refused
        else None,
        "tx_hash": observation.tx_hash,
        "tx_url": explorer_tx_url(refund.chain, observation.tx_hash) if observation.tx_hash else None,
        "can_state": observation.can_state,
        "ends_at": observation.ends_at,
    }


def _wallet_refund(visit: Visit, refund_id: UUID) -> Refund:
    """A refund that a wallet sends or sent. Raises: Http404."""
    refund = refund_of(visit, refund_id)
    if refund.rail != RailName.MERCHANT_WALLET or refund.transfer is None:
        raise Http404
    return refund
