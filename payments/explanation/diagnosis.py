"""The diagnosis: which situation, in which words, with which facts, and which of several lines comes first."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from core.clock import now
from payments.explanation.aftermath import aftermath_of
from payments.explanation.details import because_of
from payments.explanation.facts import facts_of
from payments.explanation.lines import Actor, Explanation, Line, Words
from payments.explanation.merchant_words import MERCHANT_WORDS, PART_WITH_MERCHANT, WITH_PAYER
from payments.explanation.merchant_words import NOT_SEEN as NOT_SEEN_OF_PAYER
from payments.explanation.payer_words import (
    BESIDE_A_PART,
    LOOK_FIRST,
    NOT_SEEN,
    NOTHING_SENT,
    PART_ARRIVED,
    PAYER_WORDS,
)
from payments.explanation.rows import Rows
from payments.explanation.situations import AT_REST, Situation, situation_of
from payments.models import PaymentIntent
from payments.states import UNPAID, IntentStatus

_PRESSING = (Actor.MERCHANT, Actor.PAYER, Actor.SERVICE)
"""Who must act, the most pressing first; where nobody must, nothing presses."""
_MAY_BE_PAID = (*UNPAID, IntentStatus.PARTIALLY_FILLED)


def explain(intent: PaymentIntent, *, at: datetime | None = None, rows: Rows | None = None) -> Explanation:
    """One answer to "where is the money?", from rows alone: the same rows at the same moment give the same answer.

    At most six queries; fewer with ``rows`` that hold what was read already.
    """
    rows = rows or Rows(intent, at or now())
    situation = situation_of(rows)
    own = _own_line(rows, situation)
    after = aftermath_of(intent)
    lead = _lead(intent, own, after)
    return Explanation(
        situation=situation.value,
        lead=lead,
        also=tuple(line for line in (own, *after) if line is not lead),
        payer=words_for_payer(rows, situation),
    )


def words_for_payer(rows: Rows, situation: Situation) -> Words:
    """What the payer reads. Why changed at times: who paid, or may have, must not read that nothing moved."""
    words = PAYER_WORDS[situation]
    if elsewhere := _beside_a_part(rows, situation):
        return replace(words, money=elsewhere)
    if words.money == NOTHING_SENT and rows.may_have_been_sent:
        words = replace(words, money=NOT_SEEN, next=LOOK_FIRST.get(words.next, words.next))
    return replace(words, money=PART_ARRIVED) if _asks_for_more(rows) else words


def _beside_a_part(rows: Rows, situation: Situation) -> str:
    """Where the rest of the money is, if a part arrived and the rest moved too."""
    if rows.intent.received_usd == 0 or rows.intent.status not in _MAY_BE_PAID:
        return ""
    return BESIDE_A_PART.get(situation) or BESIDE_A_PART.get(rows.intent.last_error_code, "")


def sentences() -> set[str]:
    """Every sentence that merchants can be told of an intent's own situation, without its details."""
    parts = [words for _, _, words in MERCHANT_WORDS.values()]
    return {
        PART_WITH_MERCHANT,
        NOT_SEEN_OF_PAYER,
        *(sentence for one in parts for sentence in (one.happened, one.money, one.next)),
    }


def _own_line(rows: Rows, situation: Situation) -> Line:
    actor, tone, words = MERCHANT_WORDS[situation]
    step = rows.last_step
    return Line(
        code=situation.value,
        happened=words.happened,
        because=because_of(rows, situation),
        money=_money_of_merchant(rows, words.money),
        next=words.next,
        actor=actor,
        tone=tone,
        since=None if step is None else step.created_at,
        facts=facts_of(rows),
    )


def _money_of_merchant(rows: Rows, money: str) -> str:
    if _asks_for_more(rows):
        return PART_WITH_MERCHANT
    return NOT_SEEN_OF_PAYER if money == WITH_PAYER and rows.may_have_been_sent else money


def _asks_for_more(rows: Rows) -> bool:
    return rows.intent.status in UNPAID and rows.intent.received_usd > 0


def _lead(intent: PaymentIntent, own: Line, after: Iterable[Line]) -> Line:
    """The line that most needs acting on. While the payment itself moves, that is the news."""
    pressing = [line for actor in _PRESSING for line in after if line.actor is actor]
    if intent.status not in AT_REST or own.code == Situation.SETTLED_VANISHED or not pressing:
        return own
    return pressing[0]
