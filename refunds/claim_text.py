"""What a payer signs to say where its refund goes: one text that a person can read. Pure."""

from datetime import datetime
from typing import Final

from core.clock import wire_time
from core.money import from_base_units, to_decimal_string
from refunds.models import Refund

FIRST_LINE: Final = "I paid this. Send my refund to the address below."


def claim_text(  # noqa: PLR0913  (each is a fact of its own)
    refund: Refund, *, origin: str, wallet: str, destination: str, nonce: str, ends_at: datetime
) -> str:
    """The text for one claim. Two claims that differ in anything never share one. Source: docs/adr/0033."""
    amount = to_decimal_string(from_base_units(refund.base_units, refund.token_decimals))
    facts = (
        ("Site", origin),
        ("Refund", str(refund.pk)),
        ("Amount", f"{amount} {refund.token}"),
        ("Chain", refund.chain),
        ("Token", refund.token_address or refund.token),
        ("Base units", str(refund.base_units)),
        ("Send to", destination),
        ("Paid from", wallet),
        ("Nonce", nonce),
        ("Use before", wire_time(ends_at)),
    )
    lines = "\n".join(f"{name}: {value}" for name, value in facts)
    return f"{FIRST_LINE}\n\n{lines}\n\nSigning is free, and takes nothing out of this wallet."
