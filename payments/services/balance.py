"""What an intent holds: what arrived for good, less what goes back to payers, less what was paid out.

The one sum of an intent's money. Refunds and payouts stand on a higher floor: they say here how their rows are read.
Source: docs/adr/0050.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.db.models import QuerySet

from core.compiled import compiled_once
from core.money import ZERO_USD, BaseUnits, UsdAmount, usd_to_micros
from payments.amounts import due_base_units, value_at_frozen_rate
from payments.models import Credit, PaymentIntent
from payments.services.rate import counted_in_all
from payments.states import IntentStatus

_STILL_SETTLED = frozenset({IntentStatus.SETTLED, IntentStatus.REFUNDED})


@dataclass(frozen=True, kw_only=True)
class Sum:
    """Dollars at the intent's frozen rate, and settlement units. They belong together."""

    usd: UsdAmount = ZERO_USD
    units: BaseUnits = BaseUnits(0)

    def __add__(self, other: "Sum") -> "Sum":
        """Both."""
        return Sum(usd=UsdAmount(self.usd + other.usd), units=BaseUnits(self.units + other.units))

    def less(self, other: "Sum") -> "Sum":
        """What is left, each figure never below zero: a reorganisation can take what was promised."""
        return Sum(
            usd=UsdAmount(max(self.usd - other.usd, Decimal(0))), units=BaseUnits(max(self.units - other.units, 0))
        )

    def is_within(self, other: "Sum") -> bool:
        """Whether neither figure is larger."""
        return self.usd <= other.usd and self.units <= other.units


NOTHING = Sum()


@dataclass(frozen=True, kw_only=True)
class Outflows:
    """What leaves an intent, held or gone.

    ``returned``: refunds that neither failed nor were cancelled; ``replaced`` of them come from other funds of the
    merchant, by its explicit word. ``paid_out``: payouts that did not fail. Why not those on the rail ``direct``: they
    move nothing, the payment itself reached the merchant's address. ``gone``: the part of both, but for other funds,
    that left or is being sent. ``unsettled``: the part of ``returned`` that was asked for while the intent was not
    settled, so that it is due again.
    """

    returned: Sum = NOTHING
    unsettled: Sum = NOTHING
    replaced: Sum = NOTHING
    paid_out: Sum = NOTHING
    gone: Sum = NOTHING


@dataclass(frozen=True, kw_only=True)
class Balance:
    """What came into an intent for good, and what leaves it.

    ``counted``: the settlement units that what was received counts for at the frozen rate, where not all of it is worth
    that; see ``payments.services.rate``. ``counted_net``: those that count towards the target, without what goes back;
    ``due``: those that are still missing. ``seen_usd``: what all that arrived counts for, what is not final yet among
    it; ``is_awaited``: there is such.
    """

    received: Sum
    counted: BaseUnits
    counted_net: BaseUnits
    due: BaseUnits
    seen_usd: UsdAmount
    is_awaited: bool
    returned: Sum
    replaced: Sum
    paid_out: Sum
    gone: Sum = NOTHING
    unsettled: Sum = NOTHING

    @property
    def kept(self) -> Sum:
        """What came and does not go back."""
        return self.received.less(self.returned)

    @property
    def owed(self) -> Sum:
        """What left, although its chain shows it no more: a reorganisation took away what was paid on already."""
        return self.gone.less(self.received)

    @property
    def available(self) -> Sum:
        """What can still leave: neither held by a refund nor paid out."""
        return self.received.less(self.paid_out).less(self._from_own)

    @property
    def covers_refunds(self) -> bool:
        """Whether every refund that is not over can be paid from what arrived."""
        return self.returned.is_within(self.received)

    @property
    def covers_all(self) -> bool:
        """Whether refunds and payouts together send no more than arrived."""
        return self.covers_refunds and (self._from_own + self.paid_out).is_within(self.received)

    def refundable_usd(self, *, from_other_funds: bool = False) -> UsdAmount:
        """What can be asked for; with the merchant's explicit word also what was paid out already."""
        return self.kept.usd if from_other_funds else self.available.usd

    def units_for(self, amount_usd: UsdAmount, *, from_other_funds: bool = False) -> BaseUnits:
        """Base units that a refund of so much sends: its share of what arrived, cut down; the last takes the rest.

        The amount is at most ``refundable_usd``. Source: docs/guides/refunds.md.
        """
        left = self.kept if from_other_funds else self.available
        if amount_usd >= left.usd:
            return left.units
        share = usd_to_micros(amount_usd) * self.received.units // usd_to_micros(self.received.usd)
        return BaseUnits(min(share, left.units))

    @property
    def _from_own(self) -> Sum:
        return self.returned.less(self.replaced)


Reader = Callable[[PaymentIntent], Outflows]
_readers: dict[str, Reader] = {}


def register_outflows(name: str, reader: Reader) -> None:
    """Have an app's rows count as leaving an intent. Called once, when the app is ready."""
    _readers[name] = reader


def balance(intent: PaymentIntent) -> Balance:
    """What the intent holds now. Locks: the caller holds the intent's lock where it decides by it."""
    came = _settling(intent.pk)
    final = [(units, worth) for units, worth, final_at in came if final_at is not None]
    counted, seen = counted_in_all(final), counted_in_all((units, worth) for units, worth, _ in came)
    # Why summed here: SQLite would lose digits.
    received = Sum(usd=value_at_frozen_rate(intent, counted), units=BaseUnits(sum(units for units, _ in final)))
    flows = [reader(intent) for reader in _readers.values()]
    returned = _total(one.returned for one in flows)
    net = _counted_net(intent, counted, received, returned)
    return Balance(
        received=received,
        counted=counted,
        counted_net=net,
        due=due_base_units(intent, net),
        seen_usd=value_at_frozen_rate(intent, seen),
        is_awaited=len(final) < len(came),
        returned=returned,
        replaced=_total(one.replaced for one in flows),
        paid_out=_total(one.paid_out for one in flows),
        gone=_total(one.gone for one in flows),
        unsettled=_total(one.unsettled for one in flows),
    )


@compiled_once
def _settling(intent_id: UUID) -> QuerySet[Credit, tuple[BaseUnits, BaseUnits | None, datetime | None]]:
    rows = Credit.objects.filter(intent_id=intent_id, purpose="settlement", reversed_at=None)
    return rows.values_list("base_units", "counted_base_units", "final_at")


def _counted_net(intent: PaymentIntent, counted: BaseUnits, received: Sum, returned: Sum) -> BaseUnits:
    """What counts towards the target: ``payments.amounts.kept_usd`` in units, rounded down."""
    if intent.settled_less_usd is None:
        share = -returned.units * counted // received.units if received.units else 0
        return BaseUnits(max(counted + share, 0))
    gone = usd_to_micros(intent.settled_less_usd) * (intent.target_base_units or 0)
    return BaseUnits(max(counted + -gone // usd_to_micros(intent.amount), 0))


def was_unsettled(intent: PaymentIntent) -> bool:
    """Whether it was settled once and is not now: a reorganisation took a part of what it had settled with."""
    return intent.settled_less_usd is not None and intent.status not in _STILL_SETTLED


def note_returned(intent: PaymentIntent, flows: Outflows) -> None:
    """Write down what goes back by now, so that what is due is told from the row alone. Locks: the intent's, held."""
    intent.returned_usd = flows.returned.usd
    if was_unsettled(intent):
        intent.settled_less_usd = flows.unsettled.usd
    intent.save(update_fields=["returned_usd", "settled_less_usd"])


def _total(sums: Iterable[Sum]) -> Sum:
    return sum(sums, NOTHING)
