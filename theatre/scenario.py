"""A scenario: what happened to a payment, told so that it can be played again. Values only.

Source: docs/theatre.md.

Nothing in it is a person's, a wallet's or a merchant's: payers are numbers, and there is no address of a wallet, no
transaction hash, no metadata and no date. Moments are milliseconds since the payment was created.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final

from core.modes import Mode
from payments.models import LatePolicy
from payments.routing.base import LegKind
from payments.states import INTENT_MACHINE, SETTLED_REASONS, IntentStatus, LegStatus, Problem
from theatre.wire import DOLLARS, TRUTH, UNITS, Malformed, Most, one_of, read, whole, word, write

VERSION: Final = 1
MOST_MS: Final = 400 * 24 * 3600 * 1000
"""The longest a payment can be told of: 400 days."""
MOST_STEPS: Final = 200
"""Moments at which a replay looks."""
MOST_LEGS_IN_ALL: Final = 24
"""Why fewer than all tries could have: each moment of a replay shows every one."""
MOST_TRIES, MOST_LEGS, MOST_ARRIVALS, MOST_ANSWERS, MOST_LINES = 20, 8, 12, 80, 120
HEAD: Final = {"causeway_scenario": VERSION}

Ms = Annotated[int, whole(0, MOST_MS)]
SignedMs = Annotated[int, whole(-MOST_MS, MOST_MS)]
"""A block may be a little older than the payment: its clock is another one."""
Units = Annotated[int, UNITS]
Dollars = Annotated[Decimal, DOLLARS]
Name = Annotated[str, word(128)]
Short = Annotated[str, word(40)]
Decimals = Annotated[int, whole(0, 255)]
Seconds = Annotated[int, whole(0, 10_000_000)]
Truth = Annotated[bool, TRUTH]
Status = Annotated[str, one_of(*IntentStatus.values)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrival:
    """Money of a leg as the chain showed it: seen, counted, final, gone by a reorganisation, and back."""

    seen_ms: Ms
    counts_ms: Ms | None
    final_ms: Ms | None
    gone_ms: Ms | None
    back_ms: Ms | None
    block_ms: SignedMs
    base_units: Units

    def stands(self, at: int) -> bool:
        """Whether the chain shows it at this millisecond."""
        is_gone = self.gone_ms is not None and self.gone_ms <= at and (self.back_ms is None or at < self.back_ms)
        return self.seen_ms <= at and not is_gone


@dataclass(frozen=True, kw_only=True, slots=True)
class Leg:
    """One transaction that the payer was given, and what its chains and its bridge showed of it."""

    kind: Annotated[str, one_of(*(kind.value for kind in LegKind))]
    provider: Short
    chain: Name
    to_chain: Name
    token: Name
    to_token: Name
    token_address: Name
    token_decimals: Decimals
    to_token_decimals: Decimals
    input_base_units: Units
    min_output_base_units: Units
    amount_usd: Dollars
    fee_usd: Dollars
    gas_usd: Dollars
    typical_seconds: Seconds
    sent_ms: Ms | None
    included_ms: Ms | None
    block_ms: SignedMs | None
    failed_ms: Ms | None
    failed_as: Annotated[str, one_of("", "reverted", "replaced", "unfilled")]
    in_doubt_ms: Ms | None
    returned_ms: Ms | None
    arrivals: Annotated[tuple[Arrival, ...], Most(MOST_ARRIVALS)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a provider answered when it was asked for a way."""

    provider: Short
    chosen: Truth
    from_chain: Name
    to_chain: Name
    from_token: Name
    to_token: Name
    to_amount_usd: Dollars
    fee_usd: Dollars
    gas_usd: Dollars
    duration_seconds: Seconds
    error: Short


@dataclass(frozen=True, kw_only=True, slots=True)
class Try:
    """A payer's one try. ``refused``: why there was no quote; ``ended_by``: who ended it before anything was sent."""

    payer: Annotated[int, whole(1, 99)]
    browser: Annotated[int, whole(0, 99)]
    family: Annotated[str, one_of("evm", "solana")]
    hopeless: Truth
    quoted_ms: Ms
    refused: Annotated[str, one_of("", *Problem.values)]
    handed_out_ms: Ms | None
    ended_ms: Ms | None
    ended_by: Annotated[str, one_of("", "clock", "payer")]
    answers: Annotated[tuple[Answer, ...], Most(MOST_ANSWERS)]
    legs: Annotated[tuple[Leg, ...], Most(MOST_LEGS)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """What somebody did beside paying: the payer opened the page, the merchant cancelled or took a part as enough."""

    at_ms: Ms
    what: Annotated[str, one_of("opened", "cancelled", "accepted")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of the payment's history."""

    at_ms: Ms
    trigger: Annotated[str, one_of("create", *sorted({step.trigger for step in INTENT_MACHINE.transitions}))]
    to_status: Status


@dataclass(frozen=True, kw_only=True, slots=True)
class LegEnd:
    """How a leg ended. ``base_units``: what it brought, null where nothing counted."""

    status: Annotated[str, one_of(*LegStatus.values)]
    base_units: Units | None


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """How the payment stood in the end: what a replay must come to."""

    status: Status
    failure_reason: Annotated[str, one_of("", *Problem.values)]
    last_error: Annotated[str, one_of("", *Problem.values)]
    settled_reason: Annotated[str, one_of("", *SETTLED_REASONS)]
    in_doubt: Truth
    received_usd: Dollars
    overpaid_usd: Dollars
    legs: Annotated[tuple[LegEnd, ...], Most(MOST_TRIES * MOST_LEGS)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """The whole story. ``due_ms``: when its time was over by the service's clock; ``expires_ms``: as it was shown."""

    mode: Annotated[str, one_of(*(mode.value for mode in Mode))]
    amount_usd: Dollars
    settlement_chain: Name
    settlement_token: Name
    settlement_token_address: Name
    settlement_decimals: Decimals
    target_base_units: Units | None
    tolerance_bps: Annotated[int, whole(0, 500)] | None
    late_policy: Annotated[str, one_of(*LatePolicy.values)]
    expires_ms: Ms
    due_ms: Ms
    tries: Annotated[tuple[Try, ...], Most(MOST_TRIES)]
    acts: Annotated[tuple[Act, ...], Most(MOST_LINES)]
    history: Annotated[tuple[Line, ...], Most(MOST_LINES)]
    end: End

    @property
    def moments(self) -> list[int]:
        """Every moment at which something happened, in order, beginning with 0."""
        found: set[int | None] = {0, *(act.at_ms for act in self.acts), *(line.at_ms for line in self.history)}
        if any(line.trigger == "expire" for line in self.history):
            found.add(self.due_ms)
        for one in self.tries:
            found |= {one.quoted_ms, one.handed_out_ms, one.ended_ms}
            for leg in one.legs:
                found |= {leg.sent_ms, leg.included_ms, leg.failed_ms, leg.in_doubt_ms, leg.returned_ms}
                for came in leg.arrivals:
                    found |= {came.seen_ms, came.counts_ms, came.final_ms, came.gone_ms, came.back_ms}
        return sorted(moment for moment in found if moment is not None)


def to_file(scenario: Scenario) -> dict[str, Any]:
    """The file, as JSON."""
    return {**HEAD, **write(scenario)}


def from_file(content: Any, where: str = "scenario") -> Scenario:
    """The scenario in a file. Raises: Malformed, with the place and a sentence."""
    if not isinstance(content, dict):
        raise Malformed(where, "type", "Must be an object.")
    if content.get("causeway_scenario") != VERSION or isinstance(content["causeway_scenario"], bool):
        raise Malformed(f"{where}.causeway_scenario", "unknown_value", f"Must be {VERSION}.")
    scenario = read(Scenario, {name: value for name, value in content.items() if name not in HEAD}, where)
    _check(scenario, where)
    return scenario


def _check(scenario: Scenario, where: str) -> None:
    """What no field says alone. Raises: Malformed."""
    if scenario.amount_usd <= 0:
        raise Malformed(f"{where}.amount_usd", "out_of_range", "Must be above zero.")
    if scenario.target_base_units == 0:
        raise Malformed(f"{where}.target_base_units", "out_of_range", "Must be above zero.")
    if len(scenario.moments) > MOST_STEPS:
        raise Malformed(where, "too_long", f"Must have at most {MOST_STEPS} moments.")
    if sum(len(one.legs) for one in scenario.tries) > MOST_LEGS_IN_ALL:
        raise Malformed(f"{where}.tries", "too_long", f"Must have at most {MOST_LEGS_IN_ALL} legs in all.")
    for number, one in enumerate(scenario.tries):
        if bool(one.legs) == bool(one.refused):
            raise Malformed(f"{where}.tries.{number}", "format", "Must have legs, or a reason why it was refused.")
        if one.legs and scenario.target_base_units is None:
            raise Malformed(f"{where}.target_base_units", "required", "Must be there where something was quoted.")
