"""Reading one account of Solana from one node: the transactions that mention it, page by page, the newest first.

A transaction is opened once; what it is for is looked up by its keys, one of which may be a leg's reference.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from chains.clients.outcomes import Behind, CannotSay, EndpointFault, RpcRefusal, is_odd
from chains.clients.solana_endpoint import CONFIRMED, FINALIZED, SolanaNode, whole
from chains.clients.solana_shown import SHOWN_AS, NewerVersion, shown_of
from chains.finality import Finality
from chains.reader.base import Opened
from chains.registry import is_signature

PAGE, MOST_PAGES, MOST_FINAL_PAGES = 1000, 5, 20
"""Transactions in one answer, and answers in one round.
Source: https://solana.com/docs/rpc/http/getsignaturesforaddress."""
MOST_OPENED = 400
"""Transactions of one account that are opened in one round; the rest is for the next one."""
AT_ONCE = 50
"""Transactions that are asked for in one message."""
AGAIN_SLOTS = 32
"""So many of the newest slots are listed again: a node may know what an account is mentioned in later than the slot."""
MAY_LAG_SLOTS = 8
"""So many of the newest slots an answer may lack. Why: behind one address are several nodes, and no two are as far."""
_TOO_NEW = -32016


@dataclass(frozen=True, kw_only=True, slots=True)
class Mention:
    """A transaction that mentions an account, and the slot in which it stands."""

    signature: str
    slot: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """Where the reading of one account stands: all up to slot ``read_to`` was read, and what is at or before ``until``.

    Where a round ended on its way down it goes on ``before`` a transaction; ``head`` was the newest slot when it began.
    """

    account: str
    read_to: int
    until: str = ""
    before: str = ""
    head: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountBite:
    """What one round read of an account. ``passage`` says where it goes on; without ``before`` all of it was read."""

    opened: tuple[Opened, ...]
    passage: Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountsBite:
    """The same of several accounts; ``unsaid`` are those of which this node can say nothing."""

    head: int
    bites: tuple[AccountBite, ...]
    unsaid: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """The transactions that mention an account and are final, as one node lists them; ``is_end``: there are no more."""

    mentions: tuple[Mention, ...]
    is_end: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class FinalBite:
    """What any node lists of an account after slot ``reached``, the newest first.

    ``newest`` and ``oldest`` of it, empty where nodes agree on none: only what all of them list is named to them again.
    """

    shown: tuple[Mention, ...]
    reached: int
    newest: str
    oldest: str


IsKnown = Callable[[str, str], bool]
"""Whether a transaction of an account was opened before."""


class Known:
    """Which transactions of which accounts a process has opened and written down, the newest of them."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()

    def __call__(self, account: str, signature: str) -> bool:
        """Whether it has."""
        return (account, signature) in self._known

    def remember(self, account: str, opened: Iterable[Opened]) -> None:
        """It has, now that what they carry is committed."""
        with self._lock:
            self._known.update(((account, one.tx_hash), None) for one in opened)
            while len(self._known) > self._most:
                self._known.popitem(last=False)


def read_new(node: SolanaNode, passages: Iterable[Passage], known: IsKnown) -> AccountsBite:
    """Read on in each account up to the newest slot, as far as a round goes. Raises: NoAnswer."""
    bites, unsaid = [], set()
    for passage in passages:
        try:
            bites.append(read_account(node, passage, known))
        except Exception as error:
            if not is_odd(error):
                raise
            unsaid.add(passage.account)
    return AccountsBite(head=reaches(node), bites=tuple(bites), unsaid=frozenset(unsaid))


def read_account(node: SolanaNode, passage: Passage, known: IsKnown) -> AccountBite:
    """Down from the newest, or from where the last round ended, to what was read before. Raises: NoAnswer."""
    begun = passage if passage.before else replace(passage, head=reaches(node))
    floor, opened, asked, before = begun.read_to - AGAIN_SLOTS, list[Opened](), 0, begun.before
    for _ in range(MOST_PAGES):
        page = list_page(node, begun, before, CONFIRMED, reaches(node))
        newer = [one for one in page if one.slot > floor]
        new = [one for one in newer if one.slot <= node.head and not known(begun.account, one.signature)]
        some = new[: MOST_OPENED - asked]
        asked += len(some)
        # Why none is waited for that is not shown: it is found, or waited for, when its slot is final.
        opened += _opened_each(node, some)
        if len(some) < len(new):
            last = some[-1].signature if some else before
            return AccountBite(opened=tuple(opened), passage=replace(begun, before=last))
        if len(newer) < len(page) or not page:
            return AccountBite(opened=tuple(opened), passage=replace(begun, before=""))
        before = page[-1].signature
    return AccountBite(opened=tuple(opened), passage=replace(begun, before=before))


def reaches(node: SolanaNode) -> int:
    """The slot up to which a list is whole."""
    return max(node.head - MAY_LAG_SLOTS, 0)


def list_final(node: SolanaNode, passages: Iterable[Passage], last: int) -> dict[str, Listed]:
    """What of each account the chain calls final, down to where that was listed before; without what is unsaid.

    One older transaction is among it where there is one: what is older still need not be listed again.
    Raises: NoAnswer; Behind where the node does not call slot ``last`` final.
    """
    if node.newest(Finality.FINALIZED) < last:
        raise Behind("behind the last final slot")
    found = {}
    for passage in passages:
        try:
            found[passage.account] = _list_account(node, passage, last)
        except Exception as error:
            if not is_odd(error):
                raise
    return found


def final_of(lists: Sequence[Listed], passage: Passage, known: IsKnown) -> FinalBite:
    """What nodes list together, as far down as each of them came, and as much of it as is opened in one round. Pure."""
    open_ends = [found.mentions[-1].slot for found in lists if not found.is_end]
    everything = {one.signature: one for found in lists for one in found.mentions if one.slot <= passage.head}
    newest_first = sorted(everything.values(), key=lambda one: -one.slot)
    reached = max([passage.read_to, *open_ends])
    unknown = [one for one in newest_first if one.slot > reached and not known(passage.account, one.signature)]
    if len(unknown) > MOST_OPENED:
        reached = max(reached, min(unknown[MOST_OPENED].slot, unknown[0].slot - 1))
    common = frozenset.intersection(*(frozenset(found.mentions) for found in lists))
    agreed = [one for one in newest_first if one in common]
    return FinalBite(
        shown=tuple(one for one in newest_first if one.slot > reached),
        reached=reached,
        newest=agreed[0].signature if agreed else "",
        oldest=next((one.signature for one in reversed(agreed) if one.slot > reached), ""),
    )


def open_all(node: SolanaNode, mentions: Sequence[Mention]) -> tuple[Opened, ...]:
    """What each of them says. Raises: NoAnswer; CannotSay where even one cannot be shown."""
    opened = _opened_each(node, mentions)
    if len(opened) < len(mentions):
        raise CannotSay("a transaction that it lists and does not show")
    return opened


def _list_account(node: SolanaNode, passage: Passage, last: int) -> Listed:
    found: list[Mention] = []
    before = passage.before
    for _ in range(MOST_FINAL_PAGES):
        page = list_page(node, passage, before, FINALIZED, last)
        newer = [one for one in page if one.slot > passage.read_to]
        found += page[: len(newer) + 1]
        if len(newer) < len(page) or not page:
            return Listed(mentions=tuple(found), is_end=True)
        before = page[-1].signature
    return Listed(mentions=tuple(found), is_end=False)


def list_page(node: SolanaNode, passage: Passage, before: str, commitment: str, least_slot: int) -> list[Mention]:
    """One answer, the newest first. Raises: Behind where the node is not so far; EndpointFault for another order."""
    options: dict[str, Any] = {"commitment": commitment, "limit": PAGE, "minContextSlot": least_slot}
    options |= {name: value for name, value in (("until", passage.until), ("before", before)) if value}
    try:
        found = node.rpc.call("getSignaturesForAddress", passage.account, options)
    except RpcRefusal as refusal:
        if refusal.code != _TOO_NEW:
            raise
        raise Behind("behind the head of the chain") from refusal
    page = [Mention(signature=str(one["signature"]), slot=whole(one["slot"])) for one in found]
    is_in_order = all(one.slot >= after.slot for one, after in zip(page, page[1:], strict=False))
    if not is_in_order or len(page) > PAGE or not all(is_signature(one.signature) for one in page):
        raise EndpointFault("another list than was asked for")
    return page


def _opened_each(node: SolanaNode, mentions: Sequence[Mention]) -> tuple[Opened, ...]:
    """What each says that the node can show now."""
    opened = []
    for start in range(0, len(mentions), AT_ONCE):
        some = mentions[start : start + AT_ONCE]
        answers = node.rpc.call_each("getTransaction", [(one.signature, SHOWN_AS) for one in some])
        opened += [_opened(node, one, answer) for one, answer in zip(some, answers, strict=True)]
    return tuple(one for one in opened if one is not None)


def _opened(node: SolanaNode, mention: Mention, answer: Any) -> Opened | None:
    """Why one of a newer version is opened, and nobody's: nothing that is issued here has one."""
    plain = Opened(tx_hash=mention.signature, block_number=mention.slot, block_hash="")
    try:
        shown = shown_of(node, mention.signature, answer)
    except NewerVersion:
        return plain
    except Exception as error:
        if not is_odd(error):
            raise
        return None
    return None if shown is None else replace(plain, block_number=shown.slot, marks=tuple(dict.fromkeys(shown.keys)))
