"""A payment exactly as REST answers it, laid out for reading."""

import json
from collections.abc import Mapping, Sequence

from django.conf import settings

from core.exact_json import ExactEncoder
from dashboard.payments.wanted import CUSTOMERS
from payments.models import PaymentIntent
from payments.shapes import intent_body


def raw_of(intent: PaymentIntent, *, with_customer: bool) -> str:
    """The answer of ``GET /payment-intents/{id}``; without the payer's data for those who may not see it."""
    body = intent_body(intent, settings.BASE_URL)
    return laid_out({name: value for name, value in body.items() if with_customer or name not in CUSTOMERS})


def laid_out(value: object, indent: str = "") -> str:
    """JSON over several lines, every digit and letter as it is. Why our own: the library's writer knows only floats."""
    inner = f"{indent}  "
    match value:
        case Mapping() if value:
            lines = (f"{inner}{_text(key)}: {laid_out(one, inner)}" for key, one in value.items())
            return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
        case str():
            return _text(value)
        case Sequence() if value:
            return "[\n" + ",\n".join(f"{inner}{laid_out(one, inner)}" for one in value) + f"\n{indent}]"
    return ExactEncoder().encode(value)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
