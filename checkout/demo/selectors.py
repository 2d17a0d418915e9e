"""What the shop's pages show."""

from pathlib import Path

from django.db.models import QuerySet

from checkout.demo import verify
from checkout.demo.models import DemoDelivery, DemoOrder, DemoShop
from core.modes import Mode
from merchants.models import KeyKind
from merchants.services import current_keys

ORDERS_SHOWN, ARRIVALS_SHOWN, DELIVERIES_SHOWN = 8, 10, 50


def current_shop() -> DemoShop | None:
    """The shop that was opened last; None before anybody opened one."""
    return DemoShop.objects.select_related("merchant").order_by("-opened_at", "-pk").first()


def latest_orders(shop: DemoShop) -> QuerySet[DemoOrder]:
    """What was bought lately."""
    return shop.orders.order_by("-created_at", "-pk")[:ORDERS_SHOWN]


def latest_deliveries(shop: DemoShop) -> QuerySet[DemoDelivery]:
    """What came in lately, refused requests too."""
    return shop.deliveries.select_related("order").order_by("-pk")[:ARRIVALS_SHOWN]


def deliveries_of(order: DemoOrder) -> QuerySet[DemoDelivery]:
    """What came in about an order, newest first."""
    return order.deliveries.order_by("-pk")[:DELIVERIES_SHOWN]


def publishable_key_of(shop: DemoShop) -> str:
    """The key that the shop's pages show the checkout with; empty where its merchant ended all keys."""
    keys = current_keys(shop.merchant, Mode.TEST)
    newest = keys.filter(kind=KeyKind.PUBLISHABLE).order_by("-pk").first()
    return newest.publishable_value if newest else ""


def verifying_source() -> str:
    """The very file that checked the requests, to be read on the page."""
    return Path(verify.__file__).read_text(encoding="utf-8")
