"""The hosted page: everything a reader needs is drawn here; scripts only add wallets."""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from urllib.parse import quote, urlsplit

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from chains.registry import Family, chain
from checkout.admission import is_refused_payment
from checkout.brand import shown_brand
from checkout.qr import drawn
from checkout.selectors import branding_of, payer_state
from checkout.shapes import PayerStateShape
from checkout.views.access import issue_token
from checkout.views.programs import asks_as_program, pay_by_program
from checkout.words.catalogue import opening_words, words_path
from core.errors import NotFound
from core.json_column import ExactEncoder
from core.language import language_now, speaks_payers_language
from core.modes import Mode
from core.renderers import to_json
from payments.models import PaymentIntent
from payments.selectors import bridges_from, intent_id_from, public_intent, scenarios_for_payers
from payments.states import INTENT_MACHINE

TRUSTED_TYPES = {"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}


@require_safe
def checkout_address(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The one address of a payment: its page for people, and for programs what x402 asks for. Source: docs/adr/0114."""
    is_program = request.method == "GET" and asks_as_program(request)
    answer = pay_by_program(request, intent_id) if is_program else _page(request, intent_id)
    patch_vary_headers(answer, ["Accept"])
    return answer


@csp_update(TRUSTED_TYPES)  # type: ignore[arg-type]  # the library types views without their path words
@speaks_payers_language
def hosted_page(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The payer's page. Why no session and no cookie: the link is the permission, the token the proof."""
    try:
        intent = public_intent(intent_id_from(intent_id))
    except NotFound:
        return kept_nowhere(render(request, "checkout/not_found.html", status=404))
    if is_refused_payment(intent):
        return kept_nowhere(render(request, "checkout/suspended.html", status=403))
    variables = page_variables(intent, {"checkout_token": issue_token(intent.pk)})
    return kept_nowhere(render(request, "checkout/page.html", variables))


_page: Callable[[HttpRequest, str], HttpResponse] = hosted_page  # type: ignore[assignment]  # as above


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


def _island(intent: PaymentIntent, state: PayerStateShape, place: Mapping[str, object]) -> SafeString:
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


def wallet_apps(page: str) -> list[tuple[str, str]]:
    """Wallet apps on a phone: each one's name, and the address that opens this page in its own browser.

    Source: https://docs.phantom.com, https://docs.metamask.io and their like, deep links.
    """
    parts = urlsplit(page)
    address, site = quote(page, safe=""), quote(f"{parts.scheme}://{parts.netloc}", safe="")
    return [
        ("MetaMask", f"https://metamask.app.link/dapp/{parts.netloc}{parts.path}"),
        ("Base", f"https://go.cb-w.com/dapp?cb_url={address}"),
        ("Trust Wallet", f"https://link.trustwallet.com/open_url?coin_id=60&url={address}"),
        ("Rainbow", f"https://rnbwapp.com/dapp?url={address}"),
        ("Phantom", f"https://phantom.app/ul/browse/{address}?ref={site}"),
        ("Solflare", f"https://solflare.com/ul/v1/browse/{address}?ref={site}"),
    ]


def transaction_request(intent: PaymentIntent) -> str | None:
    """The ``solana:`` link of a live intent; None where no payer on Solana could use it.

    Source: https://docs.solanapay.com/spec, transaction requests.
    Why only https: wallets refuse any other address. Never a transfer request: without a leg's reference its
    payment could not be told from a stranger's.
    """
    if intent.mode != Mode.LIVE or intent.status in INTENT_MACHINE.terminal:
        return None
    if not settings.BASE_URL.startswith("https://") or not settings.RPC_URLS["solana"]:
        return None
    known = chain(intent.settlement_chain)
    is_there = known is not None and known.family is Family.SOLANA
    if not is_there and not bridges_from("solana"):
        return None
    return "solana:" + quote(f"{settings.BASE_URL}/api/public/v1/checkout/{intent.pk}/solana-pay", safe="")
