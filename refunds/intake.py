"""From a checked create body to a ``NewRefund``."""

from collections.abc import Mapping
from typing import Any

from core.fields import check_body
from core.money import ZERO_USD, UsdAmount
from refunds.serializers import CreateRefundSerializer, GiveStrayBackSerializer
from refunds.services.create import NewRefund


def read_new_refund(body: Any, *, idempotency_key: str | None, fingerprint: str) -> NewRefund:
    """The wish a create body states: of dollars, or of a stray. Raises: InvalidRequest."""
    is_stray = isinstance(body, Mapping) and "stray_id" in body
    fields = check_body(GiveStrayBackSerializer if is_stray else CreateRefundSerializer, body)
    checked = {name: value for name, value in fields.items() if value is not None}
    return NewRefund(
        intent_id=checked["intent_id"],
        amount_usd=UsdAmount(checked.get("amount_usd", ZERO_USD)),
        stray_id=checked.get("stray_id"),
        destination=checked.get("destination", ""),
        reason=checked.get("reason", ""),
        from_other_funds=checked.get("from_other_funds", False),
        idempotency_key=idempotency_key or "",
        fingerprint=fingerprint if idempotency_key else "",
    )
