"""The pages: what is for sale, the way to the checkout, and the order."""

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_POST

from counter.models import Order
from payments import PaymentError, RedirectNeeded

FORM = """<form method="post" action="{}">
<input type="hidden" name="csrfmiddlewaretoken" value="{}"><button>{}</button></form>"""
WORDS = {
    "waiting": "We wait for your payment.",
    "confirmed": "Paid. Thank you!",
    "rejected": "Not paid in time.",
    "cancelled": "Cancelled.",
    "refunded": "Your money is on its way back.",
}


@require_GET
def window(request: HttpRequest) -> HttpResponse:
    """What is for sale."""
    return HttpResponse(format_html(FORM, reverse("buy"), get_token(request), "Buy tea for $19.99"))


@require_POST
def buy(request: HttpRequest) -> HttpResponse:
    """A new order. The price is the server's, never the browser's."""
    order = Order.objects.create(variant="causeway", total="19.99", currency="USD", description="Tea")
    return redirect("pay", order.token)


@require_GET
def pay(request: HttpRequest, token: str) -> HttpResponse:
    """To the checkout. Called again, it leads to the same payment."""
    order = get_object_or_404(Order, token=token)
    try:
        order.get_form()
    except RedirectNeeded as leads_to:
        return redirect(str(leads_to))
    except PaymentError:
        return HttpResponse("We cannot take payments now. Try again in a minute.", status=503)
    raise AssertionError("the provider always leads away")


@require_GET
def order_page(request: HttpRequest, token: str) -> HttpResponse:
    """How the order stands, as signed webhooks say."""
    order = get_object_or_404(Order, token=token)
    text = "<h1>Order {}</h1><p>{}</p><p>{}</p>"
    return HttpResponse(format_html(text, order.pk, WORDS.get(order.status, order.status), order.message))
