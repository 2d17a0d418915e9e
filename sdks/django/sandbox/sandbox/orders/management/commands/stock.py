"""Puts something on the shelf: ``manage.py stock``."""

from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand
from oscar.core.loading import get_model


class Command(BaseCommand):
    """The command."""

    help = "Fill an empty shop: a country, and tea."

    def handle(self, *_: Any, **__: Any) -> None:
        """Fill it, once."""
        country, product_class = get_model("address", "Country"), get_model("catalogue", "ProductClass")
        product, partner = get_model("catalogue", "Product"), get_model("partner", "Partner")
        if product.objects.exists():
            return
        country.objects.create(
            iso_3166_1_a2="US", iso_3166_1_a3="USA", iso_3166_1_numeric="840", printable_name="United States",
            name="United States of America", is_shipping_country=True,
        )  # fmt: skip
        goods = product_class.objects.create(name="Tea", track_stock=True, requires_shipping=True)
        tea = product.objects.create(title="Green tea", product_class=goods)
        seller = partner.objects.create(name="The shop")
        tea.stockrecords.create(
            partner=seller, partner_sku="tea-1", price=Decimal("19.99"), price_currency="USD", num_in_stock=100
        )
        self.stdout.write(f"Tea is product {tea.pk}.")
