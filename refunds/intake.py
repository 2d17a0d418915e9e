"""From a checked create body to a ``NewRefund``."""

from typing import Any

from core.fields import check_body
from core.money import UsdAmount
from refunds.serializers import CreateRefundSerializer
from refunds.services.create import NewRefund


def read_new_refund(body: Any, *, idempotency_key: str | None, fingerprint: str) -> NewRefund:
    """The wish a create body states. Raises: InvalidRequest."""
    checked = {name: value for name, value in check_body(CreateRefundSerializer, body).items() if value is not None}
    return NewRefund(
        intent_id=checked["intent_id"],
        amount_usd=UsdAmount(checked["amount_usd"]),
        destination=checked.get("destination", ""),
        reason=checked.get("reason", ""),
        from_other_funds=checked.get("from_other_funds", False),
        idempotency_key=idempotency_key or "",
        fingerprint=fingerprint if idempotency_key else "",
    )
