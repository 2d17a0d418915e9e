"""The shop's pages and its webhook receiver.

``DEMO_SHOP`` switches all of it on or off; before anybody opened the shop there is a closed sign.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from uuid import UUID

from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from checkout.demo import selectors
from checkout.demo.models import DemoDelivery, DemoOrder, DemoShop, Verdict
from checkout.demo.products import PRODUCTS
from checkout.demo.services import WEBHOOK_PATH, Received, order_number, place_order, receive
from payments.selectors import scenarios

POLICY = {
    "require-trusted-types-for": ["'script'"],
    "trusted-types": ["'none'"],
    "form-action": [settings.BASE_URL],
}
"""Why the base address: buying leads to the checkout page, which may have another name than this page was asked by."""
EMBEDDING = POLICY | {name: [settings.BASE_URL] for name in ("script-src", "connect-src", "frame-src")}
"""What a merchant's own policy has to allow for the embedded checkout, and no more."""

BYTES_SHOWN = 4096
NEVER_SHOWN = frozenset({"Cookie", "Authorization"})
"""Why: anybody may post here, and the shop's pages show what came."""

ShopPage = Callable[..., HttpResponse]


def of_the_open_shop(page: ShopPage) -> ShopPage:
    """Give a page the shop. 404 where demo shops are switched off, a closed sign where none was opened."""

    @wraps(page)
    def with_shop(request: HttpRequest, **words: Any) -> HttpResponse:
        if not settings.DEMO_SHOP:
            raise Http404
        shop = selectors.current_shop()
        if shop is None:
            return render(request, "demo/closed.html", status=503)
        return page(request, shop, **words)

    return cast("ShopPage", never_cache(csp_update(POLICY)(with_shop)))  # the library forgets the path's words


@require_safe
@of_the_open_shop
def shop_window(request: HttpRequest, shop: DemoShop) -> HttpResponse:
    """What is for sale, what was bought, and what came in."""
    context = {
        "merchant": shop.merchant,
        "products": PRODUCTS.values(),
        "scenarios": [scenario for scenario in scenarios().values() if scenario.for_payers],
        "orders": [_order_line(order) for order in selectors.latest_orders(shop)],
        "deliveries": [_delivery_view(delivery) for delivery in selectors.latest_deliveries(shop)],
        "receiver": settings.BASE_URL + WEBHOOK_PATH,
    }
    return render(request, "demo/shop.html", context)


@require_POST
@of_the_open_shop
def buy(request: HttpRequest, shop: DemoShop) -> HttpResponse:
    """Create the order and send the payer to the hosted checkout."""
    return redirect(f"{settings.BASE_URL}/checkout/{_ordered(request, shop).intent_id}")


@require_POST
@of_the_open_shop
def buy_here(request: HttpRequest, shop: DemoShop) -> HttpResponse:
    """Create the order and let it be paid on a page of the shop."""
    return redirect("demo-pay-here", order_id=_ordered(request, shop).pk)


def _ordered(request: HttpRequest, shop: DemoShop) -> DemoOrder:
    """The order that a form asks for. Raises: Http404 for what is not sold."""
    product = PRODUCTS.get(request.POST.get("product", ""))
    if product is None:
        raise Http404
    scenario = request.POST.get("scenario", "")
    return place_order(shop, product, scenario if scenario in scenarios() else "")


@require_safe
@csp_update(EMBEDDING)
@of_the_open_shop
def pay_here(request: HttpRequest, shop: DemoShop, order_id: UUID) -> HttpResponse:
    """The checkout inside a page of the shop, which goes on when a webhook ended the order."""
    order = get_object_or_404(DemoOrder, pk=order_id, shop=shop)
    if order.paid_at or order.ended_as:
        return redirect("demo-order", order_id=order.pk)
    context = {
        "merchant": shop.merchant,
        "line": _order_line(order),
        "publishable_key": selectors.publishable_key_of(shop),
        "embed_script": f"{settings.BASE_URL}/embed/v1.js",
        "checkout_url": f"{settings.BASE_URL}/checkout/{order.intent_id}",
    }
    return render(request, "demo/pay_here.html", context)


@require_safe
@of_the_open_shop
def order_page(request: HttpRequest, shop: DemoShop, order_id: UUID) -> HttpResponse:
    """One order and every request that came about it."""
    order = get_object_or_404(DemoOrder, pk=order_id, shop=shop)
    context = {
        "merchant": shop.merchant,
        "line": _order_line(order),
        "news": _news(order),
        "deliveries": [_delivery_view(delivery) for delivery in selectors.deliveries_of(order)],
        "checkout_url": f"{settings.BASE_URL}/checkout/{order.intent_id}",
        "source": selectors.verifying_source(),
    }
    return render(request, "demo/order.html", context)


@require_safe
@of_the_open_shop
def order_news(request: HttpRequest, shop: DemoShop, order_id: UUID) -> HttpResponse:
    """How many requests came about an order: the page draws itself anew when there are more; and whether it is over."""
    order = get_object_or_404(DemoOrder, pk=order_id, shop=shop)
    return JsonResponse({"news": _news(order), "over": bool(order.paid_at or order.ended_as)})


@csrf_exempt
@require_POST
@of_the_open_shop
def webhook(request: HttpRequest, shop: DemoShop) -> HttpResponse:
    """Receive events. Source: specification, Events 6 (2xx for an accepted request, 401 for a refused one)."""
    headers = {name: value for name, value in request.headers.items() if name not in NEVER_SHOWN}
    delivery = receive(shop, Received(headers=headers, raw_body=request.body))
    answer = {"received": delivery.verdict != Verdict.REFUSED, "verdict": delivery.verdict}
    return JsonResponse(answer, status=401 if delivery.verdict == Verdict.REFUSED else 200)


def _news(order: DemoOrder) -> int:
    return order.deliveries.count()


def _order_line(order: DemoOrder) -> dict[str, object]:
    product = PRODUCTS[order.product]
    return {"order": order, "product": product, "number": order_number(order)}


def _delivery_view(delivery: DemoDelivery) -> dict[str, object]:
    """A request written as it came over the wire."""
    head = "\n".join(f"{name}: {value}" for name, value in delivery.headers.items())
    body = bytes(delivery.raw_body[:BYTES_SHOWN]).decode("utf-8", "replace")
    return {
        "delivery": delivery,
        "request": f"POST {WEBHOOK_PATH} HTTP/1.1\n{head}\n\n{body}",
        "steps": delivery.steps,
    }
