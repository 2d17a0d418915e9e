"""The payer's page behind the claim link: how the refund stands, and while it waits, where its payer signs.

Drawn here for readers; scripts only speak to wallets. Nothing of the merchant or of another payer is on it.
"""

from typing import Any

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from chains.registry import Family, chain, explorer_tx_url
from core.buckets import Limit
from core.caller import client_address
from core.errors import NotFound, RateLimited
from core.language import speaks_payers_language
from core.modes import Mode
from core.money import from_base_units
from core.rate_limits import take
from core.throttling import address_bucket
from refunds.claim_words import spoken_words
from refunds.models import Refund
from refunds.payer_words import payer_words
from refunds.selectors import public_refund
from refunds.shapes import destination_tail
from refunds.states import PUBLIC_STATUS, REFUND_MACHINE, R

TRUSTED_TYPES = {"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}
LIMITS = (Limit(count=60, window_seconds=60),)


@require_safe
@csp_update(TRUSTED_TYPES)  # type: ignore[arg-type]  # the library types views without their path words
@speaks_payers_language
def claim_page(request: HttpRequest, refund_id: str) -> HttpResponse:
    """The page. Why no session and no cookie: the link lets one look, and a wallet's signature is what counts."""
    try:
        take(f"claim_page:{address_bucket(client_address(request))}", LIMITS)
        refund = public_refund(refund_id)
    except RateLimited as refusal:
        return _private(render(request, "checkout/too_often.html", status=429), **refusal.headers)
    except NotFound:
        return _private(render(request, "claim/not_found.html", status=404))
    return _private(render(request, "claim/page.html", {"refund": refund, **_shown(refund)}))


def _shown(refund: Refund) -> dict[str, Any]:
    """What the template draws, and what the script starts from. Source: specification, Refund public status view."""
    known, waits = chain(refund.chain), REFUND_MACHINE.allows(refund.status, "address")
    status = PUBLIC_STATUS[R(refund.status)]
    is_live = refund.mode == Mode.LIVE
    return {
        "words": payer_words(refund),
        "waits": waits,
        "status": status,
        "test_mode": not is_live,
        "amount": from_base_units(refund.base_units, refund.token_decimals),
        "chain_name": refund.chain if known is None else known.display_name,
        "tail": destination_tail(refund),
        "tx_url": explorer_tx_url(refund.chain, refund.tx_hash) if is_live and refund.tx_hash else "",
        "island": {
            "refund": str(refund.pk),
            "mode": refund.mode,
            "family": Family.EVM.value if known is None else known.family.value,
            "chainName": refund.chain if known is None else known.display_name,
            "status": status,
            "waits": waits,
            "terminal": refund.status in REFUND_MACHINE.terminal,
            "words": spoken_words() if waits else {},
        },
    }


def _private(response: HttpResponse, **headers: str) -> HttpResponse:
    for name, value in {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", **headers}.items():
        response.headers[name] = value
    return response
