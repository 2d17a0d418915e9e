"""A chain in a table: test mode and the test suite read and write the same one.

Nothing runs in the background: stored times, compared with the clock, say what stands on the chain now. What is
written for each behaviour is in ``chains.clients.script``.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction
from django.db.models import F

from chains.clients.base import (
    NOBODY,
    BridgeReport,
    IssuedLeg,
    LegView,
    ObservedTransfer,
    Payer,
    PayerProof,
    SeenStatus,
    SeenTransaction,
)
from chains.clients.script import IN_DOUBT_FOR, LANDS_AFTER, REVERTING, Behaviour, SimulatedLeg, rows_for
from chains.clients.view import as_seen, as_transfer, stands
from chains.models import SimulatedRole, SimulatedTransaction
from chains.registry import confirmations_required
from core.clock import now
from core.money import BaseUnits

__all__ = ["Behaviour", "SimulatedChain", "SimulatedLeg", "SimulatedReceipt", "SimulatedSend"]

_DELIVERING = (SimulatedRole.WHOLE, SimulatedRole.DELIVERY)


@dataclass(frozen=True, kw_only=True, slots=True)
class SimulatedSend:
    """A signed transfer: its hash is fixed before it is sent. ``is_slow``: nobody sees it for ten minutes."""

    owner: str
    tag: str
    chain: str
    tx_hash: str
    sender: str
    recipient: str
    token: str
    base_units: BaseUnits
    reverts: bool = False
    is_slow: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SimulatedReceipt:
    """What a node says of a transaction: whether it stands in a block, how surely, and whether it moved nothing."""

    stands: bool = False
    is_final: bool = False
    reverted: bool = False
    block_number: int | None = None
    block_hash: str = ""


class SimulatedChain:
    """The simulated chain client: ``chains.clients.base.ChainClient`` and a way to send and to move time."""

    def broadcast(self, leg: SimulatedLeg) -> str:
        """Send a leg's transaction and return its hash; what it causes elsewhere is scripted in the same moment.

        Sending a leg twice makes two transactions, as on a real chain.
        """
        rows = rows_for(leg, now())
        SimulatedTransaction.objects.bulk_create(rows)
        return rows[0].tx_hash

    def send(self, signed: SimulatedSend) -> None:
        """Send signed bytes. The same bytes again are already known, and land once, as on a real chain."""
        lands_at = now() + (IN_DOUBT_FOR if signed.is_slow else LANDS_AFTER)
        SimulatedTransaction.objects.get_or_create(
            tx_hash=signed.tx_hash,
            defaults={
                "chain": signed.chain,
                "owner": signed.owner,
                "tag": signed.tag,
                "role": SimulatedRole.WHOLE,
                "behaviour": Behaviour.FAIL_EXECUTION if signed.reverts else Behaviour.SETTLE,
                "sender": signed.sender,
                "recipient": signed.recipient,
                "token": signed.token,
                "base_units": signed.base_units,
                "lands_at": lands_at,
                "block_time": lands_at,
            },
        )

    def receipt_of(self, chain: str, tx_hash: str) -> SimulatedReceipt:
        """What became of a transaction that was sent."""
        seen = self.find_transaction(chain, tx_hash)
        if seen is None or seen.status is SeenStatus.PENDING:
            return SimulatedReceipt()
        return SimulatedReceipt(
            stands=True,
            is_final=seen.confirmations >= confirmations_required(chain),
            reverted=seen.status is SeenStatus.REVERTED,
            block_number=seen.block_number,
            block_hash=seen.block_hash,
        )

    def head(self, chain: str) -> int:
        """Zero: what a simulated leg brought is found by its tag alone, in whichever block."""
        return 0

    def look(self, leg: IssuedLeg) -> LegView:
        """What became of a leg: by its tag, and by the hash that was reported."""
        rows = _rows_of(leg.tag)
        return LegView(
            seen=self._own_transaction(leg, rows) if leg.tx_hash else None,
            transfers=tuple(_transfers(rows)),
            refund=_refund(rows),
            report=_report(rows),
        )

    def _own_transaction(self, leg: IssuedLeg, rows: list[SimulatedTransaction]) -> SeenTransaction | None:
        """The told transaction, or the one by which the wallet replaced it."""
        named = next((row for row in rows if (row.chain, row.tx_hash) == (leg.chain, leg.tx_hash)), None)
        seen = self.find_transaction(leg.chain, leg.tx_hash) if named is None else as_seen(named, now())
        sources = () if seen is not None else _standing(rows, (SimulatedRole.SOURCE, SimulatedRole.WHOLE))
        replaced = [row for row in sources if row.behaviour == Behaviour.REPLACED]
        found = as_seen(replaced[0], now()) if replaced else None
        return seen if found is None else replace(found, tx_hash=replaced[0].tx_hash)

    def find_transaction(self, chain: str, tx_hash: str) -> SeenTransaction | None:
        """What the chain's node shows under this hash; None if it knows none."""
        row = SimulatedTransaction.objects.filter(chain=chain, tx_hash=tx_hash).first()
        return None if row is None else as_seen(row, now())

    def transfers(self, tag: str) -> list[ObservedTransfer]:
        """What this leg brought to its recipient, as far as it stands on the chain now."""
        return _transfers(_rows_of(tag))

    def refund_of(self, tag: str) -> ObservedTransfer | None:
        """What the route gave back to the payer on the source chain, once it stands there."""
        return _refund(_rows_of(tag))

    def bridge_report(self, tag: str) -> BridgeReport:
        """What the route's operator says of this leg; unknown for a leg that was never sent, or that reverted."""
        return _report(_rows_of(tag))

    def shift(self, owner: str, seconds: int) -> None:
        """Let this many seconds pass for one owner's transactions. Source: docs/design/test-mode.md, The test clock.

        What had not landed yet gets a block time of now at the earliest; a block time that was given stays.
        """
        span = timedelta(seconds=seconds)
        with transaction.atomic():
            owned = SimulatedTransaction.objects.filter(owner=owner)
            coming = owned.filter(lands_at__gt=now(), block_time=F("lands_at"))
            soon = list(coming.filter(lands_at__lte=now() + span).values_list("pk", flat=True))
            coming.exclude(pk__in=soon).update(block_time=F("block_time") - span)
            owned.filter(pk__in=soon).update(block_time=now())
            owned.update(
                lands_at=F("lands_at") - span, gone_from=F("gone_from") - span, gone_until=F("gone_until") - span
            )


def _rows_of(tag: str) -> list[SimulatedTransaction]:
    return list(SimulatedTransaction.objects.filter(tag=tag).order_by("id"))


def _transfers(rows: list[SimulatedTransaction]) -> list[ObservedTransfer]:
    return [as_transfer(row, now(), _payer(row, rows)) for row in _standing(rows, _DELIVERING)]


def _refund(rows: list[SimulatedTransaction]) -> ObservedTransfer | None:
    returned = _standing(rows, (SimulatedRole.RETURN,))
    return as_transfer(returned[0], now()) if returned else None


def _report(rows: list[SimulatedTransaction]) -> BridgeReport:
    if _standing(rows, (SimulatedRole.RETURN,)):
        return BridgeReport.REFUNDED
    if _standing(rows, _DELIVERING):
        return BridgeReport.DONE
    # Of an order in doubt an operator says nothing any more, once its source landed.
    alive = [row for row in rows if row.behaviour not in REVERTING and not _is_lost(row)]
    is_doubtful = any(row.behaviour == Behaviour.IN_DOUBT and stands(row, now()) for row in alive)
    return BridgeReport.WAITING if alive and not is_doubtful else BridgeReport.UNKNOWN


def _standing(rows: list[SimulatedTransaction], roles: tuple[SimulatedRole, ...]) -> list[SimulatedTransaction]:
    return [row for row in rows if row.role in roles and stands(row, now())]


def _payer(row: SimulatedTransaction, rows: list[SimulatedTransaction]) -> Payer:
    """The wallet that sent it, or the leg's own transactions that it delivers, if that is one."""
    if row.role == SimulatedRole.WHOLE:
        return Payer(wallet=row.sender, proof=PayerProof.SENDER)
    senders = {one.sender for one in rows if one.role == SimulatedRole.SOURCE}
    return Payer(wallet=senders.pop(), proof=PayerProof.SENDER) if len(senders) == 1 else NOBODY


def _is_lost(row: SimulatedTransaction) -> bool:
    return row.gone_from is not None and row.gone_until is None and row.gone_from <= now()
