"""I8, I12 and I13: one answer per key, no number that cannot hold a cent, nothing secret in the clear."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Exists, FloatField, Model, OuterRef, QuerySet

from core.secrets import decrypt
from merchants.models import IdempotencyRecord
from operations.invariants.scope import Scope, batches
from payments.models import PaymentIntent
from payouts.models import Payout
from refunds.models import Refund
from webhooks.models import SigningSecret

MONEY_APPS = ("payments", "refunds", "payouts", "chains")
PLAIN = (b"whsec_", b"sk_live_", b"sk_test_")


def each_key_made_one_thing(scope: Scope) -> Iterator[str]:
    """I8: one answer per key, and what it names exists."""
    records = _records(scope)
    same = IdempotencyRecord.objects.filter(scope=OuterRef("scope"), key=OuterRef("key")).exclude(pk=OuterRef("pk"))
    for record in records.filter(Exists(same)).iterator():
        times = IdempotencyRecord.objects.filter(scope=record.scope, key=record.key).count()
        yield f"I8 key {record.key} has {times} answers"
    for batch in batches(records.order_by("pk")):
        yield from _broken_promises(batch)


def _broken_promises(records: Sequence[IdempotencyRecord]) -> Iterator[str]:
    """Answers that name what does not exist. One question for each kind of resource, not for each answer."""
    named: dict[type[Model], list[tuple[str, str]]] = defaultdict(list)
    for record in records:
        answer = json.loads(decrypt(bytes(record.answer)))
        model = _resource(answer)
        if model is not None:
            named[model].append((record.key, answer["id"]))
    for model, answers in named.items():
        there = set(model._default_manager.filter(pk__in={pk for _, pk in answers}).values_list("pk", flat=True))
        for key, pk in answers:
            if UUID(pk) not in there:
                yield f"I8 key {key} answers with {model.__name__} {pk}, which does not exist"


def _resource(answer: Any) -> type[Model] | None:
    """What an answer describes, by keys that only this resource has. Source: specification, the resources."""
    marks: dict[str, type[Model]] = {"checkout_url": PaymentIntent, "amount_usd": Refund, "rail": Payout}
    if not isinstance(answer, dict) or "id" not in answer:
        return None
    return next((model for mark, model in marks.items() if mark in answer), None)


def no_amount_is_a_float(scope: Scope) -> Iterator[str]:
    """I12: no table of money has a column of floating point."""
    for app in MONEY_APPS:
        for model in apps.get_app_config(app).get_models():
            for field in model._meta.concrete_fields:
                if isinstance(field, FloatField):
                    yield f"I12 {model.__name__}.{field.name} is a float"


def nothing_secret_is_plain(scope: Scope) -> Iterator[str]:
    """I13: what is stored of secrets is not readable."""
    for batch in scope.batches(SigningSecret):
        for secret in batch:
            if any(mark in bytes(secret.ciphertext) for mark in PLAIN):
                yield f"I13 signing secret {secret.pk} is stored in the clear"
    for records in batches(_records(scope).order_by("pk")):
        for record in records:
            if any(mark in bytes(record.answer) for mark in PLAIN):
                yield f"I13 the answer to key {record.key} is stored in the clear"


def _records(scope: Scope) -> "QuerySet[IdempotencyRecord]":
    """Why by the text: a key's scope names its merchant and mode, and no column does."""
    rows = scope.of_piece(IdempotencyRecord)
    return rows if scope.merchant_id is None else rows.filter(scope__startswith=f"m{scope.merchant_id}:")
