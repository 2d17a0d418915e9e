"""The table of tokens, keyed by chain and address. It knows no merchants and no prices of its own."""

from django.db import models

from tokens.columns import PriceColumn


class Token(models.Model):
    """One token on one chain.

    ``address`` is in the spelling of ``chains.addresses.parse_address``; the native coin has its chain's
    ``native_address``. ``symbol`` is for people: fakes copy it, so nothing is looked up by it alone.
    ``is_usd_stablecoin`` marks issuers' dollars, which count one to one while their market price agrees.
    """

    chain = models.CharField(max_length=32)
    address = models.CharField(max_length=64)
    symbol = models.CharField(max_length=32)
    name = models.CharField(max_length=128)
    decimals = models.PositiveSmallIntegerField()
    verified = models.BooleanField(default=False)
    is_native = models.BooleanField(default=False)
    is_usd_stablecoin = models.BooleanField(default=False)
    price_usd = PriceColumn(null=True)
    priced_at = models.DateTimeField(null=True)
    source = models.CharField(max_length=255)

    class Meta:
        ordering = ("chain", "symbol", "address")
        constraints = (
            models.UniqueConstraint(fields=("chain", "address"), name="one_token_per_chain_and_address"),
            models.CheckConstraint(condition=models.Q(decimals__lte=36), name="token_decimals_are_plausible"),
            models.CheckConstraint(
                condition=models.Q(price_usd__isnull=True, priced_at__isnull=True)
                | models.Q(price_usd__isnull=False, priced_at__isnull=False),
                name="token_price_has_its_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.symbol} on {self.chain}"
