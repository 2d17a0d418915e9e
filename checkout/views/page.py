"""The hosted page: everything a reader needs is drawn here; scripts only add wallets."""

import json
from decimal import Decimal
from io import BytesIO
from typing import Any

import segno
from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.shortcuts import render
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from checkout.selectors import payer_state
from checkout.solana_pay import transaction_request
from checkout.views.access import issue_token
from core.errors import NotFound
from core.json_column import ExactEncoder
from core.modes import Mode
from core.renderers import to_json
from payments.models import PaymentIntent
from payments.selectors import intent_id_from, public_intent, scenarios

TRUSTED_TYPES = {"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}


@require_safe
@csp_update(TRUSTED_TYPES)  # type: ignore[arg-type]  # the library types views without their path words
def hosted_page(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The payer's page. Why no session and no cookie: the link is the permission, the token the proof."""
    try:
        intent = public_intent(intent_id_from(intent_id))
    except NotFound:
        return _private(render(request, "checkout/not_found.html", status=404))
    state = payer_state(intent)
    variables = {
        "state": state,
        "island": _island(intent, state),
        "qr_svg": mark_safe(_drawn(f"{settings.BASE_URL}/checkout/{intent.pk}")),  # noqa: S308 - our own drawing
        "solana_link": transaction_request(intent),
        "test_mode": intent.mode == Mode.TEST,
    }
    return _private(render(request, "checkout/page.html", variables))


@require_safe
def solana_qr(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The Solana Pay link of an intent as a picture. Why apart from the page: most payers never open it."""
    try:
        link = transaction_request(public_intent(intent_id_from(intent_id)))
    except NotFound:
        link = None
    if link is None:
        return _private(HttpResponseNotFound())
    return _private(HttpResponse(_drawn(link), content_type="image/svg+xml"))


def _drawn(address: str) -> str:
    """An address as a QR code, drawn here so that it works without scripts."""
    drawing = BytesIO()
    segno.make(address, error="m").save(
        drawing, kind="svg", xmldecl=False, svgns=True, nl=False, border=2, omitsize=True
    )
    return drawing.getvalue().decode()


def _island(intent: PaymentIntent, state: dict[str, Any]) -> SafeString:
    """What the scripts start from, as a JSON block with exact numbers."""
    is_test = intent.mode == Mode.TEST
    offered = [scenario for scenario in scenarios().values() if scenario.for_payers] if is_test else []
    context = {
        "intent_id": str(intent.pk),
        "api_base": f"/api/public/v1/checkout/{intent.pk}",
        "checkout_token": issue_token(intent.pk),
        "mode": intent.mode,
        "state": state,
        "scenarios": [
            {"name": scenario.name, "label": scenario.label, "outcome": scenario.outcome} for scenario in offered
        ],
        "locale": "en",
    }
    exact = json.loads(to_json(context), parse_float=Decimal)
    return json_script(exact, "checkout-context", encoder=ExactEncoder)


def _private(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    return response
