"""The receipt at its permanent address: drawn here as a whole, without any script, and true at every moment."""

from typing import Any, Final

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from checkout.brand import Brand, shown_brand
from checkout.qr import drawn
from checkout.receipt import Receipt, receipt_of
from checkout.selectors import branding_of
from checkout.services.receipt_mail import Outcome, form_mark, mail_receipt
from core.buckets import Limit
from core.caller import client_address
from core.errors import NotFound, RateLimited
from core.language import speaks_payers_language
from core.rate_limits import take
from core.throttling import address_bucket
from payments.models import PaymentIntent
from payments.selectors import intent_id_from, public_intent

TRUSTED_TYPES = {"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}
LIMITS = (Limit(count=120, window_seconds=60),)
TOO_MANY: Final = "too_many"
STATUSES: Final = {
    Outcome.SENT: 200,
    Outcome.BAD_ADDRESS: 400,
    Outcome.FORM_OLD: 403,
    Outcome.NOTHING_PAID: 409,
}


@csrf_exempt  # why: no cookie lets anybody in here, and the form carries a signed mark of its own
@require_http_methods(["GET", "HEAD", "POST"])
@csp_update(TRUSTED_TYPES)  # type: ignore[arg-type]  # the library types views without their path words
@speaks_payers_language
def receipt_page(request: HttpRequest, intent_id: str) -> HttpResponse:
    """The receipt, and its mail. Why no session and no cookie: the link is the permission, as on the checkout page."""
    caller = address_bucket(client_address(request))
    try:
        take(f"receipt:{caller}", LIMITS)
        intent = public_intent(intent_id_from(intent_id))
    except RateLimited as refusal:
        return _private(render(request, "checkout/too_often.html", status=429), **refusal.headers)
    except NotFound:
        return _private(render(request, "checkout/not_found.html", status=404))
    brand, receipt = shown_brand(branding_of(intent.merchant_id), intent.merchant.name), receipt_of(intent)
    if request.method == "POST":
        return _mailed(request, intent, receipt, brand, caller)
    return _private(_drawn(request, intent, receipt, brand))


def _mailed(request: HttpRequest, intent: PaymentIntent, receipt: Receipt, brand: Brand, caller: str) -> HttpResponse:
    """The receipt, with what became of the request to have it mailed. What was typed is not shown again."""
    form = {"to": request.POST.get("email", "").strip(" "), "mark": request.POST.get("form", "")}
    try:
        outcome = mail_receipt(intent, receipt, brand.name, **form, caller=caller)
    except RateLimited as refusal:
        answer = _drawn(request, intent, receipt, brand, mail=TOO_MANY, status=429)
        return _private(answer, **refusal.headers)
    return _private(_drawn(request, intent, receipt, brand, mail=outcome.value, status=STATUSES[outcome]))


def _drawn(request: HttpRequest, intent: PaymentIntent, receipt: Receipt, brand: Brand, *, mail: str = "",
           status: int = 200) -> HttpResponse:  # fmt: skip
    variables: dict[str, Any] = {
        "receipt": receipt,
        "brand": brand,
        "qr_svg": drawn(receipt.url),
        "form_mark": form_mark(intent.pk) if receipt.has_money else "",
        "mail": mail,
    }
    return render(request, "checkout/receipt.html", variables, status=status)


def _private(response: HttpResponse, **headers: str) -> HttpResponse:
    for name, value in {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", **headers}.items():
        response.headers[name] = value
    return response
