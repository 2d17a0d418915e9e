"""The database column for prices, which need more digits than dollars do."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

_PLACES = Decimal(1).scaleb(-18)
_EXACT = Context(prec=60)


class PriceColumn(models.Field[Decimal | None, Decimal | None]):
    """Dollars for one whole token, to 18 decimals: ``numeric(38,18)`` on PostgreSQL, text on SQLite.

    Why: SQLite keeps only 15 digits of a numeric. Source: docs/adr/0007.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """The column type on this database."""
        return "numeric(38,18)" if connection.vendor == "postgresql" else "varchar(40)"

    def from_db_value(self, value: Decimal | str | None, *_: object) -> Decimal | None:
        """The exact price from its stored form."""
        return None if value is None else Decimal(value)

    def to_python(self, value: Any) -> Any:
        """The exact price from a form's or fixture's text."""
        return value if value is None or isinstance(value, Decimal) else Decimal(str(value))

    def get_db_prep_value(
        self,
        value: Decimal | None,
        connection: BaseDatabaseWrapper,
        prepared: bool = False,  # noqa: FBT001, FBT002  (Django's signature)
    ) -> Any:
        """The stored form, rounded half-even to 18 decimals."""
        if value is None:
            return None
        exact = value.quantize(_PLACES, rounding=ROUND_HALF_EVEN, context=_EXACT)
        return exact if connection.vendor == "postgresql" else f"{exact:f}"
