"""What the shop sells."""

from dataclasses import dataclass

from core.money import UsdAmount, usd


@dataclass(frozen=True, kw_only=True)
class Product:
    """A thing with a price. ``slug`` is also the name of its picture."""

    slug: str
    name: str
    about: str
    price_usd: UsdAmount


PRODUCTS = {
    product.slug: product
    for product in (
        Product(
            slug="lighthouse",
            name="Lighthouse print",
            about="Shows the way. Paper, 30 × 40 cm.",
            price_usd=usd("25.00"),
        ),
        Product(slug="bridge", name="Rope bridge kit", about="Twelve planks, one evening.", price_usd=usd("49.90")),
        Product(slug="lamp", name="Sea-glass lamp", about="Warm light through found glass.", price_usd=usd("120.00")),
    )
}
