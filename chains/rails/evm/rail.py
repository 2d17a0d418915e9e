"""Which step follows which status of a transfer on an EVM chain."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction

from chains import ledger
from chains.blockers import Blocked, Blocker, Failure
from chains.errors import ChainUnavailable
from chains.models import Transfer
from chains.rails.evm.calls import account_of
from chains.rails.evm.foreign import check_left_behind
from chains.rails.evm.nonces import take_nonce
from chains.rails.evm.past import look_back
from chains.rails.evm.preflight import check_funds, check_recipient, preflight_of
from chains.rails.evm.sending import send_signed
from chains.rails.evm.signing import sign_first
from chains.rails.evm.watching import look
from chains.signers.base import SignerUnavailable
from chains.signers.policy import check_signer
from chains.states import TransferStatus
from core.pauses import Paused, is_paused

POLL_SECONDS = 3


class EvmRail:
    """``chains.rails.base.Rail`` over real nodes."""

    poll = timedelta(seconds=POLL_SECONDS)

    def step(self, transfer: Transfer) -> bool:
        """Reserve a nonce, sign, send, or look."""
        if transfer.network != settings.NETWORK_PROFILE:
            raise ChainUnavailable(transfer.chain)
        if transfer.status == TransferStatus.NEW:
            return _begin(transfer)
        if transfer.status == TransferStatus.RESERVED:
            return sign_first(transfer)
        if transfer.status == TransferStatus.SIGNED and not is_paused(Paused.SIGNING):
            return send_signed(transfer)
        return look(transfer)


def _begin(transfer: Transfer) -> bool:
    """Why the chain is asked first: what it shows as paid may neither be refused nor withdrawn, nor wait."""
    check_recipient(transfer)
    if look_back(transfer):
        return True
    if transfer.withdrawn_at is not None:
        return _end_withdrawn(transfer)
    if is_paused(Paused.SIGNING):
        raise Blocked(Blocker.SIGNING_PAUSED)
    account = account_of(transfer)
    if account.paused_at is not None:
        raise Blocked(Blocker.SIGNER_PAUSED)
    check_left_behind(transfer)
    preflight = preflight_of(transfer)
    check_funds(transfer, preflight)
    try:
        check_signer(account)
    except SignerUnavailable:
        raise Blocked(Blocker.SIGNER_UNAVAILABLE) from None
    return take_nonce(transfer, preflight)


@transaction.atomic
def _end_withdrawn(seen: Transfer) -> bool:
    """It was withdrawn while it had a nonce, and lost that to somebody else."""
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status == TransferStatus.NEW:
        ledger.advance(transfer, "fail", reason=Failure.WITHDRAWN, failure=Failure.WITHDRAWN)
    return False
