"""Which bodies of a creation are ordinary. Fewer than the views take: whatever is not surely right is theirs."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from core.errors import ServiceError
from core.money import UsdAmount
from payments.intake import checked_metadata
from payments.serializers import (
    AMOUNT_MAXIMUM,
    AMOUNT_MINIMUM,
    LIFETIME_MAXIMUM_SECONDS,
    LIFETIME_MINIMUM_SECONDS,
)
from payments.services.create import NewIntent

_TEXT, _EMAIL_LENGTH, _URL_LENGTH = 128, 254, 2048
_EMAIL: Final = re.compile(
    r"[A-Za-z0-9_+-]{1,40}(?:\.[A-Za-z0-9_+-]{1,40}){0,4}@(?:[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?\.){1,4}[a-z]{2,20}"
)


def _is_amount(value: Any) -> bool:
    """Why by type: true is an integer in Python, and no amount."""
    if type(value) is not int and type(value) is not Decimal:
        return False
    return AMOUNT_MINIMUM <= value <= AMOUNT_MAXIMUM and value == round(value, 2)


def _is_text(value: Any, longest: int = _TEXT) -> bool:
    """Neither empty nor with blanks around it, which are cut off, nor with what no text may hold."""
    return type(value) is str and 0 < len(value) <= longest and value.isprintable() and value.strip() == value


_LOOKS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "amount": _is_amount,
    "currency": lambda value: value == "USD",
    "settlement_chain": lambda value: _is_text(value) and value.isascii(),
    "settlement_token": lambda value: _is_text(value) and value.isascii(),
    "settlement_address": _is_text,
    "customer_email": lambda value: (
        type(value) is str and len(value) <= _EMAIL_LENGTH and _EMAIL.fullmatch(value) is not None
    ),
    "expires_in_seconds": lambda value: (
        type(value) is int and LIFETIME_MINIMUM_SECONDS <= value <= LIFETIME_MAXIMUM_SECONDS
    ),
    "metadata": lambda value: type(value) is dict,
    "reference": _is_text,
    "return_url": lambda value: _is_text(value, _URL_LENGTH),
}
"""Every field. Whether payers may be sent to a ``return_url`` is asked of the merchant's list afterwards."""


def ordinary_body(body: Mapping[str, Any]) -> NewIntent | None:
    """The intent that an ordinary body asks for; None where the views must read it."""
    if not body.keys() <= _LOOKS.keys():
        return None
    given = {name: value for name, value in body.items() if value is not None}
    if "amount" not in given or not all(_LOOKS[name](value) for name, value in given.items()):
        return None
    given.pop("currency", None)
    try:
        given["metadata"] = checked_metadata(given.get("metadata", {}))
    except ServiceError:
        return None
    return NewIntent(amount_usd=UsdAmount(Decimal(given.pop("amount"))), **given)
