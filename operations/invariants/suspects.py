"""Rows in which something was found: kept as table and keys, and looked at again until all is well there.

Why: the next check reads what changed since, and what is wrong stays wrong without changing.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.apps import apps
from django.db import models, transaction

from core.models import InvariantWalk
from operations.invariants.changed import piece_of
from operations.invariants.families import families
from operations.invariants.scope import Scope
from payments.models import PaymentIntent

Suspect = dict[str, list[str]]
MOST_SUSPECTS = 40
"""Pieces. Where there are more, the watermark stays instead."""


def suspect(rows: Mapping[type[models.Model], Iterable[Any]]) -> Suspect:
    """These rows as they are kept: a payment stands for all that belongs to it."""
    intents = sorted(rows.get(PaymentIntent, ()))
    belonging = families(intents) if intents else {}
    kept: dict[type[models.Model], list[Any]] = {PaymentIntent: intents}
    for model, keys in rows.items():
        if model is not PaymentIntent:
            kept[model] = sorted(set(keys) - belonging.get(model, set()))
    return {model._meta.label: [str(key) for key in keys] for model, keys in kept.items() if keys}


def pieces_of(suspects: Iterable[Suspect]) -> Iterator[Scope]:
    """What is looked at again."""
    for one in suspects:
        rows = {apps.get_model(label): set(keys) for label, keys in one.items()}
        yield piece_of({model: {model._meta.pk.to_python(key) for key in keys} for model, keys in rows.items()})


@transaction.atomic
def leave_to_next_check(walk: InvariantWalk, found: Suspect, sentences: int) -> None:
    """Have the next check look at these rows, too. Locks: the walk."""
    held = InvariantWalk.objects.select_for_update().get(pk=walk.pk)
    held.suspects, held.found = [*held.suspects, found][:MOST_SUSPECTS], held.found + sentences
    held.save(update_fields=["suspects", "found"])


def left_by_walks() -> dict[int, list[Suspect]]:
    """What walks left, by walk."""
    return dict(InvariantWalk.objects.exclude(suspects=[]).values_list("pk", "suspects"))


@transaction.atomic
def take_over(left: Mapping[int, list[Suspect]]) -> None:
    """Forget what walks left, as it was read, once a check has written down what is still wrong of it."""
    for walk in InvariantWalk.objects.select_for_update().filter(pk__in=left):
        walk.suspects = walk.suspects[len(left[walk.pk]) :]
        walk.save(update_fields=["suspects"])
