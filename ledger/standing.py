"""What a row stands for in the books: amounts on accounts, of one merchant, mode, asset and payment. Writes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from core.money import BaseUnits, UsdAmount
from ledger.accounts import Account, Source


class Book(NamedTuple):
    """The books of one merchant in one mode and one asset, and the payment that an entry in them is of."""

    merchant_id: int
    mode: str
    chain: str
    token_address: str
    intent_id: UUID


class Amount(NamedTuple):
    """Base units and dollars on one account: debits above zero, credits below."""

    base_units: BaseUnits = BaseUnits(0)
    amount_usd: UsdAmount = UsdAmount(Decimal(0))

    def plus(self, other: "Amount", times: int = 1) -> "Amount":
        """Both; with ``times`` so many of the other."""
        return Amount(
            BaseUnits(self.base_units + times * other.base_units),
            UsdAmount(self.amount_usd + times * other.amount_usd),
        )


Lines = Mapping[Account, Amount]
Key = tuple[str, str]
"""The name of a row that is booked: its ``Source`` and its key in its own table."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What one row stands for in the books. Without a book it stands for nothing."""

    source: Source
    source_id: str
    book: Book | None = None
    lines: Lines = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """The row's name."""
        return self.source.value, self.source_id


def moved(units: int, usd: Decimal, *, debit: Account, credit: Account) -> dict[Account, Amount]:
    """So much on one account, taken from another: the two lines of a plain entry."""
    amount = Amount(BaseUnits(units), UsdAmount(usd))
    return {debit: amount, credit: Amount().plus(amount, -1)}


def sum_of(lines: Lines) -> Amount:
    """What all lines add up to: nothing, where they are an entry."""
    total = Amount()
    for amount in lines.values():
        total = total.plus(amount)
    return total


def added(lines: Lines, others: Lines, times: int = 1) -> dict[Account, Amount]:
    """The sums of two sets of lines, account by account; of the second so many times."""
    accounts = [account for account in Account if account in lines or account in others]
    return {one: lines.get(one, Amount()).plus(others.get(one, Amount()), times) for one in accounts}
