"""The rail of test mode: the same steps as on real chains, on a chain in a table. No money moves.

What happens is scripted per transfer: see ``Script``.
"""

import hashlib
from datetime import timedelta
from enum import StrEnum

from django.db import transaction

from chains import ledger
from chains.base58 import base58
from chains.blockers import Blocked, Blocker, Failure, Rejected
from chains.clients.script import is_solana, synthetic_address
from chains.clients.simulated import SimulatedChain, SimulatedSend
from chains.models import Transfer, TransferAttempt
from chains.states import TransferStatus
from core.clock import now
from core.pauses import Paused, is_paused


class Script(StrEnum):
    """How a simulated transfer goes; any other word: well."""

    RETRY = "retry"
    """The chain cannot be reached the first time."""
    FAIL = "fail"
    """The chain refuses it for good."""
    REVERT = "revert"
    """It lands and moves nothing."""
    UNKNOWN = "unknown"
    """It is sent, and for ten minutes nobody can say what became of it; then it stands."""


class SimulatedRail:
    """``chains.rails.base.Rail`` over the simulated chain."""

    poll = timedelta(milliseconds=500)

    def step(self, transfer: Transfer) -> bool:
        """Sign, send, or look."""
        if transfer.status == TransferStatus.NEW:
            self._preflight(transfer)
            return self._sign(transfer)
        if transfer.status == TransferStatus.SIGNED:
            return self._send(transfer)
        return self._look(transfer)

    def _preflight(self, transfer: Transfer) -> None:
        if transfer.behaviour == Script.RETRY and transfer.blocked_times == 0:
            raise Blocked(Blocker.CHAIN_UNAVAILABLE)
        if transfer.behaviour == Script.FAIL:
            raise Rejected(Failure.CHAIN_REJECTED)
        if is_paused(Paused.SIGNING):
            raise Blocked(Blocker.SIGNING_PAUSED)

    @transaction.atomic
    def _sign(self, seen: Transfer) -> bool:
        transfer = ledger.locked_transfer(seen.pk)
        if transfer.status == TransferStatus.NEW:
            # Known before it is sent, as on real chains.
            digest = hashlib.sha512(f"transfer:{transfer.pk}".encode()).digest()
            tx_hash = base58(digest) if is_solana(transfer.chain) else f"0x{digest[:32].hex()}"
            TransferAttempt.objects.create(transfer=transfer, sequence=1, raw=str(transfer.pk), tx_hash=tx_hash)
            ledger.advance(transfer, "sign", tx_hash=tx_hash, sender=synthetic_address(transfer.chain, "merchant"))
        return True

    def _send(self, transfer: Transfer) -> bool:
        if is_paused(Paused.SIGNING):
            return False
        SimulatedChain().send(_as_sent(transfer))
        with transaction.atomic():
            transfer = ledger.locked_transfer(transfer.pk)
            if transfer.status == TransferStatus.SIGNED:
                transfer.attempts.filter(first_broadcast_at=None).update(first_broadcast_at=now())
                ledger.advance(transfer, "broadcast")
        return True

    @transaction.atomic
    def _look(self, seen: Transfer) -> bool:
        transfer = ledger.locked_transfer(seen.pk)
        receipt = SimulatedChain().receipt_of(transfer.chain, transfer.tx_hash)
        if transfer.status == TransferStatus.BROADCAST and receipt.stands:
            ledger.advance(transfer, "include", block_number=receipt.block_number, block_hash=receipt.block_hash)
            return True
        if transfer.status == TransferStatus.MINED and receipt.is_final and receipt.reverted:
            ledger.advance(transfer, "revert", failure=Failure.CHAIN_REJECTED)
        elif transfer.status == TransferStatus.MINED and receipt.is_final:
            ledger.advance(transfer, "pay", paid_at=now())
        return False


def _as_sent(transfer: Transfer) -> SimulatedSend:
    return SimulatedSend(
        owner=f"m{transfer.merchant_id}",
        tag=f"{transfer.purpose}:{transfer.purpose_id}",
        chain=transfer.chain,
        tx_hash=transfer.tx_hash,
        sender=transfer.sender,
        recipient=transfer.recipient,
        token=transfer.token_address,
        base_units=transfer.base_units,
        reverts=transfer.behaviour == Script.REVERT,
        is_slow=transfer.behaviour == Script.UNKNOWN,
    )
