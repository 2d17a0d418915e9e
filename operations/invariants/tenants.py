"""I9 and I10: a child and its parent belong to the same merchant and mode, and test money never meets real money."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from django.apps import apps
from django.db.models import F, ForeignKey, Q

from chains.models import Transfer
from operations.invariants.scope import Scope
from payouts.models import Payout
from refunds.models import Refund

TENANT = {"merchant", "mode"}


def no_row_joins_two_tenants(scope: Scope) -> Iterator[str]:
    """I9 and I10 over every key of every table that has a merchant and a mode."""
    for model, parents in tenant_tables():
        for parent in parents:
            yield from _joined(scope, model, parent)


@cache
def tenant_tables() -> list[tuple[Any, list[str]]]:
    """Every table with a merchant and a mode, and those of its keys that lead to another such table."""
    return [
        (
            model,
            [
                field.name
                for field in model._meta.concrete_fields
                if isinstance(field, ForeignKey) and _is_tenant(field.related_model)
            ],
        )
        for model in apps.get_models()
        if _is_tenant(model)
    ]


def _joined(scope: Scope, model: Any, parent: str) -> Iterator[str]:
    foreign = Q(**{f"{parent}__isnull": False}) & (
        ~Q(**{f"{parent}__merchant": F("merchant")}) | ~Q(**{f"{parent}__mode": F("mode")})
    )
    rows = scope.of_piece(model).filter(foreign)
    mine = rows if scope.merchant_id is None else rows.filter(merchant_id=scope.merchant_id)
    for pk in mine.values_list("pk", flat=True).iterator():
        yield f"I9/I10 {model.__name__} {pk} and its {parent} have two owners"


def _is_tenant(model: Any) -> bool:
    return {field.name for field in model._meta.get_fields()} >= TENANT


def each_transfer_serves_its_own_merchant(scope: Scope) -> Iterator[str]:
    """I9 and I10 where no key of the database links: a transfer and the refund or payout that it is for."""
    owners: dict[str, Any] = {"refund": Refund, "payout": Payout}
    for batch in scope.batches(Transfer):
        for purpose, model in owners.items():
            mine = [transfer for transfer in batch if transfer.purpose == purpose]
            rows = model._default_manager.filter(pk__in=[transfer.purpose_id for transfer in mine])
            known = {pk: (merchant, mode) for pk, merchant, mode in rows.values_list("pk", "merchant_id", "mode")}
            for transfer in mine:
                owner = known.get(transfer.purpose_id)
                if owner is None:
                    yield f"I10 transfer {transfer.pk} is for {purpose} {transfer.purpose_id}, which does not exist"
                elif owner != (transfer.merchant_id, transfer.mode):
                    yield f"I9/I10 transfer {transfer.pk} and its {purpose} have two owners"


def play_money_stays_in_its_world(scope: Scope) -> Iterator[str]:
    """I9: what is of test mode goes by the simulated rail and chain, and nothing of live mode does."""
    simulated = Q(rail="simulated", network="simulated", account=None)
    strayed = scope.rows(Transfer).exclude((Q(mode="test") & simulated) | (Q(mode="live") & ~Q(rail="simulated")))
    for pk, mode, rail, network in strayed.values_list("pk", "mode", "rail", "network").iterator():
        yield f"I9 transfer {pk} of {mode} mode goes by the rail {rail} on the network {network}"
