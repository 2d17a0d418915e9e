"""I2 by the simulated chain's own table: what it shows is compared with what the service believes."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from chains.models import SimulatedTransaction, Transfer
from core.clock import now
from operations.invariants.scope import Scope

REVERTING = frozenset({"fail_execution", "fail"})
PAYER_ROLES = ("whole", "source")
PURPOSES = ("refund", "payout")
MOST_TAGS = 500
"""Why not more: nobody reads more sentences of one kind."""


def each_leg_was_sent_once(scope: Scope) -> Iterator[str]:
    """I2 for payers of test mode: the simulated payer never sent a leg's transaction twice.

    What the wallet replaced by a faster one is no second: it never lands.
    """
    legs, every = (
        rows.filter(role__in=PAYER_ROLES).exclude(_of_purposes()).exclude(behaviour="replaced", lands_at=None)
        for rows in _mine_and_all(scope)
    )
    yield from (f"I2 leg {tag} was sent {times} times" for tag, times in _more_than_once(legs, every))


def each_purpose_was_sent_once(scope: Scope) -> Iterator[str]:
    """I2 for refunds and payouts of test mode: on the chain at most one transaction of each moves money.

    What is still to land counts: nobody can call it back.
    """
    lost = Q(gone_from__lte=now(), gone_until=None)
    sent, every = (
        rows.filter(_of_purposes(), lands_at__isnull=False).exclude(lost).exclude(behaviour__in=REVERTING)
        for rows in _mine_and_all(scope)
    )
    yield from (f"I2 {tag} landed {times} times on the chain" for tag, times in _more_than_once(sent, every))


def _of_purposes() -> Q:
    return Q(*[("tag__startswith", f"{purpose}:") for purpose in PURPOSES], _connector=Q.OR)


def _more_than_once(rows: "QuerySet[SimulatedTransaction]", every: "QuerySet[Any]") -> Iterator[tuple[str, int]]:
    """Tags of these rows that stand on more than one of them all."""
    again = every.filter(tag=OuterRef("tag")).exclude(pk=OuterRef("pk"))
    tags = set(rows.filter(Exists(again)).order_by().values_list("tag", flat=True)[:MOST_TAGS])
    counted = every.filter(tag__in=tags).order_by("tag").values_list("tag").annotate(times=Count("id"))
    yield from counted.iterator()


def paid_transfers_stand(scope: Scope) -> Iterator[str]:
    """I14 for transfers of test mode: what is paid is on the chain, and what is on the chain is not forgotten."""
    moment = now()
    for batch in scope.kept_for(settings.KEEP_SIMULATED_DAYS).batches(Transfer):
        paid = {
            transfer.tx_hash: transfer for transfer in batch if _is_simulated(transfer) and transfer.status == "paid"
        }
        shown = {row.tx_hash: row for row in SimulatedTransaction.objects.filter(tx_hash__in=list(paid))}
        for tx_hash, transfer in paid.items():
            row, units = shown.get(tx_hash), int(transfer.base_units)
            ordered = (_tag(transfer), transfer.chain, transfer.token_address, transfer.recipient, units)
            if (
                row is None
                or not _moves_money(row, moment)
                or (row.tag, row.chain, row.token, row.recipient, int(row.base_units)) != ordered
            ):
                yield f"I14 transfer {transfer.pk} is paid, and the chain does not show it"
        yield from _forgotten(batch, moment)


def _forgotten(batch: list[Transfer], moment: datetime) -> Iterator[str]:
    """Transfers called over unpaid that the chain shows as paid."""
    over = {_tag(transfer): transfer for transfer in batch if transfer.status == "failed" and _is_simulated(transfer)}
    hashes = {transfer.tx_hash for transfer in over.values() if transfer.tx_hash}
    for row in SimulatedTransaction.objects.filter(tx_hash__in=hashes):
        if _moves_money(row, moment):
            yield f"I2 transfer of {row.tag} is called failed, and the chain shows it paid"


def _mine_and_all(scope: Scope) -> "tuple[QuerySet[SimulatedTransaction], QuerySet[SimulatedTransaction]]":
    """What is looked at, and what it is compared with."""
    rows = scope.of_piece(SimulatedTransaction)
    if scope.merchant_id is not None:
        rows = rows.filter(owner=f"m{scope.merchant_id}")
    mine = rows if scope.since is None else rows.filter(created_at__gte=scope.since)
    return mine, SimulatedTransaction.objects.all()


def _moves_money(row: SimulatedTransaction, moment: datetime) -> bool:
    """Whether it stands, or may come to stand, and does not revert."""
    is_lost = row.gone_from is not None and row.gone_until is None and row.gone_from <= moment
    return row.lands_at is not None and not is_lost and row.behaviour not in REVERTING


def _is_simulated(transfer: Transfer) -> bool:
    return transfer.rail == "simulated"


def _tag(transfer: Transfer) -> str:
    return f"{transfer.purpose}:{transfer.purpose_id}"
