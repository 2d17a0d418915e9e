"""What somebody typed into the form of a new refund, read into a request or into one sentence per fault. Pure."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Final
from uuid import UUID

from core.money import UsdAmount, to_decimal_string
from payments.models import MAX_NAME
from refunds.models import MAX_REASON
from refunds.serializers import LARGEST_USD, SMALLEST_USD
from refunds.services.create import NewRefund

_AMOUNT = re.compile(r"\$?(\d{1,10}(?:\.\d{1,6})?)")
KEY_FORM: Final = re.compile(r"dashboard-[0-9a-f]{32}")
FAULTS: Final = {
    "amount": "Write the amount in dollars like 12.50: above zero, with at most six decimals.",
    "reason": f"A reason is at most {MAX_REASON} characters.",
    "destination": f"An address is at most {MAX_NAME} printable characters without spaces.",
    "key": "This form is not complete. Load the page again; nothing was sent.",
}


def minted_key() -> str:
    """A key for one form: sent twice, it makes one refund."""
    return f"dashboard-{uuid.uuid4().hex}"


@dataclass(frozen=True, kw_only=True)
class RefundForm:
    """The fields as they were typed. ``faults`` are sentences by field; ``amount_usd`` is zero where it has one."""

    amount: str
    reason: str
    destination: str
    key: str
    amount_usd: UsdAmount
    faults: Mapping[str, str]
    from_other_funds: bool = False

    def of(self, intent_id: UUID) -> NewRefund:
        """The request for this payment. The fingerprint tells the same form from another one under its key."""
        content = "\n".join((str(intent_id), f"{self.amount_usd:f}", self.destination, self.reason))
        if self.from_other_funds:
            content += "\nfrom other funds"
        return NewRefund(
            intent_id=intent_id,
            amount_usd=self.amount_usd,
            destination=self.destination,
            reason=self.reason,
            from_other_funds=self.from_other_funds,
            idempotency_key=self.key,
            fingerprint=sha256(content.encode()).hexdigest(),
        )


def blank_form(balance: UsdAmount, given: Mapping[str, str]) -> RefundForm:
    """A new form over all that can be sent back, or over what a link to it gave; judged when it is sent."""
    return RefundForm(
        amount=given.get("amount", "")[:40] or to_decimal_string(balance),
        reason=_one_line(given.get("reason", ""))[:MAX_REASON],
        destination="",
        key=minted_key(),
        amount_usd=balance,
        faults={},
    )


def read_form(form: Mapping[str, str]) -> RefundForm:
    """The fields of a sent form, with what is wrong with it."""
    amount, key = form.get("amount", "").strip()[:40], form.get("key", "")
    reason, destination = _one_line(form.get("reason", "")), form.get("destination", "").strip()
    dollars = _AMOUNT.fullmatch(amount) if amount.isascii() else None
    amount_usd = UsdAmount(Decimal(dollars[1] if dollars else 0))
    is_wrong = {
        "amount": not SMALLEST_USD <= amount_usd <= LARGEST_USD,
        "reason": len(reason) > MAX_REASON,
        "destination": len(destination) > MAX_NAME or not (destination.isprintable() and " " not in destination),
        "key": KEY_FORM.fullmatch(key) is None,
    }
    return RefundForm(
        amount=amount,
        reason=reason[: MAX_REASON + 1],
        destination=destination[: MAX_NAME + 1],
        key=key if not is_wrong["key"] else minted_key(),
        amount_usd=amount_usd,
        faults={name: FAULTS[name] for name, wrong in is_wrong.items() if wrong},
        from_other_funds=form.get("from_other_funds") == "on",
    )


def _one_line(text: str) -> str:
    """Without what a database refuses, and without breaks that a form field does not show."""
    return " ".join(text.replace("\0", "").split())
