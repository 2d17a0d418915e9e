"""I18: what leaves of an intent is at most what came in, by base units and by dollars, and each row sends its share.

Counted from arrivals and from transfers that landed or may land, not from the sums that the service keeps.
Source: docs/adr/0049.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from chains.models import Transfer
from operations.invariants.credits import counts_for
from operations.invariants.paths import RELEASED
from operations.invariants.scope import Scope
from payments.models import Credit, PaymentIntent
from payouts.models import Payout
from refunds.models import Refund

MICROS = 1_000_000
OVER_UNPAID = ("reverted", "failed")
MAY_LAND = ("signed", "broadcast", "mined", "paid")
BESIDE = ("unattributed", "stray")
"""The purposes of what moved beside a payment and is nobody's, or counts for nothing: ``strays`` counts it."""
Asset = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """One refund or payout that is not over unpaid, and the transfer of it that landed or may."""

    name: str
    row: Any
    transfer: Transfer | None

    @property
    def asset(self) -> Asset:
        """Chain and token of what moves; of the wish where nothing was ordered yet."""
        moves = self.transfer or self.row
        return moves.chain, moves.token_address

    @property
    def units(self) -> int:
        """Base units that it takes of what came in: not what the merchant said to take from other funds."""
        sent = max(int(self.row.base_units), int(self.transfer.base_units) if self.transfer else 0)
        return sent - int(getattr(self.row, "other_funds_units", 0))

    @property
    def micros(self) -> int:
        """Micro-dollars that it takes of what came in."""
        return int((self.row.amount_usd - getattr(self.row, "other_funds_usd", 0)) * MICROS)

    @property
    def has_left(self) -> bool:
        """Whether nobody can be sure to call it back."""
        return self.row.status == "paid" or (self.transfer is not None and self.transfer.status in MAY_LAND)


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """Base units of one asset that came for an intent: that stand, that are final on their chain, that ever counted."""

    standing: int = 0
    finalized: int = 0
    ever: int = 0
    worth: int = 0
    """Units at the frozen rate that all that ever counted is worth."""


def money_out_is_money_in(scope: Scope) -> Iterator[str]:
    """I18: refunds and payouts of an intent together take no more than came in for it. Refunds alone are I1's."""
    for batch in scope.batches(PaymentIntent):
        outgoing, came = outgoing_of(batch), _incoming(batch)
        for intent in batch:
            mine = outgoing[intent.pk]
            for asset in sorted({one.asset for one in mine}):
                of_asset = [one for one in mine if one.asset == asset]
                came_of_asset = came[intent.pk].get(asset, Incoming())
                if any(one.name == "payout" for one in mine):
                    yield from _beyond(intent, asset, of_asset, came_of_asset)
                yield from _too_soon(intent, asset, of_asset, came_of_asset)


def _beyond(intent: PaymentIntent, asset: Asset, outgoing: Sequence[Outgoing], came: Incoming) -> Iterator[str]:
    """Why two limits: what only waits may wait for a settlement that a reorganisation took and may give back."""
    left = [one for one in outgoing if one.has_left]
    what = f"of {asset[1] or 'the coin'} on {asset[0]}"
    units, held = sum(one.units for one in left), sum(one.units for one in outgoing)
    if units > came.standing:
        owed = "; what is missing was taken back after it had counted, and is owed" if units <= came.ever else ""
        yield f"I18 intent {intent.pk} sent {units} base units {what}, and {came.standing} came in{owed}"
    elif held > came.ever:
        yield f"I18 intent {intent.pk} holds {held} base units {what} for what leaves, and {came.ever} came in"
    # In micro-dollars at the frozen rate, cut down.
    worth = int(intent.amount * MICROS) * came.worth // int(intent.target_base_units) if intent.target_base_units else 0
    micros = sum(one.micros for one in outgoing)
    is_home = asset == (intent.settlement_chain, intent.settlement_token_address)
    if is_home and micros > worth:
        yield f"I18 intent {intent.pk} sends {micros} micro-dollars by refunds and payouts, and {worth} came in"


def _too_soon(intent: PaymentIntent, asset: Asset, outgoing: Sequence[Outgoing], came: Incoming) -> Iterator[str]:
    """Nothing leaves before the chain calls final what it is taken from."""
    units = sum(one.units for one in outgoing if one.has_left)
    if came.finalized < units <= came.standing:
        what = f"of {asset[1] or 'the coin'} on {asset[0]}"
        yield f"I18 intent {intent.pk} sent {units} base units {what}, of which only {came.finalized} are final there"


def each_amount_is_its_share(scope: Scope) -> Iterator[str]:
    """I18: the base units of a refund or payout are worth its dollars at the rate at which the intent was credited.

    What is cut off on the way collects in the last one: a unit, and a micro-dollar's worth, for each of them.
    """
    for batch in scope.batches(PaymentIntent):
        rows, came = _rows(batch), _incoming(batch)
        for intent in batch:
            of_intent = rows[intent.pk]
            home = came[intent.pk].get((intent.settlement_chain, intent.settlement_token_address), Incoming())
            wrong = [(name, row) for name, row in of_intent if _is_unequal(intent, home, row, len(of_intent))]
            yield from (_unequal(intent, name, row) for name, row in wrong)


def _is_unequal(intent: PaymentIntent, came: Incoming, row: Any, beside: int) -> bool:
    """Why another rate where not all that came is worth the frozen one: all of it together is sent as one."""
    home = (intent.settlement_chain, intent.settlement_token_address)
    if not intent.target_base_units or (row.chain, row.token_address) != home:
        return False
    amount, target = int(intent.amount * MICROS), int(intent.target_base_units)
    if came.worth != came.ever:
        amount, target = amount * came.worth, target * came.ever
    off = abs(int(row.base_units) * amount - int(row.amount_usd * MICROS) * target)
    return off > (beside + 1) * (target + amount)


def _unequal(intent: PaymentIntent, name: str, row: Any) -> str:
    return (
        f"I18 {name} {row.pk} of {row.amount_usd} USD sends {row.base_units} base units,"
        f" where {intent.amount} USD are {intent.target_base_units}"
    )


def outgoing_of(intents: Sequence[PaymentIntent]) -> dict[UUID, list[Outgoing]]:
    """By intent, what leaves of its money. A payout on the rail ``direct`` moves nothing."""
    rows = {
        pk: [(name, row) for name, row in of_intent if not _is_over(name, row)]
        for pk, of_intent in _rows(intents).items()
    }
    ids = [row.pk for of_intent in rows.values() for _, row in of_intent]
    living = Transfer.objects.filter(purpose_id__in=ids).exclude(status__in=OVER_UNPAID)
    transfers = {(one.purpose, one.purpose_id): one for one in living}
    found: dict[UUID, list[Outgoing]] = defaultdict(list)
    for pk, of_intent in rows.items():
        found[pk] = [Outgoing(name=name, row=row, transfer=transfers.get((name, row.pk))) for name, row in of_intent]
    return found


def _is_over(name: str, row: Any) -> bool:
    return row.status in RELEASED if name == "refund" else row.status == "failed" or row.rail == "direct"


def _rows(intents: Sequence[PaymentIntent]) -> dict[UUID, list[tuple[str, Any]]]:
    found: dict[UUID, list[tuple[str, Any]]] = defaultdict(list)
    models: tuple[tuple[str, Any], ...] = (("refund", Refund), ("payout", Payout))
    for name, model in models:
        rows = model._default_manager.filter(intent__in=intents)
        for row in rows.filter(stray=None) if model is Refund else rows:
            found[row.intent_id].append((name, row))
    return found


def _incoming(intents: Sequence[PaymentIntent]) -> dict[UUID, dict[Asset, Incoming]]:
    found: dict[UUID, dict[Asset, Incoming]] = defaultdict(dict)
    by_id: dict[UUID | None, PaymentIntent] = {intent.pk: intent for intent in intents}
    counting = (
        Credit.objects.select_related("leg")
        .filter(intent__in=intents, final_at__isnull=False)
        .exclude(purpose__in=BESIDE)
    )
    for credit in counting:
        of_intent, asset, units = found[credit.intent_id], (credit.chain, credit.token_address), int(credit.base_units)  # type: ignore[index]  # the filter leaves no credit without an intent
        before, stands = of_intent.get(asset, Incoming()), credit.reversed_at is None
        of_intent[asset] = Incoming(
            standing=before.standing + (units if stands else 0),
            finalized=before.finalized + (units if stands and credit.finalized_at is not None else 0),
            ever=before.ever + units,
            worth=before.worth + counts_for(by_id[credit.intent_id], credit),
        )
    return found
