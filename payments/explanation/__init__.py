"""Where an intent's money is, who must act, and the next safe step: one diagnosis, told in two voices.

The code is decided once (``situations``); merchants, REST, agents and the dashboard read it in the merchant's words,
the hosted page in the payer's. No model, no network, no text from outside.
"""

from payments.explanation.aftermath import After, register_aftermath
from payments.explanation.diagnosis import explain, sentences, words_for_payer
from payments.explanation.facts import given, known_hash, moment
from payments.explanation.lines import Actor, Explanation, Fact, Line, Words
from payments.explanation.rows import Rows, furthest_of
from payments.explanation.situations import Situation, changes_by_clock_at, is_slow, situation_of
from payments.explanation.wire import ExplanationShape, explanation_body

__all__ = [
    "Actor",
    "After",
    "Explanation",
    "ExplanationShape",
    "Fact",
    "Line",
    "Rows",
    "Situation",
    "Words",
    "changes_by_clock_at",
    "explain",
    "explanation_body",
    "furthest_of",
    "given",
    "is_slow",
    "known_hash",
    "moment",
    "register_aftermath",
    "sentences",
    "situation_of",
    "words_for_payer",
]
