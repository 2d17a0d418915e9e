"""The diagnosis: which situation, in which words, with which facts, and which of several lines comes first."""

from dataclasses import replace
from datetime import datetime

from core.clock import now
from payments.explanation.aftermath import aftermath_of
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
from payments.states import UNPAID, AttemptStatus, IntentStatus, LegStatus, Problem

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
    # The line that most needs acting on leads. While the payment itself moves, that is the news.
    pressing = [line for actor in _PRESSING for line in after if line.actor is actor]
    own_leads = intent.status not in AT_REST or own.code == Situation.SETTLED_VANISHED or not pressing
    lead = own if own_leads else pressing[0]
    return Explanation(
        situation=situation.value,
        lead=lead,
        also=tuple(line for line in (own, *after) if line is not lead),
        payer=words_for_payer(rows, situation),
    )


def words_for_payer(rows: Rows, situation: Situation) -> Words:
    """What the payer reads. Why changed at times: who paid, or may have, must not read that nothing moved."""
    intent, words = rows.intent, PAYER_WORDS[situation]
    has_part = intent.received_usd != 0 and intent.status in _MAY_BE_PAID
    # If the rest moved too, the payer reads where that is.
    if has_part and (elsewhere := BESIDE_A_PART.get(situation) or BESIDE_A_PART.get(intent.last_error_code, "")):
        return replace(words, money=elsewhere)
    if words.money == NOTHING_SENT and rows.may_have_been_sent:
        words = replace(words, money=NOT_SEEN, next=LOOK_FIRST.get(words.next, words.next))
    return replace(words, money=PART_ARRIVED) if _asks_for_more(rows) else words


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
    step, money = rows.last_step, words.money
    if _asks_for_more(rows):
        money = PART_WITH_MERCHANT
    elif money == WITH_PAYER and rows.may_have_been_sent:
        money = NOT_SEEN_OF_PAYER
    return Line(
        code=situation.value,
        happened=words.happened,
        because=because_of(rows, situation),
        money=money,
        next=words.next,
        actor=actor,
        tone=tone,
        since=None if step is None else step.created_at,
        facts=facts_of(rows),
    )


def _asks_for_more(rows: Rows) -> bool:
    return rows.intent.status in UNPAID and rows.intent.received_usd > 0


P, L, A = Problem, LegStatus, AttemptStatus

PROBLEM_WORDS: dict[Problem, str] = {
    P.ROUTE_UNAVAILABLE: "No route works right now.",
    P.PRICE_UNAVAILABLE: "The token has no reliable price right now.",
    P.EXECUTION_FAILED: "The transaction failed on its chain; no money moved by it.",
    P.BRIDGE_REFUNDED: "The bridge returned the money to the payer's wallet.",
    P.BRIDGE_UNFILLED: "The bridge could not deliver; it returns the money to the payer's wallet.",
    P.COUNTED_ELSEWHERE: "The payer's transaction counts for another payment.",
    P.SIGNATURE_MISSING: "Not every transaction of the payment was signed.",
}
LEG_WORDS: dict[LegStatus, str] = {
    L.PLANNED: "The transaction is planned; no wallet has seen it.",
    L.AWAITING_SIGNATURE: "The transaction was handed to the payer's wallet.",
    L.SUBMITTED: "The transaction was sent; it stands in no block yet.",
    L.CONFIRMING: "The transaction stands in a block and gathers confirmations.",
    L.CONFIRMED: "The transaction is done, and its money has arrived.",
    L.FAILED: "The transaction did not go through.",
    L.REFUNDED: "The money of the transaction went back to the payer's wallet.",
    L.IN_DOUBT: "The transaction was lost sight of and is being looked for.",
}
ATTEMPT_WORDS: dict[AttemptStatus, str] = {
    A.QUOTING: "A price is being made for the payer.",
    A.QUOTED: "The payer has a price and has not accepted it.",
    A.PREPARING: "The payer accepted; what the wallet signs is being made.",
    A.AWAITING_SIGNATURE: "The payer's wallet has what it should sign.",
    A.EXECUTING: "The payer has signed.",
    A.CONFIRMED: "The last try brought its money.",
    A.FAILED: "The last try came to nothing.",
    A.ABANDONED: "The last try was given up before anything was signed.",
    A.LAPSED: "The last try ran out of time before anything was signed.",
}
_PROBLEMS_COUNT = (*UNPAID, IntentStatus.PARTIALLY_FILLED, IntentStatus.FAILED, IntentStatus.EXPIRED)


def because_of(rows: Rows, situation: Situation) -> str:
    """The sentence, or nothing where the situation has said it all."""
    problem, status = rows.intent.last_error_code, rows.intent.status
    if problem in PROBLEM_WORDS and status in _PROBLEMS_COUNT:
        return "" if problem == situation else PROBLEM_WORDS[Problem(problem)]
    if rows.flying:
        return LEG_WORDS[LegStatus(rows.flying[0].status)]
    is_topped_up = rows.intent.received_usd > 0
    is_over = rows.open_attempt is None
    # The last try's state is news of a top-up always, else only where it is over.
    is_news = status == IntentStatus.PARTIALLY_FILLED or (status in UNPAID and (is_over or is_topped_up))
    if rows.attempt is not None and is_news:
        return ATTEMPT_WORDS[AttemptStatus(rows.attempt.status)]
    return ""
