"""An explanation on the wire: the same object for REST and for agents."""

from typing import Any

from core.clock import optional_wire_time
from payments.explanation.lines import Explanation, Line
from payments.models import PaymentIntent


def explanation_body(intent: PaymentIntent, explanation: Explanation) -> dict[str, Any]:
    """Same keys and types as ``ExplanationSerializer``. The leading line is told at the top, the others in ``also``."""
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


def _line_body(line: Line) -> dict[str, Any]:
    return {
        "code": line.code,
        "happened": line.happened,
        "because": line.because or None,
        "money": line.money,
        "actor": line.actor.value,
        "next": line.next,
        "since": optional_wire_time(line.since),
        "facts": dict(line.facts),
    }
