"""Addresses where nothing is awaited any more: which are read together, and what one of them costs the others."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import cast

import pytest
from pytest_django import Settings

from chains.errors import ChainUnavailable
from chains.models import ChainReader, WatchedAddress
from chains.reader.base import Bite, Progress, WatchOf
from chains.reader.rounds import Round
from core.clock import now
from payments.services.marks import watch_for
from payments.services.resting import MOST_AT_ONCE, RANGES, read_resting

pytestmark = pytest.mark.django_db
WIDTH, FINAL = 100, 50_000
DUE = FINAL - 43_200
"""A day's blocks of Base are two seconds each."""
TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
SLOW = "0x" + "f" * 40


@dataclass
class Asked:
    """The nodes of a chain, which tell nothing, and little of one address; and what they were asked."""

    most: dict[str, int] = field(default_factory=dict)
    """So many blocks are told at once where one of these addresses is asked about; less than none: nothing at all."""
    refused: frozenset[str] = frozenset()
    width: int = WIDTH
    heard: list[tuple[int, int, frozenset[str]]] = field(default_factory=list)

    def final(self, progress: Progress, watch_of: WatchOf, last: int) -> Bite:
        addresses = frozenset(address for _, address in watch_of().transfers)
        self.heard.append((progress.read_to, last, addresses))
        most = min((self.most.get(address, last) for address in addresses), default=last)
        if most < 0:
            raise ChainUnavailable("base")
        reached, refused = min(last, progress.read_to + most), addresses & self.refused
        first = progress.read_to
        width = min(progress.width, self.width)
        reached = min(reached, first + 2 * width)
        return Bite(opened=(), parted_at=first, read_to=reached, head=FINAL, width=width, refused=refused)

    @property
    def rounds(self) -> Round:
        return cast("Round", self)

    def turn(self, reader: ChainReader) -> list[tuple[int, int, int]]:
        """What one turn asks: from which block, up to which, and about how many addresses."""
        self.heard.clear()
        read_resting(reader, self.rounds)
        return [(first, last, len(addresses)) for first, last, addresses in self.heard]


@pytest.fixture
def reader() -> ChainReader:
    row: ChainReader = ChainReader.objects.create(
        network="localnet", chain="base", lane="logs", width=WIDTH, read_to=FINAL + 20, final_to=FINAL
    )
    return row


@pytest.fixture(autouse=True)
def _localnet(settings: Settings) -> None:
    settings.NETWORK_PROFILE = "localnet"


def place(number: int, **fields: object) -> WatchedAddress:
    named = {"network": "localnet", "chain": "base", "token_address": TOKEN, "address": f"0x{number:040d}"}
    return WatchedAddress(**named | fields)


def resting(count: int, *, read_to: int = 0, days: int = 2) -> None:
    """So many addresses that were read up to this block, so many days ago."""
    long_ago = now() - timedelta(days=days)
    WatchedAddress.objects.bulk_create(
        place(number, awaited_until=long_ago, read_at=long_ago, read_to=read_to) for number in range(1, count + 1)
    )


def far(address: str) -> int | None:
    return WatchedAddress.objects.get(address=address).read_to


@pytest.mark.slow
def test_one_turn_asks_no_more_however_many_rest(reader: ChainReader) -> None:
    resting(3 * MOST_AT_ONCE)
    asked = Asked()
    assert asked.turn(reader) == [(0, RANGES * WIDTH, MOST_AT_ONCE)]
    assert watch_for("base").transfers == frozenset()
    first = asked.heard[0][2]
    assert asked.turn(reader) == [(0, RANGES * WIDTH, MOST_AT_ONCE)]
    assert not first & asked.heard[0][2], "the others are further behind"


def test_what_is_read_together_meets_those_that_are_further_and_takes_them_along(reader: ChainReader) -> None:
    resting(5, read_to=0)
    WatchedAddress.objects.filter(address=f"0x{3:040d}").update(read_to=350)
    asked = Asked()
    assert [asked.turn(reader) for _ in range(3)] == [[(0, 200, 4)], [(200, 400, 5)], [(400, 600, 5)]]


def test_what_was_read_is_left_alone_until_it_is_a_day_behind(reader: ChainReader) -> None:
    resting(2, read_to=DUE - 1)
    asked = Asked()
    assert asked.turn(reader) == [(DUE - 1, DUE - 1 + RANGES * WIDTH, 2)]
    assert asked.turn(reader) == []
    reader.final_to = FINAL + RANGES * WIDTH
    assert asked.turn(reader) == [(DUE - 1 + RANGES * WIDTH, DUE - 1 + 2 * RANGES * WIDTH, 2)]


@pytest.mark.slow
def test_one_that_is_awaited_again_waits_for_none_that_rests(reader: ChainReader) -> None:
    resting(2 * MOST_AT_ONCE)
    place(9_999, awaited_until=now() + timedelta(hours=1), read_to=FINAL - 50).save()
    asked = Asked()
    assert asked.turn(reader) == [(FINAL - 50, FINAL, 1), (0, RANGES * WIDTH, MOST_AT_ONCE)]
    assert far(f"0x{9_999:040d}") is None, "from here on it is read with its chain"
    assert watch_for("base").transfers == {(TOKEN, f"0x{9_999:040d}")}


def test_one_that_is_awaited_again_keeps_its_place_until_it_came_as_far_as_its_reader(reader: ChainReader) -> None:
    place(1, awaited_until=now() + timedelta(hours=1), read_to=FINAL - 250).save()
    asked = Asked()
    assert asked.turn(reader) == [(FINAL - 250, FINAL - 50, 1)]
    assert far(f"0x{1:040d}") == FINAL - 50
    assert asked.turn(reader) == [(FINAL - 50, FINAL, 1)]
    assert far(f"0x{1:040d}") is None
    assert asked.turn(reader) == []


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, -1], ids=["little", "nothing"])
def test_one_of_which_nodes_tell_little_does_not_hold_up_the_others(reader: ChainReader, most: int) -> None:
    resting(63, read_to=DUE - 400)
    place(9_999, address=SLOW, read_to=DUE - 400, read_at=now() - timedelta(days=3)).save()
    asked = Asked(most={SLOW: most})
    for _ in range(120):
        asked.turn(reader)
    slow = WatchedAddress.objects.get(address=SLOW)
    assert (slow.cursor, (slow.read_to or 0) < DUE) == ({"most": 1}, True)
    others = WatchedAddress.objects.exclude(address=SLOW)
    assert others.filter(read_to__gte=DUE).count() == 63


def test_where_nodes_tell_of_few_blocks_at_once_nobody_was_slow(reader: ChainReader) -> None:
    """Nothing is awaited on the chain, so no other question said so."""
    resting(8)
    asked = Asked(width=5)
    assert [len(asked.turn(reader)), *asked.turn(reader)] == [2, (10, 20, 8)]
    assert set(WatchedAddress.objects.values_list("read_to", "final_at")) == {(20, None)}
    reader.refresh_from_db()
    assert reader.width == 5


def test_nothing_is_passed_over_where_even_one_block_is_refused(reader: ChainReader) -> None:
    resting(1)
    place(9_999, address=SLOW, read_to=0, read_at=now() - timedelta(days=2)).save()
    Asked(refused=frozenset({SLOW})).turn(reader)
    assert (far(SLOW), far(f"0x{1:040d}")) == (0, RANGES * WIDTH)
    assert WatchedAddress.objects.get(address=SLOW).left_out_until is not None


def test_a_turn_that_never_ends_counts_as_slow(reader: ChainReader) -> None:
    resting(8)

    class Dies(Asked):
        def final(self, progress: Progress, watch_of: WatchOf, last: int) -> Bite:
            super().final(progress, watch_of, last)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Dies().turn(reader)
    assert Asked().turn(reader) == [(0, WIDTH // 4, 4)]


def test_a_worker_whose_lease_is_over_writes_nothing(reader: ChainReader) -> None:
    resting(1)

    class Late(Asked):
        def final(self, progress: Progress, watch_of: WatchOf, last: int) -> Bite:
            ChainReader.objects.update(attempts=reader.attempts + 1)
            return super().final(progress, watch_of, last)

    assert Late().turn(reader) == [(0, RANGES * WIDTH, 1)]
    assert far(f"0x{1:040d}") == 0
    assert Asked().turn(reader) == []


def test_one_that_is_awaited_since_it_was_asked_about_goes_along(reader: ChainReader) -> None:
    resting(1, read_to=DUE - 1)
    reader.width = FINAL

    class Meanwhile(Asked):
        def final(self, progress: Progress, watch_of: WatchOf, last: int) -> Bite:
            WatchedAddress.objects.update(awaited_until=now() + timedelta(hours=1), read_at=None)
            return super().final(progress, watch_of, last)

    Meanwhile(width=FINAL).turn(reader)
    [row] = WatchedAddress.objects.all()
    assert (row.read_at, row.read_to) == (None, None)


def test_what_an_earlier_release_wrote_down_is_asked_about_for_another_day(reader: ChainReader) -> None:
    place(1).save()
    Asked().turn(reader)
    [row] = WatchedAddress.objects.all()
    assert row.awaited_until is not None
    assert row.awaited_until > now() + timedelta(hours=24)
    assert watch_for("base").transfers == {(TOKEN, row.address)}
    WatchedAddress.objects.update(awaited_until=now())
    assert Asked().turn(reader) == []
    row.refresh_from_db()
    assert (row.read_at is None, row.read_to) == (False, FINAL)
    assert watch_for("base").transfers == frozenset()
