"""Database columns for money that never lose a digit on either database.

Each comes in two classes, one that is always there and one that may be null, so that the type checker knows which.
"""

from decimal import Decimal
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from core.money import BaseUnits, UsdAmount, usd_from_micros, usd_to_micros

MAX_DIGITS = 78
"""Enough for a 256-bit integer. Source: docs/adr/0007."""


class _Dollars:
    """Reads and writes whole micro-dollars."""

    def from_db_value(self, value: int | None, *_: object) -> UsdAmount | None:
        """Dollars from the stored micro-dollars."""
        return None if value is None else usd_from_micros(value)

    def to_python(self, value: Any) -> Any:
        """Dollars from a form's or fixture's text."""
        return value if value is None or isinstance(value, Decimal) else UsdAmount(Decimal(str(value)))

    def get_prep_value(self, value: Any) -> int | None:
        """Micro-dollars for storage. Raises: ValueError if digits would be lost."""
        return None if value is None else usd_to_micros(Decimal(value))


class UsdColumn(_Dollars, models.BigIntegerField[Decimal, UsdAmount]):
    """Dollars, stored as whole micro-dollars and read as ``UsdAmount``."""


class OptionalUsdColumn(_Dollars, models.BigIntegerField[Decimal | None, UsdAmount | None]):
    """Dollars that may not be known yet; declare it with ``null=True``."""


class _Units:
    """Reads and writes exact integers up to 78 digits.

    Why text on SQLite: it keeps only 15 digits of a numeric; sum there in Python. Source: docs/adr/0007.
    """

    empty_strings_allowed = False

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """The column type on this database."""
        return f"numeric({MAX_DIGITS},0)" if connection.vendor == "postgresql" else f"varchar({MAX_DIGITS})"

    def from_db_value(self, value: Decimal | str | None, *_: object) -> BaseUnits | None:
        """An exact integer from the stored form."""
        return None if value is None else BaseUnits(int(value))

    def to_python(self, value: Any) -> Any:
        """An exact integer from a form's or fixture's text."""
        return None if value is None else BaseUnits(int(value))

    def get_db_prep_value(
        self,
        value: int | None,
        connection: BaseDatabaseWrapper,
        prepared: bool = False,  # noqa: FBT001, FBT002  Why: the framework's signature.
    ) -> Any:
        """The stored form of an exact integer. Raises: ValueError for what is not one, or has too many digits."""
        if value is None:
            return None
        exact = int(value)
        if exact != value or abs(exact) >= 10**MAX_DIGITS:
            raise ValueError(f"{value!r} is not a whole number of at most {MAX_DIGITS} digits")
        return Decimal(exact) if connection.vendor == "postgresql" else str(exact)


class BaseUnitsColumn(_Units, models.Field[int, BaseUnits]):
    """Token base units."""


class OptionalBaseUnitsColumn(_Units, models.Field[int | None, BaseUnits | None]):
    """Token base units that may not be known yet; declare it with ``null=True``."""
