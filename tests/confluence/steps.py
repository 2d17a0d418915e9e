"""What may happen in a history, one step after the other; how steps are drawn, and what they read like."""

from dataclasses import dataclass
from enum import Enum

from hypothesis import strategies as st

from tests.confluence.chain import DROPPED, FINAL_AFTER, LATER, NEXT, STAYS
from tests.confluence.node import Oddity

MOST_ROUNDS = 10
MOST_INTENTS = 4
AMOUNTS = (25, 25, 25, 25, 2_000, 20_000)
"""Dollars; the larger ones wait for a safe or final block, and for two nodes."""
DAY, SHORT = 86_400, 300


class Brought(Enum):
    """How much a payment brings of what was asked, in parts of twelve; dust and nothing by themselves."""

    FULL = 12
    SHORT = 5
    REST = 7
    DOUBLE = 24
    DUST = -1
    NOTHING = 0


class Whose(Enum):
    """Whose hash somebody names."""

    OWN = "its own"
    ANOTHERS = "another's"
    NOBODYS = "one of nothing"


@dataclass(frozen=True)
class Pay:
    """Somebody sends a transfer with a leg's mark."""

    leg: int
    brings: Brought = Brought.FULL
    by_stranger: bool = False
    fails: bool = False


@dataclass(frozen=True)
class PayTogether:
    """A wallet that is a contract carries out two marked transfers in one transaction, its own or a bundler's.

    The legs are a leg and the one ``further`` on; the first transfer's amount as ``brings`` says.
    """

    leg: int
    further: int = 1
    brings: Brought = Brought.FULL
    is_bundled: bool = False
    fails: bool = False


@dataclass(frozen=True)
class PayUnmarked:
    """The payer sends what was asked without a mark, and may claim it at once."""

    leg: int
    is_claimed: bool = False


@dataclass(frozen=True)
class Claim:
    """A leg's wallet, or a stranger, signs what its payment was: an unmarked transaction, or one with others' mark."""

    leg: int
    which: int = 0
    with_mark: bool = False
    by_stranger: bool = False


@dataclass(frozen=True)
class Hint:
    """A wallet names a transaction."""

    leg: int
    whose: Whose = Whose.OWN


@dataclass(frozen=True)
class Mine:
    """The chain goes on."""

    blocks: int = 1


@dataclass(frozen=True)
class Branch:
    """The chain takes another branch; ``beside`` strangers' transfers come first in each block of it."""

    depth: int
    fates: tuple[int, ...] = ()
    beside: int = 0


@dataclass(frozen=True)
class Turn:
    """The node that is not always honest becomes so, or otherwise."""

    oddity: Oddity


@dataclass(frozen=True)
class Wait:
    """Time passes, and no block comes."""

    seconds: int


@dataclass(frozen=True)
class Interruption:
    """What happens to a worker just before it takes a step, or just after: it dies, unless others only go on first."""

    point: str
    after: bool = False
    meanwhile: "tuple[Step, ...]" = ()


@dataclass(frozen=True)
class Read:
    """The readers come round, by the odd node first or by the honest one."""

    odd_first: bool = False
    cut: Interruption | None = None


@dataclass(frozen=True)
class Look:
    """What is due is looked at."""

    odd_first: bool = False
    cut: Interruption | None = None


Step = Pay | PayTogether | PayUnmarked | Claim | Hint | Mine | Branch | Turn | Wait | Read | Look


class Way(Enum):
    """In what an intent is paid."""

    TOKEN = "a token"
    COIN = "the chain's coin"


@dataclass(frozen=True)
class Asked:
    """An intent: its dollars, the number of its merchant, its seconds, how many wallets have a leg of it, in what."""

    dollars: int = 25
    merchant: int = 0
    seconds: int = DAY
    wallets: int = 1
    way: Way = Way.TOKEN


@dataclass(frozen=True)
class History:
    """The intents, and what happens."""

    asked: tuple[Asked, ...]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        """One step a line."""
        return "\n".join(["a history of", *(f"  {one}," for one in (*self.asked, *self.steps))])


OUTSIDE = ("reading._record_new", "reading._record_final", "advance.record_sightings", "advance.end_what_is_over")
"""Where a worker is in no transaction, so that others can go on meanwhile."""
INSIDE = (
    "reading._claim", "reading._note", "marked.wake_now", "marked.wake_in_turns", "reading._forget_branch",
    "reading._read", "follow.conclude", "follow.record_transfers", "follow.withdraw_missing", "follow.guard_credits",
)  # fmt: skip

_LEGS = st.integers(0, 5)
_BRINGS = st.sampled_from([*[Brought.FULL] * 3, *Brought])
_SELDOM = st.sampled_from([False, False, False, True])
_PAY = st.builds(Pay, _LEGS, _BRINGS, _SELDOM, _SELDOM)
_TOGETHER = st.builds(PayTogether, _LEGS, st.integers(0, 2), _BRINGS, _SELDOM, _SELDOM)
_UNMARKED = st.builds(PayUnmarked, _LEGS, st.sampled_from([True, True, False]))
_CLAIM = st.builds(Claim, _LEGS, st.integers(0, 2), _SELDOM, _SELDOM)
_HINT = st.builds(Hint, _LEGS, st.sampled_from(Whose))
_FATES = st.lists(st.sampled_from([STAYS, DROPPED, NEXT, LATER]), max_size=4).map(tuple)
_BRANCH = st.builds(Branch, st.integers(1, FINAL_AFTER - 1), _FATES, st.integers(0, 2))
_TURN = st.builds(Turn, st.sampled_from([Oddity.HIDES, *Oddity]))
_EVENT = st.one_of(_PAY, _PAY, _PAY, _TOGETHER, _BRANCH, _BRANCH, _TURN, _UNMARKED, _CLAIM, _HINT)
_MINE = st.builds(Mine, st.sampled_from([1, 2, 3, 6, 9, FINAL_AFTER]))
_WAIT = st.builds(Wait, st.sampled_from([61, 700]))
_ODD_FIRST = st.booleans()
_DEATHS = st.builds(Interruption, st.sampled_from([*OUTSIDE, *INSIDE]), st.booleans())
_OTHERS = st.builds(
    Interruption, st.sampled_from(OUTSIDE), st.just(value=False),
    st.lists(
        st.one_of(_EVENT, _MINE, st.builds(Read, _ODD_FIRST), st.builds(Look, _ODD_FIRST)), min_size=1, max_size=3
    ).map(tuple),
)  # fmt: skip
_CUTS = st.one_of(st.none(), st.none(), _DEATHS, _OTHERS)
_READ, _LOOK = st.builds(Read, _ODD_FIRST, _CUTS), st.builds(Look, _ODD_FIRST, _CUTS)
_WORK = st.one_of(st.tuples(_READ), st.tuples(_READ, _LOOK), st.tuples(_READ, _LOOK), st.tuples(_LOOK))
_ROUND = st.builds(
    lambda events, after, work: (*events, after, *work),
    st.lists(_EVENT, max_size=3), st.one_of(_MINE, _MINE, _MINE, _MINE, _WAIT), _WORK,
)  # fmt: skip
"""Something happens, blocks come, and somebody works. Why in rounds: steps that are drawn one by one seldom meet."""
_ASKED = st.builds(
    Asked,
    st.sampled_from(AMOUNTS),
    st.integers(0, 1),
    st.sampled_from([DAY, DAY, SHORT]),
    st.integers(1, 2),
    st.sampled_from([Way.TOKEN, Way.TOKEN, Way.COIN]),
)


def histories() -> st.SearchStrategy[History]:
    """Histories that begin with a payment."""
    return st.builds(
        lambda asked, first, rounds: History(tuple(asked), (first, *(step for one in rounds for step in one))),
        st.lists(_ASKED, min_size=2, max_size=MOST_INTENTS),
        _PAY,
        st.lists(_ROUND, min_size=2, max_size=MOST_ROUNDS),
    )
