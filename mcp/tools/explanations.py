"""The explanation as the tools describe it: the same object that REST gives, in nothing but the service's own words."""

from collections.abc import Mapping
from typing import Any

from mcp.tool import Schema
from mcp.tools.schemas import MOMENT, UUID, or_null, some_object
from payments.explanation import FACTS, Actor, Situation, explain, explanation_body
from payments.models import PaymentIntent
from payments.states import IntentStatus

_CODE: Schema = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,39}$"}
_SENTENCE: Schema = {"type": "string"}
_KINDS: Mapping[str, Schema] = {
    "id": UUID,
    "figure": {"type": "string", "pattern": r"^\d+(\.\d+)?$", "description": "A decimal string."},
    "moment": MOMENT,
    "chain": {"type": "string", "description": "A chain's name."},
    "hash": {"type": "string", "description": "A transaction hash."},
    "url": {"type": "string", "format": "uri"},
    "count": {"type": "integer", "minimum": 0},
    "code": _CODE,
}
_LINE: Mapping[str, Schema] = {
    "code": _CODE,
    "happened": _SENTENCE,
    "because": or_null(_SENTENCE),
    "money": _SENTENCE,
    "actor": {"type": "string", "enum": [actor.value for actor in Actor], "description": "Who must act."},
    "next": _SENTENCE,
    "since": or_null(MOMENT),
    "facts": some_object({name: _KINDS[kind] for name, kind in FACTS.items()}, optional=tuple(FACTS)),
}

EXPLANATION: Schema = some_object(
    {
        "payment_intent_id": UUID,
        "status": {"type": "string", "enum": IntentStatus.values},
        "situation": {"type": "string", "enum": [situation.value for situation in Situation]},
        **_LINE,
        "payer": some_object(dict.fromkeys(("happened", "money", "next"), _SENTENCE)),
        "also": {"type": "array", "items": some_object(_LINE)},
    }
)


def explanation_of(intent: PaymentIntent) -> dict[str, Any]:
    """What to say of an intent."""
    return explanation_body(intent, explain(intent))
