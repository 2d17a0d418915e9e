"""From a checked create body to a ``NewIntent``: the rules that are more than the type of one field."""

from typing import Any

from core.errors import InvalidRequest, field_problem
from core.fields import check_body
from core.money import UsdAmount
from core.renderers import to_json
from merchants.principal import Principal
from merchants.services.origins import may_return_to, origin_of
from payments.errors import CurrencyUnsupported, MetadataInvalid, ReturnUrlNotAllowed
from payments.serializers import CreatePaymentIntentSerializer
from payments.services.create import DEFAULT_LIFETIME_SECONDS, NewIntent

METADATA_KEYS, METADATA_KEY_LENGTH, METADATA_DEPTH, METADATA_BYTES = 50, 64, 4, 16 * 1024
"""Source: docs/design/requests.md, Limits of a request."""


def read_new_intent(body: Any, principal: Principal) -> NewIntent:
    """The wish a create body states.

    Raises: InvalidRequest, CurrencyUnsupported, MetadataInvalid, ReturnUrlNotAllowed.
    """
    checked = {
        name: value for name, value in check_body(CreatePaymentIntentSerializer, body).items() if value is not None
    }
    if checked.get("currency", "USD").upper() != "USD":
        raise CurrencyUnsupported
    return NewIntent(
        amount_usd=UsdAmount(checked["amount"]),
        settlement_chain=checked.get("settlement_chain"),
        settlement_token=checked.get("settlement_token"),
        settlement_address=checked.get("settlement_address"),
        customer_email=checked.get("customer_email"),
        expires_in_seconds=checked.get("expires_in_seconds", DEFAULT_LIFETIME_SECONDS),
        metadata=checked_metadata(checked.get("metadata", {})),
        reference=checked.get("reference", ""),
        return_url=_checked_return_url(checked.get("return_url", ""), principal),
    )


def checked_metadata(metadata: Any) -> dict[str, Any]:
    """Free-form metadata inside its limits. Raises: InvalidRequest, MetadataInvalid."""
    if not isinstance(metadata, dict):
        raise InvalidRequest(details={"fields": [field_problem("metadata", "type", "Must be an object.")]})
    if len(metadata) > METADATA_KEYS:
        raise MetadataInvalid(details={"limit": "keys", "maximum": METADATA_KEYS})
    if any(not 1 <= len(key) <= METADATA_KEY_LENGTH for key in metadata):
        raise MetadataInvalid(details={"limit": "key_length", "maximum": METADATA_KEY_LENGTH})
    if _depth_exceeds(metadata, METADATA_DEPTH):
        raise MetadataInvalid(details={"limit": "depth", "maximum": METADATA_DEPTH})
    try:
        size = len(to_json(metadata))
    except TypeError:  # an integer beyond 64 bits, which the writer cannot carry
        raise MetadataInvalid(details={"limit": "number", "maximum": 2**63 - 1}) from None
    if size > METADATA_BYTES:
        raise MetadataInvalid(details={"limit": "bytes", "maximum": METADATA_BYTES})
    return metadata


def _depth_exceeds(value: Any, allowed: int) -> bool:
    """Whether containers nest deeper than allowed; stops at the limit, so depth itself is no attack."""
    if isinstance(value, dict):
        inner = list(value.values())
    elif isinstance(value, list):
        inner = value
    else:
        return False
    return allowed == 0 or any(_depth_exceeds(item, allowed - 1) for item in inner)


def _checked_return_url(url: str, principal: Principal) -> str:
    if not url:
        return ""
    origin = origin_of(url, principal.mode)
    if origin is None:
        problem = field_problem("return_url", "format", "Must be an https address without credentials.")
        raise InvalidRequest(details={"fields": [problem]})
    if not may_return_to(principal.merchant_id, principal.mode, url):
        raise ReturnUrlNotAllowed(origin)
    return url
