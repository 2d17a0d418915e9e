"""What a quote asks of a payer, and whether a later one asks for more: nobody starts what was not on the screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from payments.models import Leg, PaymentAttempt


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The worst case a payer is shown: what each transaction takes from the wallet, and what the merchant gets.

    Units: base units of each transaction's token, in order; dollars; base units of the settlement token.
    """

    pay_base_units: tuple[int, ...]
    fee_usd: Decimal
    gas_usd: Decimal
    due_base_units: int

    def covers(self, offered: "Terms") -> bool:
        """Whether who agreed to these agreed to those: no figure may be worse, and as many transactions."""
        inputs = zip(self.pay_base_units, offered.pay_base_units, strict=False)
        return (
            len(self.pay_base_units) == len(offered.pay_base_units)
            and all(most >= asked for most, asked in inputs)
            and self.fee_usd >= offered.fee_usd
            and self.gas_usd >= offered.gas_usd
            and self.due_base_units <= offered.due_base_units
        )


def terms_of(attempt: PaymentAttempt, legs: Sequence[Leg]) -> Terms:
    """The terms of a quoted attempt; ``legs`` are its own, in order."""
    return Terms(
        pay_base_units=tuple(leg.input_base_units for leg in legs),
        fee_usd=attempt.fee_usd or Decimal(0),
        gas_usd=attempt.gas_usd or Decimal(0),
        due_base_units=attempt.due_base_units or 0,
    )
