"""Writes to the token list: the committed list and prices."""

from dataclasses import asdict
from datetime import datetime
from decimal import Decimal

from tokens.models import Token
from tokens.sources.bundled import bundled_tokens

# Why not ``verified``: a token that an operator stopped trusting must not come back with the next load.
_REFRESHED = ("symbol", "name", "decimals", "is_native", "is_usd_stablecoin", "source")


def load_bundled_tokens() -> int:
    """Insert or refresh every row of the committed list and say how many there are. Safe to repeat.

    Prices and tokens from elsewhere stay as they are; nothing is ever deleted, since intents refer to tokens.
    """
    rows = [Token(**asdict(row)) for row in bundled_tokens()]
    Token.objects.bulk_create(rows, update_conflicts=True, unique_fields=("chain", "address"), update_fields=_REFRESHED)
    return len(rows)


def record_usd_price(token: Token, price_usd: Decimal, priced_at: datetime) -> None:
    """Store what one whole token cost at a moment; an older report never replaces a newer one.

    Units: dollars for one whole token. Raises: ValueError unless the price is above zero.
    """
    if not price_usd > 0:
        raise ValueError(f"{price_usd} is not a price")
    not_newer = Token.objects.filter(pk=token.pk).exclude(priced_at__gt=priced_at)
    not_newer.update(price_usd=price_usd, priced_at=priced_at)
