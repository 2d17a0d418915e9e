"""How x402 (version 2) writes payments in HTTP headers: what is asked for, what was signed, what became of it.

Source: https://github.com/x402-foundation/x402, specs/x402-specification-v2.md and specs/transports-v2/http.md.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chains.addresses import parse_address
from chains.calldata.eip3009 import DOMAIN_VERSION, Authorization
from chains.errors import InvalidAddress
from chains.registry import chain
from core.errors import ServiceError
from core.money import BaseUnits
from core.renderers import to_json
from payments.errors import AuthorizationUnfit
from payments.models import PayerAuthorization, PaymentIntent
from payments.services.authorized import Asked, Course, Standing

VERSION: Final = 2
REQUIRED, SIGNED, RESPONSE = "PAYMENT-REQUIRED", "PAYMENT-SIGNATURE", "PAYMENT-RESPONSE"
SIGNED_IN_META: Final = "HTTP_PAYMENT_SIGNATURE"
SCHEME: Final = "exact"
MOST_LETTERS: Final = 8_192
"""Of a signed payment's header. Why so few: an honest one has about a thousand."""
_NUMBER, _NONCE = re.compile(r"[0-9]{1,78}"), re.compile(r"0x[0-9a-fA-F]{64}")
_SIGNATURE: Final = re.compile(r"0x(?:[0-9a-fA-F]{2}){65,}")
"""Longer than an ordinary key's where a contract signed: that can be read, and is no signature that is taken."""
_NETWORK: Final = re.compile(r"eip155:([1-9][0-9]{0,17})")
_LARGEST: Final = 2**256 - 1
_LATEST: Final = 2**53
"""The latest moment that a validity may name. Why: every program that shows it can hold it."""


class PaymentMalformed(ServiceError):
    """The header is no signed payment of x402's second version; ``details.field`` names what cannot be read."""

    code = "payment_malformed"
    http_status = 400
    message = "This header is not a signed payment of x402, version 2, scheme exact. Nothing was sent."

    def __init__(self, field: str) -> None:
        super().__init__(details={"field": field})


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedPayment:
    """What a client signed. ``resource``: the address that it says it pays for; empty where it does not."""

    authorization: Authorization
    signature: str
    resource: str


def required_body(asked: Asked, resource: str, error: str) -> dict[str, Any]:
    """What must be paid, as the header and the body of a 402 say it."""
    return {
        "x402Version": VERSION,
        "error": error,
        "resource": {"url": resource, "description": "A payment intent", "mimeType": "application/json"},
        "accepts": [
            {
                "scheme": SCHEME,
                "network": f"eip155:{asked.chain_id}",
                "asset": asked.token_address,
                "amount": str(asked.base_units),
                "payTo": asked.recipient,
                "maxTimeoutSeconds": asked.seconds,
                "extra": {
                    "name": asked.domain_name,
                    "version": DOMAIN_VERSION,
                    "assetTransferMethod": "eip3009",
                },
            }
        ],
    }


def response_body(taken: PayerAuthorization, course: Course) -> dict[str, Any]:
    """What became of a payment that is over."""
    known = chain(taken.chain)
    facts = {
        "payer": taken.payer_address,
        "transaction": course.tx_hash,
        "network": f"eip155:{known.chain_id}" if known is not None else taken.chain,
    }
    if course.standing == Standing.SETTLED:
        return {"success": True, **facts, "amount": str(taken.base_units)}
    return {"success": False, "errorReason": course.reason, **facts}


def in_header(body: Mapping[str, Any]) -> str:
    """An object as a header's text: JSON in base64."""
    return base64.b64encode(to_json(body)).decode()


def read_signed(intent: PaymentIntent, header: str, domain_name: str) -> SignedPayment:
    """What a header says was signed, for the chain of this intent. Raises: PaymentMalformed, AuthorizationUnfit."""
    whole = _object(_decoded(header), SIGNED)
    if whole.get("x402Version") != VERSION:
        raise PaymentMalformed("x402Version")
    accepted, payload = _object(whole.get("accepted"), "accepted"), _object(whole.get("payload"), "payload")
    if accepted.get("scheme") != SCHEME:
        raise AuthorizationUnfit("scheme")
    terms = _object(payload.get("authorization"), "payload.authorization")
    amount, recipient = _text(terms, "value", _NUMBER), _address(intent, terms, "to")
    if int(amount) > _LARGEST:
        raise PaymentMalformed("value")
    token = _address(intent, accepted, "asset")
    _refuse_two_words(accepted, amount, recipient, intent)
    resource = whole.get("resource")
    return SignedPayment(
        authorization=Authorization(
            chain_id=_chain_id(accepted),
            token=token,
            holder=_address(intent, terms, "from"),
            recipient=recipient,
            base_units=BaseUnits(int(amount)),
            valid_after=_moment(terms, "validAfter"),
            valid_before=_moment(terms, "validBefore"),
            nonce=_text(terms, "nonce", _NONCE).lower(),
            domain_name=domain_name,
        ),
        signature=_text(payload, "signature", _SIGNATURE).lower(),
        resource=str(resource.get("url", "")) if isinstance(resource, dict) else "",
    )


def _refuse_two_words(accepted: Mapping[str, Any], amount: str, recipient: str, intent: PaymentIntent) -> None:
    """What the client says that it accepted must be what it signed. Raises: AuthorizationUnfit."""
    if accepted.get("amount") != amount:
        raise AuthorizationUnfit("amount")
    if _address(intent, accepted, "payTo") != recipient:
        raise AuthorizationUnfit("payTo")


def _decoded(header: str) -> object:
    if len(header) > MOST_LETTERS:
        raise PaymentMalformed(SIGNED)
    try:
        return json.loads(base64.b64decode(header, validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise PaymentMalformed(SIGNED) from None


def _object(value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PaymentMalformed(field)
    return value


def _text(holder: Mapping[str, Any], field: str, form: re.Pattern[str]) -> str:
    value = holder.get(field)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise PaymentMalformed(field)
    return value


def _moment(holder: Mapping[str, Any], field: str) -> int:
    value = int(_text(holder, field, _NUMBER))
    if value > _LATEST:
        raise PaymentMalformed(field)
    return value


def _chain_id(accepted: Mapping[str, Any]) -> int:
    return int(_text(accepted, "network", _NETWORK).partition(":")[2])


def _address(intent: PaymentIntent, holder: Mapping[str, Any], field: str) -> str:
    """An address as the service spells it."""
    known, value = chain(intent.settlement_chain), holder.get(field)
    try:
        if known is None or not isinstance(value, str):
            raise PaymentMalformed(field)
        return parse_address(known, value)
    except InvalidAddress:
        raise PaymentMalformed(field) from None
