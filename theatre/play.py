"""Plays a scenario: a test payment lives through it by the services of every payment, and is taken back in the end.

Everything happens in one transaction that is never committed, under a clock that is set from moment to moment. So a
replay costs no real time and leaves nothing: no payment in a list, no event for a receiver, nothing in the books.
Source: docs/adr/0118.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django.db import transaction

from chains.clients.script import synthetic_address
from core import clock
from core.clock import Ticks, now, ticks
from core.modes import Mode
from core.money import BaseUnits, UsdAmount, to_decimal_string
from core.transitions import drafted
from merchants.principal import Principal
from payments.models import Leg as LegRow
from payments.models import PayerWallet, PaymentAttempt, PaymentIntent, PaymentPolicy
from payments.routing.base import Asset, LegKind, Plan, RouteOffer, RouteRequest
from payments.routing.planning import NO_PRICE
from payments.selectors import policy_of
from payments.services.accept import accept_partial
from payments.services.advance import MOST_STEPS as MOST_LOOKS
from payments.services.advance import advance_intent
from payments.services.attempts import give_up_attempt, new_attempt, open_for_payment, request_start
from payments.services.cancel import cancel_intent
from payments.services.quote import store_plan
from payments.services.rate import RATE_LOCK
from payments.services.side_by_side import own_open_attempt, withdraw
from payments.services.transition import INTENT_LIFECYCLE, locked_intent
from payments.states import PAYER_REJECTED, AttemptStatus, IntentStatus, Problem
from theatre.ending import differences, end_of
from theatre.errors import ReplayTooLong
from theatre.happenings import happenings_at
from theatre.scenario import Act, Scenario, Try
from theatre.scenario import Leg as LegStory
from theatre.stage import StageChains
from webhooks.models import Event

ACTOR: Final = "replay"
MOST_SECONDS: Final = 10
"""Of a worker. Why: what is written is held back from others until the end, on SQLite from everybody."""
_STANDS_FOR: Final = {"lifi": "atlas", "jupiter": "meridian", "atlas": "atlas", "meridian": "meridian"}
"""Who plays a provider; the others play a direct transfer."""


@dataclass(kw_only=True)
class Played:
    """What a replay showed, step by step, where its end differs from the file's, and whether it came there alike."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    differences: list[dict[str, str]] = field(default_factory=list)
    took_the_same_way: bool = False


def play(merchant_id: int, scenario: Scenario) -> Played:
    """Play it for a merchant, and take all of it back.

    Raises: what a service raises that cannot do what the file asks for; ReplayTooLong.
    """
    with transaction.atomic():
        played = _Play(merchant_id, scenario).run()
        transaction.set_rollback(True)  # noqa: FBT003 - the framework's
    return played


class _Play:
    """One payment on its stage. ``_began``: so long ago that the last moment is now."""

    def __init__(self, merchant_id: int, scenario: Scenario) -> None:
        self._scenario, self._merchant_id = scenario, merchant_id
        self._principal = Principal(merchant_id=merchant_id, mode=Mode.TEST, actor=ACTOR)
        self._began: datetime = now() - timedelta(milliseconds=scenario.moments[-1])
        self._legs: dict[str, LegStory] = {}
        self._attempts: dict[int, PaymentAttempt] = {}
        self._client = StageChains(self._began, self._legs.__getitem__)
        self._ends_at: Ticks = ticks() + MOST_SECONDS
        self._last_event = self._lines = 0

    def run(self) -> Played:
        """From the first moment to the last."""
        played = Played()
        for at in self._scenario.moments:
            with clock.set_to(self._began + timedelta(milliseconds=at)):
                if at == 0:
                    self._intent_id = self._create()
                self._act(at)
                self._look()
                played.steps.append(self._step(at))
        intent = PaymentIntent.objects.get(pk=self._intent_id)
        legs = list(intent.legs.order_by("sequence"))
        played.differences = differences(self._scenario.end, end_of(intent, IntentStatus(intent.status), legs))
        way = list(intent.history.order_by("id").values_list("trigger", flat=True))
        played.took_the_same_way = way == [line.trigger for line in self._scenario.history]
        return played

    def _create(self) -> Any:
        """The payment, under the policy that the file's was judged by."""
        scenario, own = self._scenario, policy_of(self._merchant_id, Mode.TEST)
        if (own.tolerance_bps, own.late) != (scenario.tolerance_bps, scenario.late_policy):
            PaymentPolicy.objects.update_or_create(
                merchant_id=self._merchant_id,
                mode=Mode.TEST,
                defaults={"tolerance_bps": scenario.tolerance_bps, "late": scenario.late_policy},
            )
        intent = PaymentIntent(
            merchant_id=self._merchant_id,
            mode=Mode.TEST,
            amount=UsdAmount(scenario.amount_usd),
            settlement_chain=scenario.settlement_chain,
            settlement_token=scenario.settlement_token,
            settlement_token_address=scenario.settlement_token_address,
            settlement_decimals=scenario.settlement_decimals,
            settlement_address=synthetic_address(scenario.settlement_chain, "replayed shop"),
            created_at=now(),
            expires_at=self._moment(scenario.expires_ms),
            expires_due_at=self._moment(scenario.due_ms),
        )
        drafted(INTENT_LIFECYCLE, intent, actor=ACTOR).insert()
        return intent.pk

    def _moment(self, ms: int) -> datetime:
        return self._began + timedelta(milliseconds=ms)

    def _act(self, at: int) -> None:
        """What people did at this moment: the payer first."""
        for number, one in enumerate(self._scenario.tries):
            if one.ended_ms == at and number in self._attempts:
                self._end(number, one)
            if one.quoted_ms == at:
                self._quote(number, one)
            if one.handed_out_ms == at and number in self._attempts:
                request_start(self._intent_id, self._attempts[number].pk)
        for act in self._scenario.acts:
            if act.at_ms == at:
                self._do(act)

    def _do(self, act: Act) -> None:
        if act.what == "opened":
            open_for_payment(self._intent_id)
        elif act.what == "cancelled":
            cancel_intent(self._principal, self._intent_id)
        else:
            accept_partial(self._principal, self._intent_id)

    def _quote(self, number: int, story: Try) -> None:
        """The payer asks, and gets what the file says. Locks: the intent, as it is this transaction's alone."""
        intent = locked_intent(self._intent_id)
        browser = f"browser {story.browser}" if story.browser else ""
        withdraw(intent, own_open_attempt(intent, browser), "the payer chose another token")
        if story.legs and intent.target_base_units is None:
            intent.target_base_units = BaseUnits(self._scenario.target_base_units or 1)
        intent.rate_until = now() + RATE_LOCK
        intent.save(update_fields=["target_base_units", "rate_until"])
        chain = story.legs[0].chain if story.legs else self._scenario.settlement_chain
        wallet = PayerWallet(
            browser=browser, family=story.family, address=synthetic_address(chain, f"payer {story.payer}")
        )
        attempt = new_attempt(intent, wallet, scenario="fail" if story.hopeless else "")
        refusal = NO_PRICE if story.refused == Problem.PRICE_UNAVAILABLE else story.refused
        legs = tuple(self._offer(intent, wallet.address, leg) for leg in story.legs)
        store_plan(intent, attempt, Plan(legs=legs, candidates=(), reason="", refusal=refusal or None))
        self._attempts[number] = attempt
        for row, leg in zip(attempt.legs.order_by("sequence"), story.legs, strict=True):
            self._legs[str(row.pk)] = leg

    def _offer(self, intent: PaymentIntent, payer: str, leg: LegStory) -> RouteOffer:
        source = Asset(
            chain=leg.chain,
            address=leg.token_address,
            symbol=leg.token,
            name=leg.token,
            decimals=leg.token_decimals,
            usd_price=Decimal(1),
        )
        destination = Asset(
            chain=leg.to_chain,
            address=intent.settlement_token_address,
            symbol=leg.to_token,
            name=leg.to_token,
            decimals=leg.to_token_decimals,
            usd_price=Decimal(1),
        )
        least = BaseUnits(leg.min_output_base_units)
        return RouteOffer(
            provider=_STANDS_FOR.get(leg.provider, "direct"),
            request=RouteRequest(
                mode=Mode.TEST,
                payer_address=payer,
                source=source,
                destination=destination,
                recipient=intent.settlement_address,
                target_base_units=least,
            ),
            kind=LegKind(leg.kind),
            input_base_units=BaseUnits(leg.input_base_units),
            min_output_base_units=least,
            expected_output_base_units=least,
            to_amount_usd=UsdAmount(leg.amount_usd),
            fee_usd=UsdAmount(leg.fee_usd),
            gas_usd=UsdAmount(leg.gas_usd),
            duration_sec=leg.typical_seconds,
        )

    def _end(self, number: int, story: Try) -> None:
        """By the clock: its time is over now, and the next look ends it."""
        attempt = PaymentAttempt.objects.get(pk=self._attempts[number].pk)
        if story.ended_by == "payer":
            give_up_attempt(self._intent_id, attempt.pk, PAYER_REJECTED)
        elif attempt.status in (AttemptStatus.QUOTED, AttemptStatus.AWAITING_SIGNATURE):
            attempt.lapses_at = attempt.signature_due_at = now()
            attempt.save(update_fields=["lapses_at", "signature_due_at"])

    def _look(self) -> None:
        """What a worker does until nothing is due. Raises: ReplayTooLong."""
        for _ in range(MOST_LOOKS):
            if ticks() > self._ends_at:
                raise ReplayTooLong(MOST_SECONDS)
            if not advance_intent(self._intent_id, client=self._client):
                return

    def _step(self, at: int) -> dict[str, Any]:
        """How everything stands at this moment, and what is new since the one before."""
        intent = PaymentIntent.objects.get(pk=self._intent_id)
        lines = list(intent.history.order_by("id").values_list("trigger", "to_status"))
        newer = Event.objects.filter(resource_id=str(intent.pk), sequence__gt=self._last_event).order_by("sequence")
        events = list(newer.values_list("type", flat=True))
        step = {
            "at_ms": at,
            "happened": list(happenings_at(self._scenario, at)),
            "status": intent.status,
            "received_usd": to_decimal_string(intent.received_usd),
            "last_error": intent.last_error_code,
            "moves": [{"trigger": trigger, "to": status} for trigger, status in lines[self._lines :]],
            "events": events,
            "legs": [_leg(row) for row in intent.legs.order_by("sequence")],
        }
        self._last_event, self._lines = self._last_event + len(events), len(lines)
        return step


def _leg(row: LegRow) -> dict[str, Any]:
    return {
        "number": row.sequence,
        "status": row.status,
        "chain": row.chain,
        "to_chain": row.to_chain,
        "token": row.token,
        "base_units": None if row.output_base_units is None else str(row.output_base_units),
    }
