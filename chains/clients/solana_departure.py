"""The payer's side of a leg that begins on Solana: the deposit it was issued as found on the chain, and its order.

Found by the hash that was told and by the leg's reference; counted only where a top-level instruction is the issued
deposit, in every account and byte. Its order's id follows from an unsafe deposit itself; for the others it stands in
the program's own event under that very instruction. Source: docs/adr/0015; docs/live.md, Across on Solana.
Why so strict about the event: in July 2026 relayers of Across believed deposits that other programs had made up, as
bytes behind a harmless call of the program (github across-protocol/sdk, pull request 1486).
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from chains.base58 import from_base58
from chains.clients.across import ACROSS, Order
from chains.clients.base import NOBODY, Departure, IssuedLeg, Payer, PayerProof, SeenStatus, SeenTransaction
from chains.clients.gaps import Gaps
from chains.clients.outcomes import CannotSay
from chains.clients.solana_endpoint import SolanaNode
from chains.clients.solana_look import LANDED, MOST_CANDIDATES, commitments, dead_slot, least_slot, mentioning
from chains.clients.solana_shown import NewerVersion, Shown, foreign, is_older, nowhere, read_shown, seen_as
from chains.instructions.bridge_transaction import given_instructions
from chains.instructions.given import GivenInstruction
from chains.instructions.refusal import TransactionRefused
from chains.instructions.svm_events import Deposited, is_event_of, read_deposited
from chains.instructions.svm_spoke import (
    ACROSS_SOLANA_ID,
    SVM_SPOKE,
    DepositKind,
    SvmDeposit,
    event_authority,
    read_deposit,
    unsafe_deposit_id,
)
from core.money import BaseUnits

_CALLED_BY_INSTRUCTION = 2
"""The height of what a top-level instruction calls itself."""


@dataclass(frozen=True, kw_only=True)
class _Observation:
    """A landed transaction, and the order it opened; ``seen.tag`` is the leg's if it makes the issued deposit."""

    seen: SeenTransaction
    order_id: str = ""


def departure_of(node: SolanaNode, leg: IssuedLeg) -> Departure:
    """What the chain shows of a leg's deposit now."""
    issued, gaps = _issued_deposit(leg), Gaps(leg=leg)
    dead_since = dead_slot(node, leg)
    mentions = mentioning(node, leg)
    named = dict.fromkeys([leg.tx_hash, *mentions[:MOST_CANDIDATES]])
    statuses = commitments(node, named, least_slot(node, leg, dead_since))
    landed = [name for name, status in statuses.items() if status in LANDED]
    observations = {name: gaps.tried(name, partial(_observed, node, leg, issued, name)) for name in landed}
    # The transaction to follow: one that deposited, else the one that was told, else the payer's own that failed.
    own = [one for one in observations.values() if one is not None and one.seen.tag]
    deposited = [one for one in own if one.seen.status == SeenStatus.INCLUDED]
    found = next(iter([*deposited, *filter(None, [observations.get(leg.tx_hash)]), *own]), None)
    missing: dict[str, Any] = {"unsaid": gaps.unsaid, "unseen": gaps.parts}
    unread = {name for name, status in statuses.items() if status and observations.get(name) is None}
    if found is None and dead_since is not None and unread <= leg.given_up and len(mentions) <= MOST_CANDIDATES:
        return Departure(seen=nowhere(leg, SeenStatus.REPLACED), **missing)
    if found is None:
        return Departure(seen=None, **missing)
    depositor = Payer(wallet=issued.accounts[0].address, proof=PayerProof.SIGNATURE) if found.order_id else NOBODY
    return Departure(seen=found.seen, order_id=found.order_id, payer=depositor, **missing)


def _issued_deposit(leg: IssuedLeg) -> GivenInstruction:
    """The deposit in the transaction that was handed out. Raises: CannotSay where there is none to look for."""
    if leg.bridge != ACROSS:
        raise CannotSay(f"no order id on {leg.bridge}")
    try:
        [deposit] = [one for one in given_instructions(leg.issued_transaction) if one.program == SVM_SPOKE]
    except (TransactionRefused, ValueError) as error:
        raise CannotSay("no deposit was issued") from error
    return deposit


def _observed(node: SolanaNode, leg: IssuedLeg, issued: GivenInstruction, signature: str) -> _Observation | None:
    try:
        shown = read_shown(node, signature)
    except NewerVersion:
        return _Observation(seen=foreign(SeenStatus.INCLUDED))
    if shown is None:
        return None
    place = _place_of(shown, issued)
    is_old = leg.start_block is None or is_older(node, leg, shown.slot)
    if place is None or is_old:
        return _Observation(seen=seen_as(node, shown, signature, sender=shown.keys[0], tag=""))
    seen = seen_as(node, shown, signature, sender=leg.sender, tag=leg.tag)
    return _Observation(
        seen=seen, order_id="" if shown.failed else _order_of(shown, place, read_deposit(issued.content))
    )


def _place_of(shown: Shown, issued: GivenInstruction) -> int | None:
    """Where among a transaction's instructions the issued deposit stands, signed by its depositor."""
    wanted = [entry.address for entry in issued.accounts]
    for place, one in enumerate(shown.message.instructions):
        accounts = list(one.accounts)
        is_spoke = shown.keys[one.program_id_index] == SVM_SPOKE and bytes(one.data) == issued.content
        if is_spoke and [shown.keys[index] for index in accounts] == wanted and accounts[0] < shown.signers:
            return place
    return None


def _order_of(shown: Shown, place: int, deposit: SvmDeposit) -> str:
    """The order that the deposit opened; empty where the program told of none, or of several. Raises: CannotSay."""
    if deposit.kind is DepositKind.UNSAFE_DEPOSIT:
        return _order(deposit, unsafe_deposit_id(deposit))
    events = [one for one in _events(shown, place) if is_event_of(one.deposit, deposit)]
    return _order(events[0].deposit, events[0].deposit_id) if len(events) == 1 else ""


def _events(shown: Shown, place: int) -> list[Deposited]:
    """What the program told, in calls of itself that this instruction made."""
    if shown.meta.get("innerInstructions") is None:
        raise CannotSay("a node that keeps no inner instructions")
    inner = [
        one for group in shown.meta["innerInstructions"] if group["index"] == place for one in group["instructions"]
    ]
    found = [_deposited(shown, one) for one in inner]
    return [one for one in found if one is not None]


def _deposited(shown: Shown, inner: dict[str, Any]) -> Deposited | None:
    """The event in one inner instruction: the program's own, under its own seal, made by the deposit itself."""
    program, accounts = shown.keys[inner["programIdIndex"]], [shown.keys[index] for index in inner["accounts"]]
    is_direct = inner.get("stackHeight") in {None, _CALLED_BY_INSTRUCTION}
    if program != SVM_SPOKE or accounts != [event_authority()] or not is_direct:
        return None
    try:
        return read_deposited(from_base58(inner["data"]))
    except TransactionRefused:
        return None


def _order(deposit: SvmDeposit, deposit_id: int) -> str:
    return str(
        Order(
            origin_chain_id=ACROSS_SOLANA_ID,
            deposit_id=deposit_id,
            fill_deadline=deposit.fill_deadline,
            input_base_units=BaseUnits(deposit.input_amount),
            output_base_units=BaseUnits(deposit.output_amount),
        )
    )
