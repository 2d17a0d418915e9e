"""A shop in one file: it makes the payment on its server, shows the checkout in its page, and believes webhooks alone.

Run it beside the service, with the keys that the service prints:

    CAUSEWAY_API_KEY=sk_test_… CAUSEWAY_PUBLISHABLE_KEY=pk_test_… CAUSEWAY_WEBHOOK_SECRET=whsec_… python shop.py
"""

import hashlib
import hmac
import json
import os
import re
import time
import uuid
from urllib.request import Request, urlopen
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_POST

SERVICE = os.environ.get("CAUSEWAY_BASE_URL", "http://localhost:8000")
SECRET_KEY = os.environ["CAUSEWAY_API_KEY"]
PUBLISHABLE_KEY = os.environ["CAUSEWAY_PUBLISHABLE_KEY"]
WEBHOOK_SECRET = os.environ.get("CAUSEWAY_WEBHOOK_SECRET", "")
PORT = int(os.environ.get("PORT", "3001"))
POLICY = (
    f"default-src 'none'; script-src {SERVICE}; connect-src {SERVICE}; frame-src {SERVICE}; img-src data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title><link rel="icon" href="data:,"><script defer src="{}/embed/v1.js"></script></head>
<body><main><h1>{}</h1>{}</main></body></html>"""

paid: dict[str, bool] = {}
"""Your database: the orders by payment intent, and whether a webhook said that they are paid."""


def window(request: HttpRequest) -> HttpResponse:
    """What is for sale."""
    return _page("Tea", mark_safe('<form method="post" action="/buy"><button>Buy for $4</button></form>'))  # noqa: S308 - our own words


@require_POST
def buy(request: HttpRequest) -> HttpResponse:
    """Make the payment: the price is the server's, never the browser's."""
    intent = _create_intent(amount=4, order=str(uuid.uuid4()))
    paid[intent] = False
    return HttpResponseRedirect(f"/orders/{intent}")


def order(request: HttpRequest, intent: str) -> HttpResponse:
    """The checkout in the shop's page, until a webhook said that the order is paid."""
    if intent not in paid:
        raise Http404
    if paid[intent]:
        return _page("Thank you", mark_safe("<p>Your tea is on its way.</p>"))  # noqa: S308 - our own words
    element = '<causeway-checkout key="{}" intent="{}"></causeway-checkout><p><a href="">Look again</a></p>'
    return _page("Pay for your tea", format_html(element, PUBLISHABLE_KEY, intent))


@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Believe only what is signed: docs/guides/webhooks.md."""
    if not _is_genuine(request.body, request.headers.get("Svc-Signature", "")):
        return HttpResponse(status=401)
    event = json.loads(request.body)
    if event["type"] == "payment_intent.settled" and event["data"]["id"] in paid:
        paid[event["data"]["id"]] = True
    return HttpResponse(status=204)


def _create_intent(amount: int, order: str) -> str:
    """The id of a new payment intent. Sent again with the same order, it makes no second one."""
    body = json.dumps({"amount": amount, "reference": f"tea-{order[:8]}", "metadata": {"order": order}}).encode()
    headers = {
        "Authorization": f"Bearer {SECRET_KEY}",
        "Content-Type": "application/json",
        "Idempotency-Key": order,
    }
    request = Request(f"{SERVICE}/api/public/v1/payment-intents", body, headers)  # noqa: S310 - our own address
    with urlopen(request, timeout=10) as answer:  # noqa: S310 - our own address
        return str(json.load(answer)["id"])


def _is_genuine(body: bytes, header: str) -> bool:
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(header) > 4096 or not all(equals for _, equals, _ in parts):  # noqa: PLR2004 - longer than any of ours
        return False
    if not WEBHOOK_SECRET.strip() or len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]):
        return False
    expected = hmac.new(WEBHOOK_SECRET.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest().encode()
    given = [value.encode(errors="replace") for name, _, value in parts if name == "v1"]
    is_signed = any(hmac.compare_digest(expected, value) for value in given)
    return is_signed and abs(time.time() - int(times[0])) <= 300  # noqa: PLR2004 - five minutes


def _page(title: str, body: SafeString) -> HttpResponse:
    response = HttpResponse(format_html(PAGE, title, SERVICE, title, body))
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cache-Control"] = "no-store"
    return response


urlpatterns = [
    path("", window),
    path("buy", buy),
    path("orders/<str:intent>", order),
    path("webhook", webhook),
]

if __name__ == "__main__":
    settings.configure(
        SECRET_KEY=uuid.uuid4().hex, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["localhost", "127.0.0.1"], USE_TZ=True
    )
    server = make_server("127.0.0.1", PORT, get_wsgi_application())
    print(f"The shop is open at http://127.0.0.1:{PORT}/", flush=True)
    server.serve_forever()
