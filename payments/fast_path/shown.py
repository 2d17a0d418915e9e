"""An intent as it is shown, without a model around it: all that ``intent_body`` and ``event_body`` read of one."""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any, Final, NamedTuple, Self, cast
from uuid import UUID

from core.columns import OptionalUsdColumn, UsdColumn
from core.exact_json import ExactDecoder
from core.json_column import ExactJSONColumn
from core.money import ZERO_USD, UsdAmount, usd_from_micros
from payments.models import PaymentIntent
from payments.states import IntentStatus

_DECODER: Final = ExactDecoder()


class ShownIntent(NamedTuple):
    """Columns of an intent, read or about to be written. Why no model: making one takes as long as the statement."""

    id: UUID
    mode: str
    amount: Decimal
    settlement_chain: str
    settlement_token: str
    settlement_address: str
    expires_at: datetime
    created_at: datetime
    metadata: Any
    customer_email: str | None = None
    reference: str = ""
    return_url: str = ""
    currency: str = "USD"
    status: str = IntentStatus.CREATED.value
    received_usd: UsdAmount = ZERO_USD
    overpaid_usd: UsdAmount = ZERO_USD
    refunded_usd: UsdAmount = ZERO_USD
    returned_usd: UsdAmount = ZERO_USD
    owed_usd: UsdAmount = ZERO_USD
    settled_less_usd: UsdAmount | None = None
    platform_fee_usd: UsdAmount | None = None
    net_settlement_usd: UsdAmount | None = None
    in_doubt: bool = False
    last_error_code: str = ""
    last_error_message: str = ""
    failure_reason: str = ""
    settled_at: datetime | None = None
    settled_reason: str = ""
    cancelled_at: datetime | None = None

    @property
    def pk(self) -> UUID:
        """As models call it."""
        return self.id

    @property
    def as_intent(self) -> PaymentIntent:
        """The same for functions that are written for the model, and read no more of it than is here."""
        return cast(PaymentIntent, self)

    @classmethod
    def read(cls, row: Sequence[Any]) -> Self:
        """From a row of the columns above, as PostgreSQL gives them."""
        values = list(row)
        for place, convert in _conversions():
            values[place] = convert(values[place])
        return cls._make(values)


@cache
def _conversions() -> tuple[tuple[int, Callable[[Any], Any]], ...]:
    """Which columns are not stored as what they mean, by their place, and what they mean."""
    found: list[tuple[int, Callable[[Any], Any]]] = []
    for place, name in enumerate(ShownIntent._fields):
        field = PaymentIntent._meta.get_field(name)
        if isinstance(field, UsdColumn):
            found.append((place, usd_from_micros))
        elif isinstance(field, OptionalUsdColumn):
            found.append((place, lambda micros: None if micros is None else usd_from_micros(micros)))
        elif isinstance(field, ExactJSONColumn):
            found.append((place, _DECODER.decode))
    return tuple(found)
