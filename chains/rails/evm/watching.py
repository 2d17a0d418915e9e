"""What became of what was sent: landed, waiting, dropped, taken back, or its nonce used by somebody else."""

import logging
from functools import partial
from typing import Any

from django.db import transaction

from chains import ledger
from chains.blockers import Blocker, Failure
from chains.clients.endpoints import Endpoint
from chains.clients.evm_endpoint import Node
from chains.clients.evm_observation import EvmObservation, Landing, observation_of
from chains.clients.pool import Pool
from chains.clients.registry import EVM
from chains.models import Transfer, TransferAttempt
from chains.models.transfers import AttemptKind
from chains.rails.evm.calls import chain_of, sought
from chains.rails.evm.fees import patience
from chains.rails.evm.foreign import look_for_foreign_use
from chains.rails.evm.proving import conclude
from chains.rails.evm.sending import is_to_be_given_up, offer, send_signed
from chains.rails.evm.signing import newest_attempt, note_blocker, sign_dearer
from chains.states import TransferStatus
from core.clock import now
from core.metrics import NODE_DISAGREEMENTS
from core.pauses import Paused, is_paused

_LOGGER = logging.getLogger("causeway.transfers")


def look(transfer: Transfer) -> bool:
    """See what became of every transaction signed for a transfer, and act on it."""
    pool = EVM.pool(transfer.chain)
    question = partial(observation_of, sought=sought(transfer))
    observation, endpoint = pool.ask_one(question)
    landing = observation.landing
    if landing is None:
        is_gone = transfer.status == TransferStatus.MINED
        return _drop(transfer, pool, endpoint) if is_gone else _wait(transfer, observation)
    known = (transfer.tx_hash, transfer.block_number, transfer.block_hash)
    is_known = known == (landing.tx_hash, landing.block_number, landing.block_hash)
    if transfer.status != TransferStatus.MINED or not is_known:
        return _include(transfer, landing)
    return conclude(transfer, pool, endpoint, landing)


@transaction.atomic
def _include(seen: Transfer, landing: Landing) -> bool:
    transfer = ledger.locked_transfer(seen.pk)
    place: dict[str, Any] = {"block_number": landing.block_number, "block_hash": landing.block_hash}
    facts = {"tx_hash": landing.tx_hash, **place}
    if transfer.status in {TransferStatus.SIGNED, TransferStatus.BROADCAST}:
        ledger.advance(transfer, "include", **facts)
    elif transfer.status == TransferStatus.MINED:
        ledger.note(transfer, **facts)
    return True


def _drop(seen: Transfer, pool: Pool[Node], endpoint: Endpoint[Node]) -> bool:
    """It stood in a block and does not any more. Why a second node is asked: one may only have lost it."""
    other = pool.ask_second(partial(observation_of, sought=sought(seen)), endpoint) if pool.has_second else None
    if other is not None and other.landing is not None:
        NODE_DISAGREEMENTS.add(seen.chain)
        _LOGGER.error("nodes_disagree %s %s: whether it is in a block", seen.chain, seen.tx_hash)
        return False
    with transaction.atomic():
        transfer = ledger.locked_transfer(seen.pk)
        if transfer.status == TransferStatus.MINED:
            ledger.advance(transfer, "drop", reason="not in a block any more", block_number=None, block_hash="")
    return True


def _wait(transfer: Transfer, observation: EvmObservation) -> bool:
    """In no block: it waits, or somebody else used its nonce. While all signing is paused it is only looked at."""
    newest = newest_attempt(transfer)
    if newest is None or transfer.nonce is None:
        return False
    if observation.used_nonces > transfer.nonce:
        return look_for_foreign_use(transfer)
    if is_paused(Paused.SIGNING):
        if transfer.status == TransferStatus.SIGNED:
            note_blocker(transfer, Blocker.SIGNING_PAUSED)
        return False
    return _press_on(transfer, newest, observation)


def _press_on(transfer: Transfer, newest: TransferAttempt, observation: EvmObservation) -> bool:
    """Send it again where it was dropped, offer more where it waits too long."""
    sent_at = newest.first_broadcast_at
    if sent_at is None:
        return send_signed(transfer)
    if is_to_be_given_up(transfer, newest) and sign_dearer(transfer, AttemptKind.NOOP, Failure.WITHDRAWN):
        return True
    waits_too_long = observation.used_nonces == transfer.nonce and now() - sent_at >= patience(chain_of(transfer))
    if waits_too_long and sign_dearer(transfer, AttemptKind(newest.kind)):
        return True
    if not observation.is_pending:
        offer(transfer, newest)
    return False
