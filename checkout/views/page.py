"""The hosted page: everything a reader needs is drawn here; scripts only add wallets."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.shortcuts import render
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from checkout.brand import shown_brand
from checkout.qr import drawn
from checkout.selectors import branding_of, payer_state
from checkout.solana_pay import transaction_request
from checkout.views.access import issue_token
from checkout.wallet_apps import wallet_apps
from checkout.words.catalogue import opening_words, words_path
from core.errors import NotFound
from core.json_column import ExactEncoder
from core.language import language_now, speaks_payers_language
from core.modes import Mode
from core.renderers import to_json
from payments.models import PaymentIntent
from payments.selectors import intent_id_from, public_intent, scenarios_for_payers

TRUSTED_TYPES = {"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}


@require_safe
@csp_update(TRUSTED_TYPES)  # type: ignore[arg-type]  # the library types views without their path words
@speaks_payers_language
def hosted_page(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The payer's page. Why no session and no cookie: the link is the permission, the token the proof."""
    try:
        intent = public_intent(intent_id_from(intent_id))
    except NotFound:
        return kept_nowhere(render(request, "checkout/not_found.html", status=404))
    variables = page_variables(intent, {"checkout_token": issue_token(intent.pk)})
    return kept_nowhere(render(request, "checkout/page.html", variables))


def page_variables(intent: PaymentIntent, place: Mapping[str, object]) -> dict[str, object]:
    """What the page is drawn from, hosted or in a frame. ``place``: what its scripts learn of where they run."""
    state = payer_state(intent)
    address = f"{settings.BASE_URL}/checkout/{intent.pk}"
    return {
        "state": state,
        "brand": shown_brand(branding_of(intent.merchant_id), intent.merchant.name),
        "island": _island(intent, state, place),
        "qr_svg": drawn(address),
        "wallet_apps": wallet_apps(address),
        "solana_link": transaction_request(intent),
        "test_mode": intent.mode == Mode.TEST,
        "scenarios": scenarios_for_payers(),
        "played": intent.metadata.get("simulate"),
    }


@require_safe
def solana_qr(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The Solana Pay link of an intent as a picture. Why apart from the page: most payers never open it."""
    try:
        link = transaction_request(public_intent(intent_id_from(intent_id)))
    except NotFound:
        link = None
    if link is None:
        return kept_nowhere(HttpResponseNotFound())
    return kept_nowhere(HttpResponse(drawn(link), content_type="image/svg+xml"))


def _island(intent: PaymentIntent, state: dict[str, Any], place: Mapping[str, object]) -> SafeString:
    """What the scripts start from, as a JSON block with exact numbers."""
    context = {
        "intent_id": str(intent.pk),
        "api_base": f"/api/public/v1/checkout/{intent.pk}",
        **place,
        "mode": intent.mode,
        "state": state,
        "locale": language_now().locale,
        "words": opening_words(),
        "words_url": words_path(language_now().code),
    }
    exact = json.loads(to_json(context), parse_float=Decimal)
    return json_script(exact, "checkout-context", encoder=ExactEncoder)


def kept_nowhere(response: HttpResponse) -> HttpResponse:
    """An answer that no cache may keep: it says how a payment stands."""
    response.headers["Cache-Control"] = "no-store"
    return response
