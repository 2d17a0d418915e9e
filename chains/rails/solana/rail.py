"""The rail of Solana: sign once, store, send the same bytes again and again, and sign anew only over a proven death.

Source: docs/money-out.md, On Solana.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeVar

from django.conf import settings

from chains.blockers import Blocked, Blocker, Rejected
from chains.clients.pool import Pool
from chains.clients.registry import SOLANA
from chains.clients.solana_endpoint import SolanaNode
from chains.clients.solana_issue import send, try_out
from chains.errors import ChainUnavailable
from chains.finality import needs_second_node
from chains.models import SigningAccount, Transfer, TransferAttempt
from chains.rails.solana import writing
from chains.rails.solana.facts import fresh_life, read_facts, written_accounts
from chains.rails.solana.message import Draft, Signed, drafted, message_of, signed_with
from chains.rails.solana.observation import SolanaObservation, read_observation
from chains.rails.solana.past import sent_before
from chains.rails.solana.preflight import check_recipient, check_transfer, check_trial
from chains.rails.solana.verdict import Case, Judgement, Signature, Verdict, judge
from chains.signers.base import SignerUnavailable
from chains.signers.policy import sign_stored
from chains.states import TransferStatus
from core.clock import now
from core.pauses import Paused, is_paused

T = TypeVar("T")
R = TypeVar("R")
RESEND_AFTER = timedelta(seconds=2)
"""Nodes that are told not to retry forget what no leader took. Source: docs/money-out.md, On Solana."""


class SolanaRail:
    """``chains.rails.base.Rail`` over Solana's nodes."""

    poll = timedelta(seconds=2)

    def step(self, transfer: Transfer) -> bool:
        """Sign, send, or look."""
        if transfer.network != settings.NETWORK_PROFILE or transfer.account is None:
            raise ChainUnavailable(transfer.chain)
        if transfer.status == TransferStatus.NEW:
            return self._sign(transfer, transfer.account)
        is_wanted = transfer.withdrawn_at is None and not is_paused(Paused.SIGNING)
        if transfer.status == TransferStatus.SIGNED and is_wanted:
            return self._send(transfer)
        return self._look(transfer)

    def _sign(self, transfer: Transfer, account: SigningAccount) -> bool:
        """Everything that takes time happens before the locks; whoever stores first is sent, the other is dropped."""
        transfer.sender = account.address
        earlier = list(transfer.attempts.all())
        if earlier and not self._is_all_dead(transfer, earlier):
            return True
        sent, others = sent_before(transfer)
        if sent:
            writing.take_up_sent(transfer, sent)
            return True
        writing.hold_undecided(transfer, others)
        if not writing.permit(transfer):
            return True
        signed = _signed(transfer, _draft(transfer))
        writing.store_signed(transfer, signed, dead=[one.tx_hash for one in earlier])
        return True

    def _is_all_dead(self, transfer: Transfer, earlier: Sequence[TransferAttempt]) -> bool:
        """Look for all earlier signatures once more. Raises: ChainUnavailable where nobody can say."""
        judgement = judged(transfer, earlier)
        if judgement.landing is not None:
            writing.take_back_up(transfer, judgement.landing)
        elif judgement.verdict is not Verdict.DEAD:
            raise ChainUnavailable(transfer.chain)
        return judgement.landing is None

    def _send(self, transfer: Transfer) -> bool:
        attempt = transfer.attempts.latest("sequence")
        _tell_nodes(transfer, attempt)
        writing.note_sent(transfer, attempt.tx_hash)
        return True

    def _look(self, transfer: Transfer) -> bool:
        attempts = list(transfer.attempts.all())
        judgement = judged(transfer, attempts)
        sent_at = attempts[-1].first_broadcast_at
        # Nodes are given the same bytes again while these stand nowhere, may still land, and shall.
        is_open = transfer.withdrawn_at is None and judgement.verdict is Verdict.OPEN
        is_wanted = is_open and not is_paused(Paused.SIGNING)
        if is_wanted and (sent_at is None or now() - sent_at >= RESEND_AFTER):
            _tell_nodes(transfer, attempts[-1])
        return writing.write_judgement(transfer, judgement, [one.tx_hash for one in attempts])


def _draft(transfer: Transfer) -> Draft:
    """What is to be signed, tried out on a node. Raises: Rejected, Blocked, ChainUnavailable."""
    check_recipient(transfer)
    pool = SOLANA.pool(transfer.chain)
    life = fresh_life(pool, written_accounts(transfer))
    checks = partial(check_transfer, transfer, unit_price=life.unit_price)
    program = _sure(pool, partial(read_facts, transfer=transfer), checks)
    trial = partial(try_out, unsigned=drafted(transfer, program, life).unsigned)
    return drafted(transfer, program, life, used_units=_sure(pool, trial, check_trial))


def _sure(pool: Pool[SolanaNode], question: Callable[[SolanaNode], T], check: Callable[[T], R]) -> R:
    """What follows from one node's word; a transfer is refused for good only if a second one's leads to that too.

    Raises: Rejected, Blocked, ChainUnavailable.
    """
    answer, endpoint = pool.ask_one(question)
    try:
        return check(answer)
    except Rejected:
        if not pool.has_second:
            raise
    second = pool.ask_second(question, endpoint)
    if second is not None:
        check(second)
    raise ChainUnavailable(pool.chain.name)


def _signed(transfer: Transfer, draft: Draft) -> Signed:
    """Raises: Blocked where no signature can be had, or a wrong one came."""
    try:
        return signed_with(draft, sign_stored(transfer, message_of(draft)))
    except SignerUnavailable as refusal:
        raise Blocked(refusal.blocker) from refusal
    except ValueError as error:
        raise Blocked(Blocker.SIGNER_UNAVAILABLE) from error


def judged(transfer: Transfer, attempts: Sequence[TransferAttempt]) -> Judgement:
    """What one node says, or two, of everything that was ever signed. Raises: ChainUnavailable."""
    pool, names = SOLANA.pool(transfer.chain), [one.tx_hash for one in attempts]
    question = partial(read_observation, transfer=transfer, signatures=names)
    first, endpoint = pool.ask_one(question)
    second: SolanaObservation | None = None
    if pool.has_second:
        second = pool.ask_second(partial(question, least_slot=first.slot), endpoint)
    case = Case(
        transfer=str(transfer.pk),
        signatures=[Signature(name=one.tx_hash, last_valid_height=one.last_valid_height or 0) for one in attempts],
        base_units=transfer.base_units,
        start_slot=transfer.start_block or 0,
        has_second=pool.has_second,
        needs_second=needs_second_node(transfer.value_usd),
    )
    return judge(case, first, second)


def _tell_nodes(transfer: Transfer, attempt: TransferAttempt) -> None:
    """Give the stored bytes to every node. Why no answer is read: any may hide that it was sent."""
    SOLANA.pool(transfer.chain).ask_every(partial(send, signed_base64=attempt.raw))
