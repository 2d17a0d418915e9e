"""The table of tokens, keyed by chain and address, and what each source says that they cost. It knows no merchants."""

from django.db import models

from core.price_column import PriceColumn


class Token(models.Model):
    """One token on one chain.

    ``address`` is in the spelling of ``chains.addresses.parse_address``; the native coin has its chain's
    ``native_address``. ``symbol`` is for people: fakes copy it, so nothing is looked up by it alone.
    ``is_usd_stablecoin`` marks issuers' dollars, which count one to one while their market price agrees.
    ``verified_by_sources`` is what ``verified`` was when it was last taken from the sources, null where it never was:
    a token whose two columns differ was judged by a person, and no refresh touches that.
    """

    chain = models.CharField(max_length=32)
    address = models.CharField(max_length=64)
    symbol = models.CharField(max_length=32)
    name = models.CharField(max_length=128)
    decimals = models.PositiveSmallIntegerField()
    verified = models.BooleanField(default=False)
    is_native = models.BooleanField(default=False)
    is_usd_stablecoin = models.BooleanField(default=False)
    verified_by_sources = models.BooleanField(null=True)
    source = models.CharField(max_length=255)

    class Meta:
        ordering = ("chain", "symbol", "address")
        constraints = (
            models.UniqueConstraint(fields=("chain", "address"), name="one_token_per_chain_and_address"),
            models.CheckConstraint(condition=models.Q(decimals__lte=36), name="token_decimals_are_plausible"),
        )

    def __str__(self) -> str:
        return f"{self.symbol} on {self.chain}"


class TokenPrice(models.Model):
    """What one source said last that one whole token costs.

    Units: dollars. ``priced_at`` is when that was so, not when it was written.
    """

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="prices")
    source = models.CharField(max_length=32)
    price_usd = PriceColumn(null=False)
    priced_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("token", "source"), name="one_price_per_token_and_source"),)

    def __str__(self) -> str:
        return f"{self.token_id}: {self.price_usd} by {self.source}"
