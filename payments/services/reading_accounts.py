"""Reading the accounts on Solana where live payments arrive: what carries a leg's mark is written down.

Each account is read by itself, twice: when a transaction is new, by one node, and when its slot is final, by every node
that answers. Where nothing is awaited any more it is read now and then. Source: docs/adr/0061.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial

from django.db.models import F, Min, Q

from chains.clients.outcomes import NoAnswer
from chains.clients.pool import Pool
from chains.clients.registry import SOLANA
from chains.clients.solana_endpoint import SolanaNode
from chains.errors import ChainUnavailable, QuestionUnanswered, TransferRejected
from chains.finality import Finality
from chains.instructions.programs import token_account
from chains.models import ChainReader, WatchedAddress
from chains.reader.rounds import MAY_LAG_BLOCKS
from chains.reader.solana import (
    AccountBite,
    AccountsBite,
    Listed,
    Passage,
    final_of,
    list_final,
    open_all,
    reaches,
    read_account,
    read_new,
)
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.clock import now
from core.leases import time_limit
from payments.services.account_books import KNOWN, AccountBooks
from payments.services.marked import leave_out
from payments.services.marks import awaited_on_chains, not_left_out, watched_addresses
from payments.services.shares import forget_over, merchant_by_merchant

_LOGGER = logging.getLogger("causeway.payments")
MOST_ACCOUNTS = 20
"""In one question, all of which is asked of one node."""
MOST_A_ROUND = 400
ROUND_SECONDS = 10
"""After so long nothing more is asked in a round. Why: below a reader's lease."""
SELDOM = timedelta(minutes=1)
"""How often an account is read where nothing is awaited."""
FINAL_EVERY = timedelta(seconds=15)
Rows = dict[str, WatchedAddress]
"""By the account that is read for each."""


def read_accounts(reader: ChainReader) -> None:
    """One round over the accounts of a chain. Raises: ChainUnavailable."""
    books = AccountBooks(reader=reader)
    pool, is_over = SOLANA.pool(reader.chain), time_limit(ROUND_SECONDS)
    # Why coins are not read on where none is awaited: anybody's wallet is mentioned in all that its owner does.
    resting = watched_addresses(reader.chain).filter(token_address=SOLANA_NATIVE_ADDRESS, read_to__isnull=False)
    resting.exclude(awaited_until__gt=now()).update(read_to=None, final_to=None, cursor={})
    forget_over()
    rows = _by_account(reader.chain, _due(reader.chain))
    heads: list[int] = []
    for some in _parts(rows):
        if heads and is_over():
            break
        heads.append(_read_new(pool, books, some))
    head = max(heads) if heads else pool.ask(reaches)
    if reader.final_at is None or now() >= reader.final_at + FINAL_EVERY:
        for some in _parts(_by_account(reader.chain, _due_final(reader.chain))):
            _read_final(pool, books, some)
            if is_over():
                break
        reader.final_at = now()
    books.record_round(head)


def _due(place: str) -> list[WatchedAddress]:
    """What is read in this round: all that is awaited, merchant by merchant, and now and then the rest.

    The rest is as one merchant more. Why half at most where there is no room for all: it is never awaited.
    """
    seldom = Q(read_at=None) | Q(read_at__lte=now() - SELDOM)
    rows, is_awaited = not_left_out(place), Q(awaited_until__gt=now())
    rests = rows.filter(seldom).exclude(is_awaited).exclude(token_address=SOLANA_NATIVE_ADDRESS)
    rest = list(rests.order_by(F("read_at").asc(nulls_first=True), "pk")[:MOST_A_ROUND])
    room = MOST_A_ROUND - min(len(rest), MOST_A_ROUND // 2)
    awaited = merchant_by_merchant(rows.filter(is_awaited), "read_at", room)
    in_turn = sorted([*awaited, *enumerate(rest, start=1)], key=lambda one: one[0])
    return [row for _, row in in_turn[:MOST_A_ROUND]]


def _due_final(place: str) -> list[WatchedAddress]:
    """Where there is more that is read and not final yet. Why not while a round goes on: it would be listed twice."""
    rows = not_left_out(place).filter(read_to__gt=F("final_to")).exclude(cursor__has_key="before")
    return [row for _, row in merchant_by_merchant(rows, "final_at", MOST_A_ROUND)]


def _by_account(place: str, rows: Iterable[WatchedAddress]) -> Rows:
    """Raises: ChainUnavailable."""
    found: Rows = {}
    for row in rows:
        try:
            # The account that a payment there mentions.
            is_native = row.token_address == SOLANA_NATIVE_ADDRESS
            program = "" if is_native else SOLANA.token_program(place, row.token_address)
            account = row.address if is_native else token_account(row.address, row.token_address, program)
            found[account] = row
        except TransferRejected as error:
            leave_out(row.chain, [row], error.reason)
    return found


def _parts(rows: Rows) -> list[Rows]:
    accounts = list(rows)
    starts = range(0, len(accounts), MOST_ACCOUNTS)
    return [{account: rows[account] for account in accounts[start : start + MOST_ACCOUNTS]} for start in starts]


def _read_new(pool: Pool[SolanaNode], books: AccountBooks, rows: Rows) -> int:
    """Read on in some accounts; the newest slot then. Raises: ChainUnavailable."""
    passages = [_passage(row, account) for account, row in rows.items()]
    try:
        bite = pool.ask(partial(read_new, passages=passages, known=KNOWN))
    except ChainUnavailable:
        # Why asked of the chain itself: where that answers, it is about one account, and each is asked about alone.
        head = pool.ask(reaches)
        bite = AccountsBite(head=head, bites=(), unsaid=frozenset(rows))
    alone = [_read_alone(pool, books, one, rows[one.account]) for one in passages if one.account in bite.unsaid]
    for one in [*bite.bites, *(found for found in alone if found is not None)]:
        books.record_new(rows[one.passage.account], one)
    return bite.head


def _read_alone(
    pool: Pool[SolanaNode], books: AccountBooks, passage: Passage, row: WatchedAddress
) -> AccountBite | None:
    """The same of an account of which one node could say nothing; None where none can. Raises: ChainUnavailable."""
    try:
        return pool.ask(partial(read_account, passage=passage, known=KNOWN))
    except QuestionUnanswered as error:
        leave_out(row.chain, [row], error.reason)
    except ChainUnavailable:
        pool.ask(reaches)
        if books.record_silence(row, "silences"):
            leave_out(row.chain, [row], "no usable answer")
    return None


def _read_final(pool: Pool[SolanaNode], books: AccountBooks, rows: Rows) -> None:
    """List what is final, by every node that answers and is not far behind. Raises: ChainUnavailable.

    Why by every one: which of them showed a transaction first is not known any more, and what one hides another shows.
    """
    heads = [head for head in pool.ask_every(lambda node: node.newest(Finality.FINALIZED)) if isinstance(head, int)]
    if not heads:
        raise ChainUnavailable(pool.chain.name)
    last = min(head for head in heads if head >= max(heads) - MAY_LAG_BLOCKS)
    passages = [_final_passage(row, account, last) for account, row in rows.items()]
    answers = pool.ask_every(partial(list_final, passages=passages, last=last))
    answered = [found for found in answers if not isinstance(found, NoAnswer)]
    if not answered:
        raise ChainUnavailable(pool.chain.name)
    for passage in passages:
        lists = [found[passage.account] for found in answered if passage.account in found]
        _read_final_of(pool, books, rows[passage.account], passage, lists)


def _read_final_of(
    pool: Pool[SolanaNode], books: AccountBooks, row: WatchedAddress, passage: Passage, lists: Sequence[Listed]
) -> None:
    """One account, as all nodes together list it. What no node shows leaves it out: nothing is passed over here."""
    if not lists:
        leave_out(row.chain, [row], "no list")
        return
    bite = final_of(lists, passage, KNOWN)
    new = [one for one in bite.shown if not KNOWN(passage.account, one.signature)]
    try:
        opened = pool.ask(partial(open_all, mentions=new)) if new else ()
    except QuestionUnanswered as error:
        leave_out(row.chain, [row], error.reason)
    except ChainUnavailable:
        pool.ask(reaches)
        if books.record_silence(row, "final_silences"):
            leave_out(row.chain, [row], "no usable answer")
    else:
        books.record_final(row, passage, bite, opened)


def _passage(row: WatchedAddress, account: str) -> Passage:
    cursor = row.cursor
    return Passage(
        account=account,
        read_to=_first_slot(row) if row.read_to is None else row.read_to,
        until=cursor.get("until", ""),
        before=cursor.get("before", ""),
        head=cursor.get("head", 0),
    )


def _final_passage(row: WatchedAddress, account: str, last: int) -> Passage:
    cursor = row.cursor
    return Passage(
        account=account,
        read_to=row.final_to or 0,
        until=cursor.get("until", ""),
        before=cursor.get("final_before", ""),
        head=cursor.get("final_head", min(last, row.read_to or 0)),
    )


def _first_slot(row: WatchedAddress) -> int:
    """The slot after which reading begins: that before the first leg that may be paid there, or the newest one.

    Raises: ChainUnavailable.
    """
    place = {"intent__settlement_token_address": row.token_address, "intent__settlement_address": row.address}
    legs = awaited_on_chains().filter(chain=row.chain, to_chain=row.chain, **place)
    first = legs.aggregate(first=Min("start_block"))["first"]
    return SOLANA.head(row.chain) if first is None else max(first - 1, 0)
