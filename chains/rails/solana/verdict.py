"""What may be concluded of a transfer from what one node says, or two. Pure but for its log lines.

Money counts as sent when it stands for good and arrived to the base unit. Nothing is called failed or dead by one node
while the other is silent or says otherwise. Source: docs/money-out.md, On Solana.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from chains.rails.solana.observation import Landing, SolanaObservation
from chains.registry import Family
from core.metrics import NODE_DISAGREEMENTS

_LOGGER = logging.getLogger("causeway.chains")


class Verdict(StrEnum):
    """``OPEN``: it may still land. ``STANDS``: it is in a block that counts, not for good yet, or not agreed on."""

    OPEN = "open"
    STANDS = "stands"
    PAID = "paid"
    REVERTED = "reverted"
    DEAD = "dead"


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """One signed transaction, and the last height at which a block can hold it."""

    name: str
    last_valid_height: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """What is judged: all that was ever signed for a transfer, from ``start_slot`` on, to pay ``base_units``.

    ``has_second``: another node could be asked; ``needs_second``: so much is at stake that it must have answered.
    """

    transfer: str
    signatures: Sequence[Signature]
    base_units: int
    start_slot: int
    has_second: bool
    needs_second: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """The verdict, and the landing that it is about."""

    verdict: Verdict
    landing: Landing | None = None


def judge(case: Case, first: SolanaObservation, second: SolanaObservation | None) -> Judgement:
    """What both nodes' words allow, or the first one's where there is no other."""
    words = [first] if second is None else [first, second]
    landing = _landing(case, words)
    if landing is not None:
        beside = second if landing in first.landings else first  # the other node than the one that showed it
        verdict = _of_landing(case, landing, beside)
        is_alone = all(_only(case, landing, word) for word in words)
        return Judgement(verdict=verdict if is_alone else Verdict.STANDS, landing=landing)
    is_heard = second is not None or not case.has_second
    is_dead = is_heard and all(_calls_dead(case, word) for word in words)
    return Judgement(verdict=Verdict.DEAD if is_dead else Verdict.OPEN)


def _calls_dead(case: Case, word: SolanaObservation) -> bool:
    """Whether a node proves that nothing of it can ever land.

    Its final height is past them all, it has heard of none, and its history goes back to before the first of them.
    """
    is_past = all(word.height > one.last_valid_height for one in case.signatures)
    return is_past and not word.known and word.oldest <= case.start_slot


def _only(case: Case, landing: Landing, word: SolanaObservation) -> bool:
    """Whether nothing else of the transfer can land, or has, as far as this node says. What paid stands anyway."""
    others = [one for one in case.signatures if one.name != landing.signature]
    is_past = all(word.height > one.last_valid_height for one in others)
    return not landing.failed or (is_past and word.known <= {landing.signature})


def _landing(case: Case, words: Sequence[SolanaObservation]) -> Landing | None:
    """The landing that counts: one that paid before one that failed, one that is final before one that is not."""
    found = sorted((one for word in words for one in word.landings), key=lambda one: (one.failed, not one.is_final))
    paying = {one.signature for one in found if not one.failed}
    if len(paying) > 1:
        _LOGGER.critical("transfer_landed_twice %s: %s", case.transfer, ", ".join(sorted(paying)))
    return found[0] if found else None


def _of_landing(case: Case, landing: Landing, other: SolanaObservation | None) -> Verdict:
    if not landing.is_final or not _is_agreed(case, landing, other):
        return Verdict.STANDS
    if landing.failed:
        return Verdict.REVERTED
    if landing.gained != case.base_units:
        _LOGGER.critical("transfer_amount_differs %s: %s brought %s", case.transfer, landing.signature, landing.gained)
        return Verdict.STANDS
    return Verdict.PAID


def _is_agreed(case: Case, landing: Landing, other: SolanaObservation | None) -> bool:
    """Whether the other node says the same of a final landing, or need not.

    Why a failure needs both at any amount: it lets another transfer be made.
    """
    if not case.has_second:
        return True
    must_agree = case.needs_second or landing.failed
    if other is None:
        return not must_agree
    theirs = next((one for one in other.landings if one.signature == landing.signature), None)
    if theirs is not None and theirs.is_final:
        return _same(case, landing, theirs)
    if other.slot >= landing.slot and theirs is None:
        _disagree(case, landing)
        return False
    return not must_agree


def _same(case: Case, landing: Landing, theirs: Landing) -> bool:
    if landing == theirs:
        return True
    _disagree(case, landing)
    return False


def _disagree(case: Case, landing: Landing) -> None:
    NODE_DISAGREEMENTS.add(Family.SOLANA.value)  # the family of one chain
    _LOGGER.error("nodes_disagree %s: whether %s landed, and how", case.transfer, landing.signature)
