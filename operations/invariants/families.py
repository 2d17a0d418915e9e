"""A payment and all that belongs to it, found by keys and indexes: what is looked at together."""

from collections.abc import Collection
from typing import Any

from django.db import models

from chains.models import SimulatedTransaction, Transfer
from mcp.models import AgentEffect
from operations.invariants.tenants import tenant_tables
from payments.models import Leg, PaymentIntent
from payouts.models import Payout
from records.models import RecordSeal
from refunds.models import Refund
from webhooks.models import Delivery, Event

Found = dict[type[models.Model], set[Any]]
OWNERS: tuple[type[models.Model], ...] = (Refund, Payout)
PURPOSES = ("refund", "payout")


def families(intents: Collection[Any]) -> Found:
    """The rows of these payments in every table that a check reads, by primary key."""
    found: Found = {PaymentIntent: set(intents)}
    for model in (Refund, Payout):
        found[model] = _keys(model, intent_id__in=intents)
    leaving = [*found[Refund], *found[Payout]]
    found[Transfer] = _keys(Transfer, purpose__in=PURPOSES, purpose_id__in=leaving)
    found[Event] = _keys(Event, resource_id__in=[*intents, *leaving])
    found[AgentEffect] = _keys(AgentEffect, subject_id__in=leaving)
    found[Leg] = _keys(Leg, intent_id__in=intents)
    found[RecordSeal] = _keys(RecordSeal, intent_id__in=intents)
    tags = [f"refund:{one}" for one in found[Refund]] + [f"payout:{one}" for one in found[Payout]]
    found[SimulatedTransaction] = _keys(SimulatedTransaction, tag__in=[*tags, *map(str, found[Leg])])
    _add_children(found, (PaymentIntent, Refund, Leg, Event))
    _add_children(found, (Delivery,))
    return found


def payments_of(model: type[models.Model], keys: Collection[Any]) -> set[Any]:
    """The payments that these rows belong to; empty where theirs is a table of its own."""
    if model is PaymentIntent:
        return set(keys)
    rows = model._default_manager.filter(pk__in=keys)
    if model is Transfer:
        owners = set(rows.values_list("purpose_id", flat=True))
        return {intent for owner in OWNERS for intent in payments_of(owner, owners)}
    if model is Event:
        told = set(rows.values_list("resource_id", flat=True))
        intents = _keys(PaymentIntent, pk__in=told)
        return intents.union(*(payments_of(owner, told - intents) for owner in OWNERS))
    if model is Delivery:
        return payments_of(Event, set(rows.values_list("event_id", flat=True)))
    if any(field.name == "intent" for field in model._meta.concrete_fields):
        return set(rows.exclude(intent_id=None).values_list("intent_id", flat=True))
    return set()


def _add_children(found: Found, parents: Collection[type[models.Model]]) -> None:
    """The rows of merchants' tables that name a row of these, where the naming column has an index."""
    for model, names in tenant_tables():
        for name in names:
            parent = _field(model, name).related_model
            if parent in parents and parent is not model and _is_indexed(model, name):
                found[model] = found.get(model, set()) | _keys(model, **{f"{name}__in": found[parent]})


def _is_indexed(model: type[models.Model], name: str) -> bool:
    """Whether a column begins an index of its own or one of several columns."""
    options = model._meta
    leading = [one.fields[0] for one in (*options.indexes, *options.total_unique_constraints) if one.fields]
    return _field(model, name).db_index or name in leading


def _field(model: type[models.Model], name: str) -> Any:
    return model._meta.get_field(name)


def _keys(model: type[models.Model], **lookup: Collection[Any]) -> set[Any]:
    lists = [value for value in lookup.values() if not value]
    if lists:
        return set()
    return set(model._default_manager.filter(**lookup).values_list("pk", flat=True))
