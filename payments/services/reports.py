"""What was reported of legs' transactions: taken at the door, looked for one after the other, ended by a verdict.

A report makes things faster, and never slower: a wrong one is passed over in the same look that finds the right one.
Source: docs/adr/0066-a-report-is-a-row.md.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from chains.clients.base import SeenStatus, SeenTransaction
from chains.clients.evm_claims import signer_of_claim
from chains.registry import is_tx_hash_of
from core.clock import now
from core.compiled import save_columns
from core.errors import NotFound
from payments.errors import NotATransaction, TooManyHints, TransactionAlreadyUsed
from payments.models import Hint, Leg, PaymentIntent, Reporter, Verdict
from payments.services.attempts import attempt_of
from payments.services.queue import look_at
from payments.services.schedule import HINT_LIFETIME, wake_worker
from payments.services.transition import locked_intent
from payments.services.unsaid import TRIES
from payments.states import FLYING_LEG, NOT_FOUND, REPLACED, REVERTED, TAKEN, UNSENT_LEG, LegStatus

MOST_OF_A_LEG = 20
"""Hints of one leg. One more takes the place of the oldest that has ended."""
HINTS_A_LOOK = 5
"""Looked for at once, until one is the leg's own. Why bounded: each takes all the questions of a look."""
FOREIGN = "tx_not_for_this_intent"
_MAY_APPEAR = (Verdict.LOST, Verdict.REPLACED, Verdict.UNREADABLE)
"""Nobody saw them, or they were taken out: reported again, they are looked for again."""
_VERDICTS = {REPLACED: Verdict.REPLACED, REVERTED: Verdict.REVERTED, NOT_FOUND: Verdict.LOST, TAKEN: Verdict.FOREIGN}
"""By the error of a leg that failed: what its hint came to."""
_FORGOTTEN: dict[str, dict[str, Any]] = {
    REPLACED: {"tx_hash": "", "source_nonce": None},
    NOT_FOUND: {"tx_hash": "", "submitted_at": None},
    TAKEN: {"tx_hash": ""},
}
"""By the error of a leg that failed: what is not known of it any more."""
_UNPROVEN = Q(status=LegStatus.AWAITING_SIGNATURE) | (Q(status=LegStatus.FAILED) & ~Q(error=REVERTED))
"""Legs not seen on chain. Why a hash told for one is free for another: else a stranger could occupy it first."""


@transaction.atomic
def report_transaction(  # noqa: PLR0913 - what is said of it, each by its name
    intent_id: UUID, attempt_id: UUID, leg_sequence: int, tx_hash: str, claim: str = "", *, by: Reporter
) -> PaymentIntent:
    """Take the hash a wallet returned as a hint of where to look; only the chain itself is believed.

    A leg that was given up takes it too, for a wallet may send what its owner declined here; and one that was sent, for
    its wallet may send it again. ``claim`` is the wallet's signature, for a transaction that lost its mark.
    Raises: NotFound, NotATransaction, TransactionAlreadyUsed, TooManyHints. Source: docs/adr/0066.
    """
    intent = locked_intent(intent_id)
    leg = attempt_of(intent, attempt_id).legs.filter(sequence=leg_sequence).first()
    if leg is None:
        raise NotFound("leg")
    tx_hash = _as_stored(tx_hash)
    if not is_tx_hash_of(leg.chain, tx_hash):
        raise NotATransaction(leg.chain)
    if Leg.objects.filter(~_UNPROVEN, tx_hash=tx_hash).exclude(pk=leg.pk).exists():
        raise TransactionAlreadyUsed
    known = leg.hints.filter(tx_hash=tx_hash).first()
    if not _may_help(leg, known, tx_hash, claim):
        return intent
    hint = _write(leg, known, tx_hash, claim, by)
    if leg.status in UNSENT_LEG:
        followed = _following(hint) if leg.tx_hash in {"", tx_hash} else {}
        change_leg(leg, followed | {"submitted_at": hint.reported_at, "updated_at": now()})
        look_at(intent, now())
        wake_worker()
    return intent


def is_news(intent: PaymentIntent, place: tuple[UUID, int], tx_hash: str, claim: str) -> bool:
    """Whether a report says what was not said before. ``place``: the attempt, and its leg."""
    leg = intent.legs.filter(attempt_id=place[0], sequence=place[1]).first()
    if leg is None:
        return False
    stored = _as_stored(tx_hash)
    return _may_help(leg, leg.hints.filter(tx_hash=stored).first(), stored, claim)


def _as_stored(tx_hash: str) -> str:
    return tx_hash.lower() if tx_hash.startswith("0x") else tx_hash  # base58 tells letter cases apart


def _may_help(leg: Leg, known: Hint | None, tx_hash: str, claim: str) -> bool:
    """Whether a report is worth a row, or a row worth another look. Why not where the leg's own was seen: it was found.

    What the chain shows to be another's, or to have failed, stays so, unless its wallet now claims it.
    """
    is_followed = leg.status in FLYING_LEG and leg.tx_hash == tx_hash
    is_unsent = leg.status in UNSENT_LEG and not (leg.status == LegStatus.FAILED and leg.error == REVERTED)
    if is_followed or not (is_unsent or leg.status in FLYING_LEG):
        return False
    if known is None:
        return True
    if known.verdict in {Verdict.FOUND, Verdict.REVERTED}:
        return False
    return known.verdict in _MAY_APPEAR or _claim_kept(leg, known, claim) != known.claim


def _claim_kept(leg: Leg, known: Hint, claim: str) -> str:
    """Which claim a hint has from now on. Why one of the leg's own wallet stays: anybody can sign another one."""
    is_own = bool(known.claim) and signer_of_claim(str(leg.pk), known.tx_hash, known.claim) == leg.payer_address
    return claim if claim and not is_own else known.claim


def _write(leg: Leg, known: Hint | None, tx_hash: str, claim: str, by: Reporter) -> Hint:
    if known is None:
        _make_room(leg)
        made: Hint = Hint.objects.create(leg=leg, tx_hash=tx_hash, claim=claim, by=by)
        return made
    known.claim, known.by, known.reported_at = _claim_kept(leg, known, claim), by, now()
    known.verdict, known.checked_at = "", None
    known.save(update_fields=["claim", "by", "reported_at", "verdict", "checked_at"])
    return known


def _make_room(leg: Leg) -> None:
    """Forget the oldest hint that has ended, where there are too many. Raises: TooManyHints, where none has."""
    hints = list(leg.hints.order_by("reported_at", "pk"))
    if len(hints) < MOST_OF_A_LEG:
        return
    ended = [hint for hint in hints if hint.verdict not in {"", Verdict.FOUND}]
    if not ended:
        opened = [hint.reported_at for hint in hints if not hint.verdict]
        wait = min(opened, default=now()) + HINT_LIFETIME - now()
        raise TooManyHints(MOST_OF_A_LEG, max(1, ceil(wait.total_seconds())))
    ended[0].delete()


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """A hint that was looked for. ``is_own``: the leg's own transaction was seen, under this hash or another one."""

    hint: Hint
    verdict: str = ""
    is_own: bool = False


def open_hints(leg: Leg) -> list[Hint]:
    """Where a leg that was not seen on chain is looked for: what was never looked for first, then the longest ago.

    Why none where it follows no hash: that it has no open hint then. Why that hash last, where nobody reported it: it
    was found by the leg's mark, and brought too little to count.
    """
    if leg.status not in UNSENT_LEG or not leg.tx_hash:
        return []
    found = list(leg.hints.filter(verdict="").order_by(F("checked_at").asc(nulls_first=True), "-pk")[:HINTS_A_LOOK])
    if leg.tx_hash not in {hint.tx_hash for hint in found}:
        followed = {"tx_hash": leg.tx_hash, "claim": leg.payer_claim, "reported_at": leg.submitted_at or now()}
        found.append(Hint(leg=leg, **followed))
    return found


def looked_for(leg: Leg, hint: Hint, seen: SeenTransaction | None) -> Looked:
    """What a look at a leg by one of its hints says of it."""
    if seen is None:
        return Looked(hint=hint)
    if seen.tag != str(leg.pk):
        return Looked(hint=hint, verdict=Verdict.FOREIGN)
    if seen.status == SeenStatus.REPLACED:
        return Looked(hint=hint, verdict=Verdict.REPLACED)
    is_named = seen.tx_hash in {"", hint.tx_hash}
    return Looked(hint=hint, verdict=Verdict.FOUND if is_named else "", is_own=True)


def weigh(leg: Leg, looked: Sequence[Looked], taken: Collection[str]) -> None:
    """Write down what became of a leg's hints; it goes on with the one that is its own, else with one that is open.

    ``taken``: transactions that count for somebody else. Locks: the caller holds the intent's.
    """
    verdicts = {one.hint.tx_hash: _verdict(leg, one, taken) for one in looked}
    for verdict in sorted(set(verdicts.values())):
        _give(leg, (tx_hash for tx_hash, given in verdicts.items() if given == verdict), verdict)
    own = next((one.hint for one in looked if verdicts[one.hint.tx_hash] == Verdict.FOUND), None)
    if own is not None:
        change_leg(leg, {name: fact for name, fact in _following(own).items() if fact != getattr(leg, name)})
    elif verdicts.get(leg.tx_hash):
        is_anothers = verdicts[leg.tx_hash] == Verdict.FOREIGN
        error = TAKEN if leg.tx_hash in taken else FOREIGN if is_anothers else NOT_FOUND
        nothing = {"tx_hash": "", "submitted_at": None, "error": error}
        following = _next_open(leg)
        change_leg(leg, {"updated_at": now(), **(nothing if following is None else _following(following))})


def _verdict(leg: Leg, one: Looked, taken: Collection[str]) -> str:
    """What is said of a hint from now on; nothing of one that may still appear."""
    if one.hint.tx_hash in taken:
        return Verdict.FOREIGN
    if one.verdict or one.is_own or now() - one.hint.reported_at <= HINT_LIFETIME:
        return one.verdict
    tries, *_ = leg.unsaid.get(one.hint.tx_hash, (0,))
    return Verdict.UNREADABLE if tries >= TRIES else Verdict.LOST


def forget_followed(leg: Leg, error: str) -> dict[str, Any]:
    """What a sent leg that fails follows from now on: nothing, or what was reported meanwhile. Its hint ends.

    Locks: the caller holds the intent's.
    """
    if error not in _VERDICTS:
        return {}
    _give(leg, [leg.tx_hash], _VERDICTS[error])
    if error not in _FORGOTTEN:
        return {}
    following = _next_open(leg)
    return _FORGOTTEN[error] if following is None else _following(following) | {"source_nonce": None}


def _give(leg: Leg, hashes: Iterable[str], verdict: str) -> None:
    rows = leg.hints.filter(tx_hash__in=list(hashes), verdict__in=["", Verdict.FOUND])
    rows.update(verdict=verdict, checked_at=now())


def _next_open(leg: Leg) -> Hint | None:
    following: Hint | None = leg.hints.filter(verdict="").order_by("-reported_at", "-pk").first()
    return following


def _following(hint: Hint) -> dict[str, Any]:
    return {"tx_hash": hint.tx_hash, "payer_claim": hint.claim, "submitted_at": hint.reported_at}


def change_leg(leg: Leg, changes: Mapping[str, Any]) -> None:
    """Write some columns of a leg, but for its status. Locks: the caller holds the intent's."""
    for name, value in changes.items():
        setattr(leg, name, value)
    if changes:
        save_columns(leg, changes)
