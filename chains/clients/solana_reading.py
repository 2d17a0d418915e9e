"""One landed transaction as one node shows it: whether it pays the leg, and what arrived.

Only a transfer at the top of the transaction that carries the leg's reference, and goes to the merchant's own
account of the registered token, is the leg's. What counts is by how much that account grew, and no more than these
transfers say. What else the merchant's accounts gained is a stray. Source: docs/live.md, Solana.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from chains.clients.base import (
    MOST_STRAYS,
    NOBODY,
    IssuedLeg,
    Mark,
    ObservedTransfer,
    Payer,
    PayerProof,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.clients.solana_endpoint import SolanaNode, whole
from chains.clients.solana_shown import (
    NewerVersion,
    Shown,
    foreign,
    growth,
    is_older,
    owner_of,
    read_shown,
    seen_as,
)
from chains.instructions.programs import SYSTEM_PROGRAM, TOKEN_PROGRAMS, token_account
from chains.instructions.transactions import COIN_TRANSFER, TRANSFER_CHECKED, reference_of
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.money import BaseUnits

_TOKEN_TRANSFER_BYTES, _COIN_TRANSFER_BYTES = 10, 12
_TOKEN_TRANSFER_ACCOUNTS, _COIN_TRANSFER_ACCOUNTS = 4, 2
"""Before the reference. Why counted: anybody can mention a reference in an instruction that makes no sense."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A landed transaction. ``seen.tag`` is the leg's if it pays the leg, or would have if it had not failed.

    ``strays`` are other tokens, and the coin, that one which pays the leg brought too.
    """

    seen: SeenTransaction
    transfers: tuple[ObservedTransfer, ...] = ()
    strays: tuple[ObservedTransfer, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Payment:
    """A transfer of the leg, as the message says it: places are among the transaction's accounts.

    ``source`` is the token account that it leaves; None for the native coin, which leaves the wallet itself.
    """

    base_units: int
    sender: str
    account: str
    place: int
    source: int | None = None


@dataclass(frozen=True, kw_only=True)
class _Landed:
    shown: Shown
    payments: Sequence[_Payment]


def read_landed(node: SolanaNode, leg: IssuedLeg, signature: str) -> Reading | None:
    """The transaction under a signature; None where the node cannot show it yet. Raises: EndpointFault."""
    try:
        shown = read_shown(node, signature)
    except NewerVersion:
        return Reading(seen=foreign(SeenStatus.INCLUDED))
    if shown is None:
        return None
    landed = _Landed(shown=shown, payments=_payments(shown, leg))
    senders = {payment.sender for payment in landed.payments}
    is_old = leg.start_block is None or is_older(node, leg, shown.slot)
    # Why a failed one must be the payer's: anybody can let one with the reference fail, and end the leg by it.
    is_ours = bool(senders) and not is_old and (not shown.failed or leg.sender in senders)
    seen = seen_as(node, shown, signature, sender=min(senders, default=""), tag=leg.tag if is_ours else "")
    if not seen.tag or seen.status != SeenStatus.INCLUDED:
        return Reading(seen=seen)
    transfers = tuple(_arrivals(leg, landed, seen))
    if not transfers:
        # Why: one that succeeded and moved nothing to the merchant is over like one that failed.
        return Reading(seen=replace(seen, status=SeenStatus.REVERTED))
    return Reading(seen=seen, transfers=transfers, strays=tuple(_strays(transfers[0], landed, leg)))


def _payments(shown: Shown, leg: IssuedLeg) -> list[_Payment]:
    """The leg's own transfers among a transaction's instructions, each signed for by who sends."""
    keys, signers, found = shown.keys, shown.signers, []
    for instruction in shown.message.instructions:
        program, accounts = keys[instruction.program_id_index], list(instruction.accounts)
        is_coin = program == SYSTEM_PROGRAM
        read = _coin_transfer if is_coin else _token_transfer
        payment = read(program, instruction.data, accounts, keys, leg)
        authority = accounts[0 if is_coin else 3] if payment is not None else signers
        if payment is not None and authority < signers and payment.sender != leg.recipient:
            found.append(payment)
    return found


def _token_transfer(
    program: str, content: bytes, accounts: Sequence[int], keys: Sequence[str], leg: IssuedLeg
) -> _Payment | None:
    """A TransferChecked of the leg's token to the merchant's associated account, with the reference."""
    is_transfer = len(content) == _TOKEN_TRANSFER_BYTES and content[0] == TRANSFER_CHECKED
    if program not in TOKEN_PROGRAMS or not is_transfer or len(accounts) < _TOKEN_TRANSFER_ACCOUNTS:
        return None
    _, token, account, authority, *others = (keys[place] for place in accounts)
    ours = (leg.token_address, token_account(leg.recipient, leg.token_address, program))
    units = int.from_bytes(content[1:9], "little")
    if (token, account) != ours or _reference(leg) not in others or units == 0:
        return None
    return _Payment(base_units=units, sender=authority, account=account, place=accounts[2], source=accounts[0])


def _coin_transfer(
    _program: str, content: bytes, accounts: Sequence[int], keys: Sequence[str], leg: IssuedLeg
) -> _Payment | None:
    """A transfer of the native coin to the merchant's wallet, with the reference."""
    is_transfer = len(content) == _COIN_TRANSFER_BYTES and int.from_bytes(content[:4], "little") == COIN_TRANSFER
    is_whole = is_transfer and len(accounts) >= _COIN_TRANSFER_ACCOUNTS
    if leg.token_address != SOLANA_NATIVE_ADDRESS or not is_whole:
        return None
    sender, account, *others = (keys[place] for place in accounts)
    units = int.from_bytes(content[4:], "little")
    if account != leg.recipient or _reference(leg) not in others or units == 0:
        return None
    return _Payment(base_units=units, sender=sender, account=account, place=accounts[1])


def _reference(leg: IssuedLeg) -> str:
    return leg.reference or reference_of(leg.tag)


def _arrivals(leg: IssuedLeg, landed: _Landed, seen: SeenTransaction) -> Iterable[ObservedTransfer]:
    """What each account of the merchant gained: no more than the leg's own transfers to it."""
    for place in dict.fromkeys(payment.place for payment in landed.payments):
        own = [payment for payment in landed.payments if payment.place == place]
        gained = min(
            growth(landed.shown, place, leg.token_address, leg.recipient), sum(payment.base_units for payment in own)
        )
        if gained > 0 and seen.block_time is not None:
            yield ObservedTransfer(
                chain=leg.to_chain,
                tx_hash=seen.tx_hash,
                kind=TransferKind.ACCOUNT,
                position=own[0].account,
                token_address=leg.token_address,
                base_units=BaseUnits(gained),
                sender=own[0].sender,
                recipient=leg.recipient,
                block_number=landed.shown.slot,
                block_hash=seen.block_hash,
                block_time=seen.block_time,
                confirmations=seen.confirmations,
                is_finalized=landed.shown.is_finalized,
                payer=_payer(landed.shown, own, leg.token_address),
                mark=Mark.REFERENCE,
            )


def _payer(shown: Shown, own: Sequence[_Payment], token: str) -> Payer:
    """The one wallet that signed all of these transfers, out of accounts of its own; else nobody.

    Why its own accounts: a delegate may sign for money that another one owns.
    """
    senders = {payment.sender for payment in own}
    owners = {payment.sender if payment.source is None else owner_of(shown, payment.source, token) for payment in own}
    is_one = senders == owners and len(senders) == 1
    return Payer(wallet=own[0].sender, proof=PayerProof.SIGNATURE) if is_one else NOBODY


def _strays(own: ObservedTransfer, landed: _Landed, leg: IssuedLeg) -> list[ObservedTransfer]:
    """What the merchant gained of other tokens and of the coin, beside the leg's own transfer.

    Why nothing where another reference stands behind a transfer to the merchant: whose the rest is nobody can say.
    Sent by the payer where nobody else signed: then what programs moved, they moved for him.
    """
    shown, places = landed.shown, dict(_accounts_of(landed.shown, leg.recipient))
    marks = {key for place, others in _transfers_in(shown) if place in places for key in others}
    if marks != {_reference(leg)}:
        return []
    gained = [(place, token, growth(shown, place, token, leg.recipient)) for place, token in places.items()]
    return [
        replace(
            own,
            position=shown.keys[place],
            token_address=token,
            base_units=BaseUnits(units),
            payer=own.payer if shown.message.header.num_required_signatures == 1 else NOBODY,
            mark=Mark.STRAY,
        )
        for place, token, units in gained
        if token != leg.token_address and units > 0
    ][:MOST_STRAYS]


def _accounts_of(shown: Shown, owner: str) -> Iterator[tuple[int, str]]:
    """Where a wallet's own accounts stand in a transaction, each with its token: its address, and its associated ones.

    Why no others: what is handed out is paid to these, and anybody can open more for whomever he likes.
    """
    if owner in shown.keys:
        yield shown.keys.index(owner), SOLANA_NATIVE_ADDRESS
    for entry in shown.meta["postTokenBalances"]:
        place, token = whole(entry["accountIndex"]), str(entry["mint"])
        own = [token_account(owner, token, program) for program in TOKEN_PROGRAMS] if entry["owner"] == owner else []
        if shown.keys[place] in own:
            yield place, token


def _transfers_in(shown: Shown) -> Iterator[tuple[int, list[str]]]:
    """Where each transfer at the top goes, and the accounts it names beyond those it needs, as a reference is one."""
    for instruction in shown.message.instructions:
        program, content = shown.keys[instruction.program_id_index], instruction.data
        keys = [shown.keys[place] for place in instruction.accounts]
        if program in TOKEN_PROGRAMS and content[:1] == bytes([TRANSFER_CHECKED]):
            yield instruction.accounts[2], keys[_TOKEN_TRANSFER_ACCOUNTS:]
        elif program == SYSTEM_PROGRAM and content[:4] == COIN_TRANSFER.to_bytes(4, "little"):
            yield instruction.accounts[1], keys[_COIN_TRANSFER_ACCOUNTS:]
