"""Handing stored bytes to every node, and what follows where all of them refuse."""

import logging
from functools import partial

from django.db import transaction

from chains import ledger
from chains.blockers import Blocker, Failure
from chains.clients.evm_sending import Verdict, send_raw
from chains.clients.outcomes import NoAnswer
from chains.clients.registry import EVM
from chains.models import Transfer, TransferAttempt
from chains.models.transfers import AttemptKind
from chains.rails.evm.calls import chain_of
from chains.rails.evm.fees import patience
from chains.rails.evm.signing import has_been_sent, newest_attempt, note_blocker, sign_dearer
from chains.states import TransferStatus
from core.clock import now

_LOGGER = logging.getLogger("causeway.transfers")


def send_signed(transfer: Transfer) -> bool:
    """Send what was signed and not sent yet; or what takes its place, if the transfer was withdrawn meanwhile.

    Only where nothing was ever sent, and every node refuses for a reason that says so, it is not on its way.
    """
    newest = newest_attempt(transfer)
    if newest is None:
        return False
    was_sent = has_been_sent(transfer)
    if is_to_be_given_up(transfer, newest):
        is_signed = sign_dearer(transfer, AttemptKind.NOOP, Failure.WITHDRAWN)
        if is_signed or not was_sent:
            return is_signed
    verdict = offer(transfer, newest)
    if verdict is Verdict.TAKEN or was_sent:
        return _record_sent(transfer, newest)
    return _mend(transfer, newest, verdict)


def offer(transfer: Transfer, attempt: TransferAttempt) -> Verdict:
    """Hand one attempt's bytes to every node. One that takes it, knows it or is silent means: it may be on its way.

    Raises: ChainUnavailable where no node may be asked.
    """
    answers = EVM.pool(transfer.chain).ask_every(partial(send_raw, raw=attempt.raw))
    verdicts = {Verdict.TAKEN if isinstance(answer, NoAnswer) else answer for answer in answers}
    if Verdict.TAKEN in verdicts:
        return Verdict.TAKEN
    return next(verdict for verdict in Verdict if verdict in verdicts)


def is_to_be_given_up(transfer: Transfer, newest: TransferAttempt) -> bool:
    """Whether somebody withdrew it, and what was signed last would still pay."""
    return transfer.withdrawn_at is not None and newest.kind == AttemptKind.PAY


@transaction.atomic
def _record_sent(seen: Transfer, attempt: TransferAttempt) -> bool:
    transfer = ledger.locked_transfer(seen.pk)
    TransferAttempt.objects.filter(pk=attempt.pk, first_broadcast_at=None).update(first_broadcast_at=now())
    if transfer.status == TransferStatus.SIGNED:
        ledger.advance(transfer, "broadcast")
    return True


def _mend(transfer: Transfer, newest: TransferAttempt, verdict: Verdict) -> bool:
    """What can be done about a refusal by all nodes, with the nonce kept; says whether something was signed anew."""
    _LOGGER.warning("transfer_refused %s: %s on %s, attempt %d", verdict, transfer.pk, transfer.chain, newest.sequence)
    kind = AttemptKind(newest.kind)
    if verdict in {Verdict.CHEAP, Verdict.GAS}:
        # Why not at once: a node that says so of every offer would lead up to the cap.
        is_patient = now() - newest.created_at >= patience(chain_of(transfer))
        return is_patient and sign_dearer(transfer, kind)
    if verdict is Verdict.BAD and kind == AttemptKind.PAY:
        return sign_dearer(transfer, AttemptKind.NOOP, Failure.CHAIN_REJECTED)
    if verdict is Verdict.POOR:
        note_blocker(transfer, Blocker.INSUFFICIENT_GAS)
    return False
