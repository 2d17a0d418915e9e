"""Tells a payment as a scenario, from the rows that stand. Reads only; what could be recognised is never read.

What rows keep is how things stand and when that came to be, not every step between. Where a moment was not kept, the
nearest one that was is taken, so that causes still come before what followed.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from chains.clients.base import Mark
from core.clock import now
from payments.models import Credit, IntentTransition, PaymentAttempt, PaymentIntent, RouteCandidate
from payments.models import Leg as LegRow
from payments.selectors import legs_of, policy_for
from payments.services.attempts import QUOTE_LIFETIME, SIGNATURE_TIME
from payments.states import (
    NOT_FOUND,
    REPLACED,
    REVERTED,
    TIME_RAN_OUT,
    UNFILLED,
    AttemptStatus,
    IntentStatus,
    LegStatus,
    Problem,
)
from theatre.ending import end_of
from theatre.scenario import (
    MOST_ANSWERS,
    MOST_ARRIVALS,
    MOST_LEGS,
    MOST_LINES,
    MOST_MS,
    MOST_TRIES,
    Act,
    Answer,
    Arrival,
    Leg,
    Line,
    Scenario,
    Try,
)

_FAILED_AS: Final = {REVERTED: "reverted", REPLACED: "replaced", NOT_FOUND: "replaced", UNFILLED: "unfilled"}
"""Why the third: test mode has no ten minutes to wait in, and both leave the leg to its owner."""
_INCLUDED: Final = frozenset({LegStatus.CONFIRMING, LegStatus.CONFIRMED, LegStatus.IN_DOUBT, LegStatus.REFUNDED})
_SENT: Final = _INCLUDED | {LegStatus.SUBMITTED}
_ACTS: Final = {"await_payment": "opened", "cancel": "cancelled", "accept_partial": "accepted"}
_ENDS_TRY: Final = frozenset({"lapse_quote", "lapse_top_up_quote", "abandon", "abandon_top_up", "requote"})
_SETTLES: Final = frozenset({"settle", "accept_partial", "accept_late", "restore"})
_CODE: Final = re.compile(r"[A-Za-z_]{1,40}\Z")
_STARTS_IN_TIME: Final = QUOTE_LIFETIME - timedelta(seconds=1)


def scenario_of(intent: PaymentIntent) -> Scenario:
    """What happened to a payment, up to the first time that money went back to a payer: that is another story."""
    return _Telling(intent).scenario()


class _Telling:
    """One payment's rows, and moments counted from when it was created."""

    def __init__(self, intent: PaymentIntent) -> None:
        self._intent, self._began = intent, intent.created_at
        lines = list(intent.history.order_by("id"))
        gave_back = next((number for number, line in enumerate(lines) if line.trigger == "refund"), len(lines))
        self._lines = lines[:gave_back][:MOST_LINES]
        self._attempts = list(intent.payment_attempts.order_by("number"))
        self._legs = [leg for leg in legs_of(intent) if leg.attempt_id is not None]

    def scenario(self) -> Scenario:
        """All of it."""
        intent, policy = self._intent, policy_for(self._intent)
        return Scenario(
            mode=intent.mode,
            amount_usd=intent.amount,
            settlement_chain=intent.settlement_chain,
            settlement_token=intent.settlement_token,
            settlement_token_address=intent.settlement_token_address,
            settlement_decimals=intent.settlement_decimals,
            target_base_units=intent.target_base_units,
            tolerance_bps=policy.tolerance_bps,
            late_policy=policy.late,
            expires_ms=self._ms(intent.expires_at),
            due_ms=self._due_ms(),
            tries=tuple(self._tries()),
            acts=tuple(self._acts()),
            history=tuple(
                Line(at_ms=self._ms(line.created_at), trigger=line.trigger, to_status=line.to_status)
                for line in self._lines
            ),
            end=end_of(intent, self._status_in_the_end(), self._legs),
        )

    def _status_in_the_end(self) -> IntentStatus:
        return IntentStatus(self._lines[-1].to_status if self._lines else self._intent.status)

    def _ms(self, moment: datetime) -> int:
        return min(max((moment - self._began) // timedelta(milliseconds=1), 0), MOST_MS)

    def _optional_ms(self, moment: datetime | None) -> int | None:
        return None if moment is None else self._ms(moment)

    def _block_ms(self, moment: datetime) -> int:
        """Not cut at 0: a block's clock is another one."""
        return max(min((moment - self._began) // timedelta(milliseconds=1), MOST_MS), -MOST_MS)

    def _at(self, *triggers: str) -> list[IntentTransition]:
        return [line for line in self._lines if line.trigger in triggers]

    def _due_ms(self) -> int:
        """When its time was over. Why not the column: the test clock moves that, and shows it nowhere."""
        expired = self._at("expire")
        starts = [line for line in self._at("quote", "proceed", "sign") if not expired or line.id < expired[0].id]
        last_start = max((self._ms(line.created_at) for line in starts), default=0)
        if expired:
            return max(min(self._ms(expired[0].created_at), self._ms(self._intent.expires_at)), last_start + 1)
        if failed := self._at("fail"):
            return max(min(self._ms(failed[-1].created_at), self._ms(self._intent.expires_due_at)), last_start + 1)
        return max(self._ms(self._intent.expires_due_at), self._ms(now()))

    def _acts(self) -> Iterable[Act]:
        """Why also where a try is left out: somebody was there."""
        for line in self._lines:
            if line.trigger in _ACTS:
                yield Act(at_ms=self._ms(line.created_at), what=_ACTS[line.trigger])
        if not self._at("await_payment") and (quotes := self._at("quote")):
            yield Act(at_ms=self._ms(quotes[0].created_at), what="opened")

    def _tries(self) -> Iterable[Try]:
        """Every try of which a quote or a refusal is left, the oldest first."""
        answers: dict[object, list[RouteCandidate]] = {}
        for one in self._intent.route_candidates.order_by("created_at", "-chosen", "id"):
            answers.setdefault(one.attempt_id, []).append(one)
        payers, browsers = _Numbers(1), _Numbers(0)
        written = 0
        for attempt in self._attempts:
            legs = [leg for leg in self._legs if leg.attempt_id == attempt.pk]
            refused = self._refusal(attempt, legs)
            if written < MOST_TRIES and (legs or refused):
                written += 1
                numbers = (payers.of(attempt.payer_address), browsers.of(attempt.browser))
                yield self._try(attempt, legs, refused, answers.get(attempt.pk, []), numbers)

    def _refusal(self, attempt: PaymentAttempt, legs: Sequence[LegRow]) -> str:
        is_refused = not legs and attempt.status == AttemptStatus.FAILED and attempt.error_code in Problem.values
        return attempt.error_code if is_refused else ""

    def _try(
        self,
        attempt: PaymentAttempt,
        legs: Sequence[LegRow],
        refused: str,
        answers: Sequence[RouteCandidate],
        numbers: tuple[int, int],
    ) -> Try:
        quoted = max([legs[0].created_at] if legs else [one.created_at for one in answers] or [attempt.created_at])
        handed_out = self._handed_out(attempt, legs, quoted)
        ended, ended_by = self._ended(attempt, legs, quoted)
        ended_ms = None if ended is None else max(self._ms(ended), self._ms(handed_out or quoted) + 1)
        return Try(
            payer=numbers[0],
            browser=numbers[1],
            family=attempt.family,
            hopeless=attempt.scenario == "fail",
            quoted_ms=self._ms(quoted),
            refused=refused,
            handed_out_ms=self._optional_ms(handed_out),
            ended_ms=ended_ms,
            ended_by=ended_by,
            answers=tuple(_answer(one) for one in answers[:MOST_ANSWERS]),
            legs=tuple(self._leg(attempt, leg) for leg in legs[:MOST_LEGS]),
        )

    def _handed_out(self, attempt: PaymentAttempt, legs: Sequence[LegRow], quoted: datetime) -> datetime | None:
        """When the payer was first given something to sign, while the quote held."""
        if not any(leg.issued for leg in legs):
            return None
        latest = min([quoted + _STARTS_IN_TIME, *(leg.submitted_at for leg in legs if leg.submitted_at is not None)])
        known = [line.created_at for line in self._at("proceed")]
        if attempt.signature_due_at is not None:
            known.insert(0, attempt.signature_due_at - SIGNATURE_TIME)
        return max(quoted, next((moment for moment in known if quoted <= moment <= latest), quoted))

    def _ended(self, attempt: PaymentAttempt, legs: Sequence[LegRow], quoted: datetime) -> tuple[datetime | None, str]:
        """When and by whom a try ended of which nothing had been sent; nothing where another act ended it."""
        if attempt.status != AttemptStatus.ABANDONED:
            return None, ""
        unsent = [leg for leg in legs if leg.status == LegStatus.FAILED and leg.error and leg.submitted_at is None]
        lines = [line for line in self._at(*_ENDS_TRY) if line.created_at >= quoted]
        reason = unsent[0].error if unsent else lines[0].reason if lines else ""
        moment = unsent[0].updated_at if unsent else lines[0].created_at if lines else None
        if moment is None or any(line.created_at == moment for line in self._at("expire", "cancel", *_SETTLES)):
            return None, ""
        return moment, "clock" if reason == TIME_RAN_OUT else "payer"

    def _leg(self, attempt: PaymentAttempt, leg: LegRow) -> Leg:
        failed_as = _FAILED_AS.get(leg.error, "") if leg.status == LegStatus.FAILED else ""
        is_sent = leg.status in _SENT or bool(failed_as)
        sent = (leg.submitted_at or attempt.signed_at or leg.updated_at) if is_sent else None
        is_included = leg.status in _INCLUDED or failed_as == "unfilled"
        changed, sent_ms = leg.updated_at, self._sent_ms(sent)
        included_ms = max([one for one in (sent_ms, self._optional_ms(leg.departed_at)) if one is not None], default=0)
        return Leg(
            kind=leg.kind,
            provider=leg.provider,
            chain=leg.chain,
            to_chain=leg.to_chain,
            token=leg.token,
            to_token=leg.to_token,
            token_address=leg.token_address,
            token_decimals=leg.token_decimals,
            to_token_decimals=leg.to_token_decimals,
            input_base_units=leg.input_base_units,
            min_output_base_units=leg.min_output_base_units,
            amount_usd=leg.amount_usd,
            fee_usd=leg.fee_usd,
            gas_usd=leg.gas_usd,
            typical_seconds=leg.typical_seconds,
            sent_ms=sent_ms,
            included_ms=included_ms if is_included else None,
            block_ms=None if leg.departed_at is None else self._block_ms(leg.departed_at),
            failed_ms=self._ms(changed) if failed_as else None,
            failed_as=failed_as,
            in_doubt_ms=self._ms(changed) if leg.status == LegStatus.IN_DOUBT else None,
            returned_ms=self._ms(changed) if leg.status == LegStatus.REFUNDED else None,
            arrivals=tuple(self._arrival(credit) for credit in self._came(leg)),
        )

    def _sent_ms(self, sent: datetime | None) -> int | None:
        """When a leg was seen to be sent: after the end of a payment that nothing was on its way for until then."""
        if sent is None:
            return None
        expired, moving = self._at("expire")[:1], self._at("sign", "observe_credit")[:1]
        was_seen_late = bool(expired) and (not moving or moving[0].id > expired[0].id)
        return max(self._ms(sent), self._due_ms() + 1) if was_seen_late else self._ms(sent)

    def _came(self, leg: LegRow) -> list[Credit]:
        own = leg.credits.filter(intent=self._intent, purpose="settlement").exclude(mark=Mark.STRAY)
        return list(own.order_by("observed_at", "pk")[:MOST_ARRIVALS])

    def _arrival(self, credit: Credit) -> Arrival:
        """What was taken back after it counted has lost the moment at which it did: it settled by then."""
        counts, gone, back = credit.final_at, credit.reversed_at, None
        taken = self._reversal_of(credit)
        if taken is not None:
            counts, gone, back = taken[0], taken[1], credit.final_at
        return Arrival(
            seen_ms=self._ms(credit.observed_at),
            counts_ms=self._optional_ms(counts),
            final_ms=self._optional_ms(credit.finalized_at),
            gone_ms=self._optional_ms(gone),
            back_ms=self._optional_ms(back),
            block_ms=self._block_ms(credit.block_time),
            base_units=credit.base_units,
        )

    def _reversal_of(self, credit: Credit) -> tuple[datetime, datetime] | None:
        """When it had counted and when it was gone, where a reorganisation took back what the payment settled with."""
        for line in self._at("reverse"):
            settled = [one.created_at for one in self._at(*_SETTLES) if one.id < line.id]
            was_there = bool(settled) and credit.observed_at <= settled[-1]
            if was_there and (credit.final_at is None or credit.final_at >= line.created_at):
                return settled[-1], line.created_at
        return None


class _Numbers:
    """Gives what must not be shown a number, the same one for the same."""

    def __init__(self, first: int) -> None:
        self._first, self._known = first, dict[str, int]()

    def of(self, value: str) -> int:
        return self._known.setdefault(value, self._first + len(self._known))


def _answer(one: RouteCandidate) -> Answer:
    error = one.error or ""
    return Answer(
        provider=one.provider,
        chosen=one.chosen,
        from_chain=one.from_chain,
        to_chain=one.to_chain,
        from_token=one.from_token,
        to_token=one.to_token,
        to_amount_usd=one.to_amount_usd,
        fee_usd=one.fee_usd,
        gas_usd=one.gas_usd,
        duration_seconds=one.duration_sec,
        error=error if _CODE.match(error) or not error else "other",
    )
