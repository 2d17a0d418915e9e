"""Strict reading of an answer's fields: each of one type and within bounds, or the whole answer is refused."""

import re
from collections.abc import Mapping
from decimal import Decimal, DecimalException
from fractions import Fraction
from typing import Any

from chains.instructions.given import address
from chains.instructions.refusal import TransactionRefused
from payments.routing.answer_faults import AnswerFault
from payments.routing.lifi.faults import LifiRefused

MOST_ITEMS = 64
_MOST_WORD = 2**256
_MOST_USD = Decimal(10**12)
_MOST_PLACES = 40
_DECIMAL_UNITS = re.compile(r"[0-9]{1,78}")
_HEX_UNITS = re.compile(r"0x[0-9a-fA-F]{1,64}")
_MONEY = re.compile(r"[0-9]{1,13}(\.[0-9]{1,40})?")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_BYTES = re.compile(r"0x([0-9a-fA-F]{2})*")


class Fields:
    """One object of an answer. Every method raises LifiRefused where the field is not what it has to be."""

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise malformed()
        self._value: Mapping[str, Any] = value

    def inside(self, name: str) -> "Fields":
        """An object within this one."""
        return Fields(self._value.get(name))

    def each(self, name: str) -> list["Fields"]:
        """A list of objects; an absent one is empty."""
        values = self._value.get(name)
        values = [] if values is None else values
        if not isinstance(values, list) or len(values) > MOST_ITEMS:
            raise malformed()
        return [Fields(value) for value in values]

    def has(self, name: str) -> bool:
        """Whether the field is there and says something."""
        return self._value.get(name) not in (None, "", [], {})

    def text(self, name: str, most: int = 64) -> str:
        """A name: printable ASCII that is not empty."""
        value = self._value.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= most or not (value.isascii() and value.isprintable()):
            raise malformed()
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Yes or no."""
        value = self._value.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise malformed()
        return value

    def whole(self, name: str, most: int) -> int:
        """A whole number that came as a JSON number; one with places is refused."""
        value = self._value.get(name)
        if type(value) is not int or not 0 <= value <= most:
            raise malformed()
        return value

    def seconds(self, name: str, most: int) -> int:
        """A duration, rounded up to whole seconds."""
        value = self._value.get(name)
        if not isinstance(value, int | Decimal) or isinstance(value, bool):
            raise malformed()
        exact = Fraction(_bounded(Decimal(value)))
        if exact > most:
            raise malformed()
        return -(-exact.numerator // exact.denominator)

    def units(self, name: str) -> int:
        """Base units: a string of decimal digits."""
        value = self._value.get(name)
        if not isinstance(value, str) or not _DECIMAL_UNITS.fullmatch(value) or int(value) >= _MOST_WORD:
            raise malformed()
        return int(value)

    def hex_units(self, name: str) -> int:
        """Base units in a transaction: hexadecimal, or decimal digits; nothing where the field is absent."""
        value = self._value.get(name)
        if value is None:
            return 0
        if isinstance(value, str) and _HEX_UNITS.fullmatch(value):
            return int(value, 16)
        return self.units(name)

    def money(self, name: str) -> Decimal:
        """Dollars, as a string or a number; nothing where the field is absent."""
        value = self._value.get(name)
        if value is None:
            return Decimal(0)
        if isinstance(value, str) and _MONEY.fullmatch(value):
            return Decimal(value)
        if not isinstance(value, int | Decimal) or isinstance(value, bool):
            raise malformed()
        return _bounded(Decimal(value))

    def address(self, name: str) -> str:
        """An EVM address in lower case."""
        value = self._value.get(name)
        if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
            raise malformed()
        return value.lower()

    def key(self, name: str) -> str:
        """An address of Solana: 32 bytes in base58, in their one spelling."""
        try:
            return address(self._value.get(name))
        except TransactionRefused:
            raise malformed() from None

    def raw_bytes(self, name: str, most: int) -> bytes:
        """Bytes in hexadecimal."""
        value = self._value.get(name)
        if not isinstance(value, str) or len(value) > 2 * most + 2 or not _BYTES.fullmatch(value):
            raise malformed()
        return bytes.fromhex(value[2:])


def malformed() -> LifiRefused:
    """The refusal of an answer that is not in the documented form."""
    return LifiRefused(AnswerFault.ANSWER_MALFORMED)


def _bounded(value: Decimal) -> Decimal:
    """A number with a sane number of digits on either side. Why: a power of ten in JSON can be of any size."""
    try:
        sane = value.is_finite() and 0 <= value <= _MOST_USD
        exponent = value.as_tuple().exponent
    except DecimalException:
        raise malformed() from None
    if not sane or not isinstance(exponent, int) or exponent < -_MOST_PLACES:
        raise malformed()
    return value
