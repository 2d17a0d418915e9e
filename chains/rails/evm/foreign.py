"""A nonce of ours that somebody else used: the account stops, and only two nodes together free the transfer."""

import logging
from functools import partial
from typing import Any

from django.db import transaction

from chains import ledger
from chains.clients.evm_observation import Remains, remains_of
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.models import Transfer
from chains.rails.accounts import FOREIGN_NONCE
from chains.rails.evm.calls import account_of, sought
from chains.rails.evm.nonces import stop_account
from chains.states import STARTED
from core.metrics import NODE_DISAGREEMENTS

_LOGGER = logging.getLogger("causeway.transfers")


def look_for_foreign_use(transfer: Transfer) -> bool:
    """See whether the transfer's nonce is used for good by nothing that we signed; false while that is not proven.

    With one node the account is paused, and the transfer stays: one word is not enough to send again.
    """
    pool = EVM.pool(transfer.chain)
    question = partial(remains_of, sought=sought(transfer))
    remains, endpoint = pool.ask_one(question)
    if not _is_foreign(transfer, remains):
        return False
    other = pool.ask_second(question, endpoint) if pool.has_second else None
    if other is not None and other.landing is not None:
        NODE_DISAGREEMENTS.add(transfer.chain)
        _LOGGER.error("nodes_disagree %s %s: whether it is in a block", transfer.chain, other.landing.tx_hash)
        return False
    stop_account(account_of(transfer), FOREIGN_NONCE)
    if other is None or not _is_foreign(transfer, other):
        return False
    _displace(transfer)
    return False


def check_left_behind(transfer: Transfer) -> None:
    """Before another nonce is taken: nothing that was ever signed for the transfer may be in a block.

    Raises: ChainUnavailable. Why again: this is the only way to two nonces for one transfer.
    """
    if not transfer.attempts.exists():
        return
    for remains in EVM.pool(transfer.chain).ask_every(partial(remains_of, sought=sought(transfer))):
        if not isinstance(remains, Remains) or remains.landing is not None:
            _LOGGER.error("transfer_left_behind %s: an earlier transaction may have landed", transfer.pk)
            raise ChainUnavailable(transfer.chain)


def _is_foreign(transfer: Transfer, remains: Remains) -> bool:
    is_used = transfer.nonce is not None and remains.final_nonces is not None and remains.final_nonces > transfer.nonce
    return is_used and remains.landing is None


@transaction.atomic
def _displace(seen: Transfer) -> None:
    """Why it loses its nonce: none of what was signed with it can land any more."""
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status in STARTED and transfer.nonce == seen.nonce:
        cleared: dict[str, Any] = {"nonce": None, "tx_hash": "", "block_number": None, "block_hash": ""}
        ledger.advance(transfer, "displace", reason=FOREIGN_NONCE, **cleared)
