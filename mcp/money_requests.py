"""What a call that moves money asks for, read out of its arguments: by the tool, and again once a person allowed it."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.urls import reverse

from core.money import to_decimal_string
from mcp.arguments import intent_id_in, refused
from mcp.tool import Arguments
from merchants.claims import checked_key, fingerprint
from refunds.intake import read_new_refund
from refunds.services.create import NewRefund

_DOLLARS = re.compile(r"[0-9]{1,10}(\.[0-9]{1,6})?")


@dataclass(frozen=True, kw_only=True)
class PayoutRequest:
    """Which intent is to be paid out, and the key that stands for it; ``rest``: also what came after its payout."""

    intent_id: UUID
    idempotency_key: str
    rest: bool = False


def payout_request(arguments: Arguments) -> PayoutRequest:
    """What ``create_payout`` was asked for. Raises: InvalidRequest, IdempotencyKeyInvalid."""
    rest = arguments.get("rest", False)
    if not isinstance(rest, bool):
        raise refused("rest", "type", "Must be true or false.")
    return PayoutRequest(intent_id=intent_id_in(arguments), idempotency_key=key_in(arguments), rest=rest)


def refund_request(arguments: Arguments) -> NewRefund:
    """What ``create_refund`` was asked for; never with a destination. Raises: InvalidRequest, IdempotencyKeyInvalid.

    Why the fingerprint is that of REST's body: one key stands for one request, whichever door it came through.
    """
    body: dict[str, Any] = {"intent_id": str(intent_id_in(arguments))}
    dollars = arguments.get("amount_usd")
    if not isinstance(dollars, str) or _DOLLARS.fullmatch(dollars) is None:
        raise refused("amount_usd", "format", 'Must be a decimal string with at most six decimals, such as "10.50".')
    # Why the shortest form: the same amount must be the same request, however many zeros it was written with.
    body["amount_usd"] = Decimal(to_decimal_string(Decimal(dollars), 0))
    if "reason" in arguments:
        body["reason"] = arguments["reason"]
    stands_for = fingerprint("POST", reverse("refunds"), body)
    return read_new_refund(body, idempotency_key=key_in(arguments), fingerprint=stands_for)


def key_in(arguments: Arguments) -> str:
    """The key that makes a repeat safe. Raises: InvalidRequest, IdempotencyKeyInvalid."""
    key = arguments.get("idempotency_key")
    if not isinstance(key, str):
        raise refused("idempotency_key", "required", "Must be a text of 1 to 255 characters.")
    return checked_key(key)
