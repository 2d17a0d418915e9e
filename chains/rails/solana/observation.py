"""What one node says of everything that was ever signed for a transfer, and how far back and forth it can see.

The order of the questions is the proof: the final height first, the signatures after it. Source: docs/money-out.md, On
Solana.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chains.clients.outcomes import Behind, EndpointFault
from chains.clients.solana_endpoint import CONFIRMED, FINALIZED, SolanaNode, whole
from chains.clients.solana_shown import Shown, growth, read_shown
from chains.instructions.programs import TOKEN_PROGRAMS, token_account
from chains.models import Transfer
from chains.registry import SOLANA_NATIVE_ADDRESS

MOST_SIGNATURES = 256
"""In one question. Source: https://solana.com/docs/rpc/http/getsignaturestatuses."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Landing:
    """A transaction that stands in a block. ``gained`` is what the recipient's account grew by, once it is final."""

    signature: str
    slot: int
    failed: bool
    is_final: bool
    gained: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SolanaObservation:
    """One node's word: ``slot`` and ``height`` were final before the signatures were looked for.

    ``oldest`` is the first slot of its history. ``known`` are signatures that it has heard of, ``landings`` those of
    them that stand in a block.
    """

    slot: int
    height: int
    oldest: int
    known: frozenset[str]
    landings: tuple[Landing, ...]


def read_observation(
    node: SolanaNode, transfer: Transfer, signatures: Sequence[str], least_slot: int = 0
) -> SolanaObservation:
    """What a node says now. Raises: Behind ``least_slot``; EndpointFault for a contradiction."""
    slot = node.rpc.number("getSlot", {"commitment": FINALIZED})
    height = node.rpc.number("getBlockHeight", {"commitment": FINALIZED, "minContextSlot": slot})
    oldest = node.rpc.number("getFirstAvailableBlock")
    found = _statuses(node, signatures, max(slot, least_slot))
    landings = [_landing(node, transfer, name, status) for name, status in found.items()]
    stands = tuple(landing for landing in landings if landing is not None)
    return SolanaObservation(slot=slot, height=height, oldest=oldest, known=frozenset(found), landings=stands)


def _statuses(node: SolanaNode, signatures: Sequence[str], least_slot: int) -> dict[str, Any]:
    """What it says of each signature that it has heard of."""
    found: dict[str, Any] = {}
    for start in range(0, len(signatures), MOST_SIGNATURES):
        asked = list(signatures[start : start + MOST_SIGNATURES])
        answer = node.rpc.call("getSignatureStatuses", asked, {"searchTransactionHistory": True})
        if whole(answer["context"]["slot"]) < least_slot:
            raise Behind("behind the head of the chain")
        found |= {name: status for name, status in zip(asked, answer["value"], strict=True) if status is not None}
    return found


def _landing(node: SolanaNode, transfer: Transfer, signature: str, status: Any) -> Landing | None:
    """Why final where nothing is said: what only the history knows is older than a node's recent slots."""
    reached = str(status.get("confirmationStatus") or FINALIZED)
    if reached not in {CONFIRMED, FINALIZED}:
        return None
    slot, failed = whole(status["slot"]), status["err"] is not None
    standing = Landing(signature=signature, slot=slot, failed=failed, is_final=False)
    shown = read_shown(node, signature) if reached == FINALIZED else None
    if shown is None or not shown.is_finalized:
        return standing
    if (shown.failed, shown.slot) != (failed, slot):
        raise EndpointFault("a transaction that differs from its own status")
    return Landing(signature=signature, slot=slot, failed=failed, is_final=True, gained=_gained(transfer, shown))


def _gained(transfer: Transfer, shown: Shown) -> int:
    """By how much the recipient's own account grew in this transaction; 0 where it is not part of it."""
    token, owner = transfer.token_address, transfer.recipient
    is_coin = token == SOLANA_NATIVE_ADDRESS
    places = [owner] if is_coin else [token_account(owner, token, program) for program in TOKEN_PROGRAMS]
    touched = [shown.keys.index(place) for place in places if place in shown.keys]
    return sum(growth(shown, place, token, owner) for place in touched)
