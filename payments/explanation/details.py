"""One more sentence where the rows say more: the last problem, what a transaction is doing, how the last try ended."""

from payments.explanation.rows import Rows
from payments.explanation.situations import Situation
from payments.states import UNPAID, AttemptStatus, IntentStatus, LegStatus, Problem

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
    if rows.attempt is not None and _is_worth_saying(rows):
        return ATTEMPT_WORDS[AttemptStatus(rows.attempt.status)]
    return ""


def _is_worth_saying(rows: Rows) -> bool:
    """Whether the last try's state is news: of a top-up always, else only where it is over."""
    if rows.intent.status == IntentStatus.PARTIALLY_FILLED:
        return True
    return rows.intent.status in UNPAID and (rows.open_attempt is None or rows.intent.received_usd > 0)
