"""The hosted page: everything a reader needs is drawn here; scripts only add wallets."""

import json
from decimal import Decimal
from io import BytesIO
from typing import Any

import segno
from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from checkout.selectors import payer_state
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
        "qr_svg": page_qr(f"{settings.BASE_URL}/checkout/{intent.pk}"),
        "test_mode": intent.mode == Mode.TEST,
    }
    return _private(render(request, "checkout/page.html", variables))


def page_qr(address: str) -> SafeString:
    """The page's own address as a picture, drawn here so that it works without scripts."""
    drawing = BytesIO()
    segno.make(address, error="m").save(
        drawing, kind="svg", xmldecl=False, svgns=True, nl=False, border=2, omitsize=True
    )
    return mark_safe(drawing.getvalue().decode())  # noqa: S308 - drawn by the library from our own address


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
