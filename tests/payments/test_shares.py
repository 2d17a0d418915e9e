"""What one merchant has asked of a chain never makes another's payments wait."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from chains.models import ChainReader, WatchedAddress
from chains.reader.evm import MOST_TOPICS
from core.clock import now
from merchants.models import Merchant
from payments.models import AwaitedBy
from payments.services import reading_accounts
from payments.services.marks import watch_for
from payments.services.reading_accounts import MOST_A_ROUND
from payments.services.resting import MOST_AT_ONCE, RANGES
from payments.services.shares import MOST_FORGOTTEN, SHARE, SOON, forget_over, merchants_over_share
from tests.payments.test_resting import FINAL, TOKEN, WIDTH, Asked, place, reader
from tests.performance.test_claims_beside_a_backlog import pages

__all__ = ["reader"]
pytestmark = pytest.mark.django_db
MANY = 3 * MOST_AT_ONCE
MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
A_MINUTE = 30
"""Blocks of Base."""
TURN_BLOCKS = 8
"""As many are final when the next turn comes."""
EMPTY = "UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relname = ANY(%s)"


@pytest.fixture(autouse=True)
def _localnet(settings: Settings) -> None:
    settings.NETWORK_PROFILE = "localnet"


@pytest.fixture
def shops() -> tuple[Merchant, Merchant]:
    busy, small = (Merchant.objects.create(name=name) for name in ("busy", "small"))
    return busy, small


def awaited(
    merchant: Merchant, count: int, *, first: int = 1, read_to: int | None = None, chain: str = "base"
) -> list[WatchedAddress]:
    """So many addresses that a merchant awaits something at, the newest last; in turns where they have been read to."""
    end, read_at = now() + timedelta(hours=25), None if read_to is None else now()
    rows = WatchedAddress.objects.bulk_create(
        place(number, chain=chain, awaited_until=end, read_to=read_to, read_at=read_at)
        for number in range(first, first + count)
    )
    AwaitedBy.objects.bulk_create(
        AwaitedBy(watched=row, merchant=merchant, awaited_until=end + timedelta(seconds=number))
        for number, row in enumerate(rows)
    )
    return rows


def asked_about() -> set[str]:
    """The addresses that the next block is asked about."""
    return {address for _, address in watch_for("base").transfers}


def next_turn(reader: ChainReader, asked: Asked) -> list[frozenset[str]]:
    """Some seconds later: the addresses of each question."""
    reader.final_to = (reader.final_to or 0) + TURN_BLOCKS
    asked.turn(reader)
    return [addresses for _, _, addresses in asked.heard]


@pytest.mark.slow
def test_a_merchant_with_thousands_of_addresses_has_few_questions_with_each_block(
    reader: ChainReader, shops: tuple[Merchant, Merchant], caplog: pytest.LogCaptureFixture
) -> None:
    busy, small = shops
    many = awaited(busy, MANY)
    [one] = awaited(small, 1, first=9_999)
    assert -(-len(asked_about()) // MOST_TOPICS) == 31
    with caplog.at_level(logging.WARNING, logger="causeway.payments"):
        Asked().turn(reader)
    assert asked_about() == {one.address, *(row.address for row in many[-SHARE:])}
    assert -(-len(asked_about()) // MOST_TOPICS) == 3
    assert caplog.messages == [f"over_share: merchant {busy.pk} awaits more than {SHARE} addresses on base"]
    others = WatchedAddress.objects.exclude(read_at=None)
    assert set(others.values_list("read_to", flat=True)) == {FINAL}, "nothing was passed over"


@pytest.mark.slow
def test_what_is_over_the_share_is_read_in_turns_of_a_stated_length(
    reader: ChainReader, shops: tuple[Merchant, Merchant]
) -> None:
    busy, _ = shops
    awaited(busy, MANY + SHARE)
    asked, most = Asked(), 0
    asked.turn(reader)
    turns = MANY // MOST_AT_ONCE
    for _ in range(6 * turns):
        for addresses in next_turn(reader, asked):
            most = max(most, len(addresses))
    slowest = WatchedAddress.objects.exclude(read_at=None).order_by("read_to", "pk").first()
    assert slowest is not None
    behind = (reader.final_to or 0) - (slowest.read_to or 0)
    assert (most, behind <= A_MINUTE + (turns + 1) * TURN_BLOCKS) == (MOST_AT_ONCE, True)
    assert len(asked_about()) == SHARE
    assert timedelta(seconds=2 * A_MINUTE) == SOON


def believed(what: str) -> None:
    """What PostgreSQL believes of addresses: nothing, or what ANALYZE left in a minute when nobody awaited anything."""
    if what == "that nobody awaits":
        with connection.cursor() as cursor:
            cursor.execute(EMPTY, [["chains_watchedaddress", "payments_awaitedby"]])


@contextmanager
def noted() -> Iterator[list[tuple[str, Any]]]:
    """What is asked meanwhile about who awaits what."""
    found: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - Django's form
        if sql.startswith("SELECT") and "payments_awaitedby" in sql:
            found.append((sql, parameters))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        yield found


@pytest.mark.postgres
@pytest.mark.parametrize("what", ["nothing", "that nobody awaits"])
def test_whose_share_and_turn_it_is_cost_a_few_pages_for_each_address(
    reader: ChainReader, shops: tuple[Merchant, Merchant], what: str
) -> None:
    """As in the first minute of a merchant with thousands; it was pages by their square."""
    awaited(shops[0], MANY + SHARE)
    believed(what)
    asked = Asked()
    with noted() as found:
        asked.turn(reader)
        for _ in range(12):
            next_turn(reader, asked)
        merchants_over_share("base")
    assert any("turn_at" in sql for sql, _ in found)
    assert max(map(pages, found)) <= 20 * (MANY + SHARE)


@pytest.mark.postgres
@pytest.mark.parametrize("what", ["nothing", "that nobody awaits"])
def test_on_solana_whose_turn_it_is_costs_a_few_pages_for_each_address(
    shops: tuple[Merchant, Merchant], what: str
) -> None:
    awaited(shops[0], MANY, chain="solana")
    WatchedAddress.objects.update(read_at=now() - timedelta(hours=1), final_at=now(), read_to=9, final_to=8)
    believed(what)
    with noted() as found:
        assert len(reading_accounts._due("solana")) == len(reading_accounts._due_final("solana")) == MOST_A_ROUND
        AwaitedBy.objects.update(awaited_until=now())
        forget_over()
    assert AwaitedBy.objects.count() == MANY - MOST_FORGOTTEN
    assert max(map(pages, found)) <= 20 * MANY


@pytest.mark.slow
def test_another_merchant_over_its_share_is_read_beside_the_one_with_thousands(
    reader: ChainReader, shops: tuple[Merchant, Merchant]
) -> None:
    """However far behind the other's are, on a chain where they never come up."""
    busy, small = shops
    awaited(busy, MANY, read_to=0)
    few = {row.address for row in awaited(small, 5, first=90_000, read_to=FINAL - A_MINUTE)}
    asked, heard = Asked(), Counter[bool]()
    for _ in range(10):
        for addresses in next_turn(reader, asked):
            heard[few <= addresses] += 1
    assert heard == {True: 3, False: 7}, "whenever they are a minute behind"
    rows = WatchedAddress.objects.filter(address__in=few)
    assert min(row.read_to or 0 for row in rows) >= (reader.final_to or 0) - A_MINUTE - 3 * TURN_BLOCKS


def test_nobody_takes_anothers_address_into_its_own_share(
    reader: ChainReader, shops: tuple[Merchant, Merchant]
) -> None:
    busy, small = shops
    [one] = awaited(small, 1, first=9_999)
    AwaitedBy.objects.create(watched=one, merchant=busy, awaited_until=now() + timedelta(hours=1))
    awaited(busy, SHARE + 10)
    Asked().turn(reader)
    assert one.address in asked_about()
    assert len(asked_about()) == SHARE + 1


def test_what_an_earlier_release_handed_out_is_in_nobodys_share(reader: ChainReader) -> None:
    end = now() + timedelta(hours=25)
    WatchedAddress.objects.bulk_create(place(number, awaited_until=end) for number in range(SHARE + 10))
    Asked().turn(reader)
    assert len(asked_about()) == SHARE + 10


def test_who_awaits_nothing_any_more_is_forgotten(reader: ChainReader, shops: tuple[Merchant, Merchant]) -> None:
    busy, small = shops
    awaited(busy, 2)
    [one] = awaited(small, 1, first=9_999)
    AwaitedBy.objects.filter(merchant=busy).update(awaited_until=now())
    Asked().turn(reader)
    assert list(AwaitedBy.objects.values_list("watched_id", flat=True)) == [one.pk]


def test_a_worker_whose_lease_is_over_lets_nothing_go(reader: ChainReader, shops: tuple[Merchant, Merchant]) -> None:
    awaited(shops[0], SHARE + 10)
    ChainReader.objects.update(attempts=reader.attempts + 1)
    Asked().turn(reader)
    assert len(asked_about()) == SHARE + 10


@pytest.mark.parametrize("read", ["new", "final"])
def test_on_solana_each_merchant_has_its_turn_in_each_round(shops: tuple[Merchant, Merchant], read: str) -> None:
    busy, small = shops
    awaited(busy, 2 * MOST_A_ROUND, chain="solana")
    [one] = awaited(small, 1, first=9_999, chain="solana")
    [both] = awaited(small, 1, first=9_998, chain="solana")
    AwaitedBy.objects.create(watched=both, merchant=busy, awaited_until=now() + timedelta(hours=1))
    WatchedAddress.objects.update(read_at=now() - timedelta(hours=1), final_at=now(), read_to=9, final_to=8)
    WatchedAddress.objects.filter(pk__in=[one.pk, both.pk]).update(read_at=now(), final_at=now() + timedelta(hours=1))
    due = reading_accounts._due if read == "new" else reading_accounts._due_final
    round_ = due("solana")
    assert len(round_) == MOST_A_ROUND
    assert {one, both} <= set(round_[:4])


def test_on_solana_what_rests_takes_half_of_a_round_at_most(shops: tuple[Merchant, Merchant]) -> None:
    most, long_ago = MOST_A_ROUND, now() - timedelta(days=2)
    awaited(shops[0], most, chain="solana", read_to=5)
    [one] = awaited(shops[1], 1, first=9_999, chain="solana", read_to=5)
    WatchedAddress.objects.bulk_create(
        place(number, chain="solana", token_address=MINT, awaited_until=long_ago, read_at=long_ago, read_to=5)
        for number in range(20_000, 20_000 + 2 * most)
    )
    round_ = reading_accounts._due("solana")
    assert Counter(row.token_address for row in round_) == {TOKEN: most // 2, MINT: most // 2}
    assert one in round_[:3]


def test_the_arithmetic_of_a_turn() -> None:
    """As docs/live.md says it: 200 addresses are two questions, and a turn is twenty."""
    assert (SHARE // MOST_TOPICS, RANGES * MOST_AT_ONCE // MOST_TOPICS, WIDTH) == (2, 20, 100)
