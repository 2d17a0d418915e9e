"""Tables of the payer's door. Payments themselves live in ``payments``; here is only what the demo shop keeps."""

from checkout.demo.models import DemoDelivery, DemoOrder, DemoShop

__all__ = ["DemoDelivery", "DemoOrder", "DemoShop"]
