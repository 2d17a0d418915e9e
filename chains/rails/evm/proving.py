"""Ending a transfer: only by what is final, canonical and as ordered, told by two nodes where that is asked for."""

import logging
from functools import partial

from django.db import transaction

from chains import ledger
from chains.blockers import Failure
from chains.clients.endpoints import Endpoint
from chains.clients.evm_endpoint import Node
from chains.clients.evm_observation import Landing, observation_of
from chains.clients.pool import Pool
from chains.finality import needs_second_node
from chains.models import SigningAccount, Transfer
from chains.models.transfers import AttemptKind
from chains.rails.evm.calls import sought
from chains.states import TransferStatus
from core import transitions
from core.clock import now
from core.metrics import NODE_DISAGREEMENTS

_LOGGER = logging.getLogger("causeway.transfers")


def conclude(transfer: Transfer, pool: Pool[Node], endpoint: Endpoint[Node], landing: Landing) -> bool:
    """End a transfer whose landing is final; nothing else follows in this step either way."""
    if landing.is_final and _is_confirmed(transfer, pool, endpoint, landing):
        _end(transfer, landing)
    return False


def _is_confirmed(transfer: Transfer, pool: Pool[Node], endpoint: Endpoint[Node], landing: Landing) -> bool:
    """Whether no other node contradicts, and one says the same where so much is at stake."""
    if not pool.has_second:
        return True
    other = pool.ask_second(partial(observation_of, sought=sought(transfer)), endpoint)
    is_large = needs_second_node(transfer.value_usd)
    if other is None or (other.landing is None and other.head < landing.block_number):  # it is behind
        if is_large:
            _LOGGER.warning("second_node_silent %s: transfer %s waits for it", transfer.chain, transfer.pk)
        return not is_large
    if other.landing is None or other.landing.facts != landing.facts:
        NODE_DISAGREEMENTS.add(transfer.chain)
        _LOGGER.error("nodes_disagree %s %s: what it did", transfer.chain, landing.tx_hash)
        return False
    return other.landing.is_final or not is_large


@transaction.atomic
def _end(seen: Transfer, landing: Landing) -> None:
    """Write the end that the landing means. Locks: transfer, then account."""
    transfer = ledger.locked_transfer(seen.pk)
    stands = (transfer.tx_hash, transfer.block_hash) == (landing.tx_hash, landing.block_hash)
    if transfer.status != TransferStatus.MINED or not stands:
        return
    kind = transfer.attempts.get(tx_hash=landing.tx_hash).kind
    if kind == AttemptKind.NOOP and landing.moved == 0:
        _end_unpaid(transfer)
    elif kind == AttemptKind.PAY and landing.succeeded and landing.moved == transfer.base_units:
        ledger.advance(transfer, "pay", paid_at=now(), failure="")
    elif kind == AttemptKind.PAY and not landing.succeeded and landing.moved == 0:
        ledger.advance(transfer, "revert", reason=Failure.CHAIN_REJECTED, failure=Failure.CHAIN_REJECTED)
    else:
        _LOGGER.error("transfer_not_as_ordered %s %s: moved %d", transfer.pk, landing.tx_hash, landing.moved)
        return
    account = transitions.locked(SigningAccount.objects.all(), pk=transfer.account_id)
    if transfer.nonce is not None and (account.final_nonce is None or account.final_nonce < transfer.nonce):
        SigningAccount.objects.filter(pk=account.pk).update(final_nonce=transfer.nonce)


def _end_unpaid(transfer: Transfer) -> None:
    """Nothing moved, and the nonce is used up. Where nobody gave the transfer up, another round may be opened."""
    if transfer.failure:
        ledger.advance(transfer, "fail", reason=transfer.failure)
    elif transfer.withdrawn_at is not None:
        ledger.advance(transfer, "fail", reason=Failure.WITHDRAWN, failure=Failure.WITHDRAWN)
    else:
        ledger.advance(transfer, "revert", reason=Failure.CHAIN_REJECTED, failure=Failure.CHAIN_REJECTED)
