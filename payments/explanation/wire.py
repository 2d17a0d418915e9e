"""An explanation on the wire: the same object for REST and for agents."""

from typing import Annotated, TypedDict, cast

from core.clock import optional_wire_time
from core.shapes import Chain, Code, Figure, Moment, Sentence, TxHash, Url, Uuid
from payments.explanation.aftermath import LineCodes, LineReasons
from payments.explanation.lines import Actor, Explanation, Line
from payments.explanation.situations import Situation
from payments.models import PaymentIntent
from payments.states import SETTLED_REASONS, IntentStatus, Problem


class ExplanationFactsShape(TypedDict, total=False):
    """What a line speaks of; only what there is, and never a text from outside."""

    id: Annotated[Uuid, "Of the refund or payout that the line is about."]
    amount_usd: Figure
    received_usd: Figure
    due_usd: Figure
    overpaid_usd: Figure
    refunded_usd: Figure
    platform_fee_usd: Annotated[Figure, "Paid by the payer on top of what arrived."]
    expires_at: Moment
    settled_at: Moment
    sent_at: Moment
    retry_at: Moment
    settlement_chain: Chain
    chain: Annotated[Chain, "Where the transaction was sent."]
    tx_hash: TxHash
    destination_tx_hash: TxHash
    explorer_url: Url
    confirmations: int
    confirmations_required: int
    typical_seconds: int
    attempts: int
    error_code: Annotated[Code, Problem]
    failure_reason: Annotated[Code, LineReasons(), "Why the refund or payout is not paid, or not paid yet."]
    settled_reason: Annotated[Code, SETTLED_REASONS]


class ExplanationLineShape(TypedDict):
    """One situation: fixed sentences, who must act, and the facts."""

    code: Annotated[Code, LineCodes(), "Stable, machine-readable."]
    happened: Sentence
    because: Sentence | None
    money: Annotated[Sentence, "Where the money is."]
    actor: Annotated[str, Actor, "Who must act."]
    next: Annotated[Sentence, "The next safe step."]
    since: Moment | None
    facts: ExplanationFactsShape


class PayerWordsShape(TypedDict):
    """The three parts that the payer reads, in English."""

    happened: Sentence
    money: Annotated[Sentence, "Where the money is."]
    next: Annotated[Sentence, "What to do now."]


class _Subject(TypedDict):
    payment_intent_id: Uuid
    status: Annotated[str, IntentStatus]
    situation: Annotated[str, Situation, "The intent's own, as on the payer's page."]


class ExplanationShape(_Subject, ExplanationLineShape):
    """The line that most needs acting on, and the others in ``also``."""

    payer: Annotated[PayerWordsShape, "The same situation as the payer's page tells it."]
    also: list[ExplanationLineShape]


def explanation_body(intent: PaymentIntent, explanation: Explanation) -> ExplanationShape:
    """The leading line is told at the top, the others in ``also``."""
    return {
        "payment_intent_id": str(intent.pk),
        "status": str(intent.status),
        "situation": explanation.situation,
        **_line_body(explanation.lead),
        "payer": {
            "happened": explanation.payer.happened,
            "money": explanation.payer.money,
            "next": explanation.payer.next,
        },
        "also": [_line_body(line) for line in explanation.also],
    }


def _line_body(line: Line) -> ExplanationLineShape:
    return {
        "code": line.code,
        "happened": line.happened,
        "because": line.because or None,
        "money": line.money,
        "actor": line.actor.value,
        "next": line.next,
        "since": optional_wire_time(line.since),
        "facts": cast(ExplanationFactsShape, dict(line.facts)),
    }
