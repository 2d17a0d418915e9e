"""Catching up hands on each event exactly once, in order, wherever the receiver crashes and whatever answer is lost."""

import random
import sqlite3
import uuid
from collections.abc import Callable, Coroutine
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from causeway_sdk import APIConnectionError, APIError, AsyncCauseway, Causeway
from causeway_sdk.cursors import CursorFile
from causeway_sdk.testing import FakeAnswer, FakeService

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.sdks.door import ADDRESS, Door
from tests.webhooks.actors import draft, happen
from webhooks.delivery.fan_out import fan_out
from webhooks.events import sample_body
from webhooks.models import Event

pytestmark = pytest.mark.django_db
SEED = 24


def chance_of(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - the same in every run


class Killed(BaseException):
    """The program is ended, without a chance to clean up."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Nothing is waited for; the pauses that would have been."""
    pauses: list[float] = []

    async def awaited(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("causeway_sdk._http.pause", pauses.append)
    monkeypatch.setattr("causeway_sdk._http.async_pause", awaited)
    return pauses


class AwaitedDoor:
    """The same door for a client that awaits."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def request(self, method: str, url: str, **more: Any) -> FakeAnswer:
        """Send one request."""
        return self._door.request(method, url, **more)


def happened(principal: Principal, count: int) -> list[str]:
    """The ids of so many events more, in their order."""
    body = sample_body("refund.created", uuid.uuid4())
    made = Event.objects.bulk_create([draft(principal, "refund.created", body) for _ in range(count)])
    while fan_out():
        pass
    places: dict[Any, str] = dict(Event.objects.filter(pk__in=[one.pk for one in made]).values_list("position", "pk"))
    return [places[place] for place in sorted(places)]


class Receiver:
    """A shop whose program is ended at any step, and started again. What it did is in a database of its own."""

    def __init__(self, chance: float) -> None:
        self._random, self._chance = chance_of(SEED), chance
        self.crashes = self.handed = self.lost = 0
        self.rows = sqlite3.connect(":memory:", isolation_level=None)
        self.rows.execute("CREATE TABLE done (step INTEGER PRIMARY KEY, event_id TEXT UNIQUE)")
        self.rows.execute("CREATE TABLE place (cursor TEXT)")

    def may_crash(self) -> None:
        """Be ended here, perhaps."""
        if self._random.random() < self._chance:
            self.crashes += 1
            raise Killed

    def take(self, event: Any, cursor: str) -> None:
        """Do the work and keep the cursor, in one transaction. Raises: IntegrityError for an event done before."""
        self.handed += 1
        self.may_crash()
        with _transaction(self.rows):
            self.rows.execute("INSERT INTO done (event_id) VALUES (?)", [event.id])
            self.rows.execute("DELETE FROM place")
            self.may_crash()
            self.rows.execute("INSERT INTO place VALUES (?)", [cursor])
        self.may_crash()

    def take_again(self, event: Any, cursor: str) -> None:
        """Do the work unless it was done; the cursor is kept by a store, later."""
        del cursor
        self.handed += 1
        self.may_crash()
        self.rows.execute("INSERT OR IGNORE INTO done (event_id) VALUES (?)", [event.id])
        self.may_crash()

    def load(self) -> str | None:
        """As a store."""
        found = self.rows.execute("SELECT cursor FROM place").fetchone()
        return None if found is None else str(found[0])

    def save(self, cursor: str) -> None:
        """As a store, in a write that may be lost with the program."""
        self.may_crash()
        with _transaction(self.rows):
            self.rows.execute("DELETE FROM place")
            self.rows.execute("INSERT INTO place VALUES (?)", [cursor])
        self.may_crash()

    def done(self) -> list[str]:
        """The ids of what was done, in the order in which it was."""
        return [event_id for (event_id,) in self.rows.execute("SELECT event_id FROM done ORDER BY step")]


class _transaction:  # noqa: N801 - reads as what it is
    """All of it, or nothing of it."""

    def __init__(self, rows: sqlite3.Connection) -> None:
        self._rows = rows

    def __enter__(self) -> None:
        self._rows.execute("BEGIN")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._rows.execute("COMMIT" if kind is None else "ROLLBACK")


def lossy(receiver: Receiver) -> Door:
    """A network that loses questions and answers, and now and then the program that waits for one."""
    door, chance = Door(), chance_of(SEED + 1)
    asked = door.request

    def request(method: str, url: str, **more: Any) -> FakeAnswer:
        lost = chance.random()
        receiver.lost += lost < 0.2
        if lost < 0.1:
            raise ConnectionError("the question is lost")
        answer = asked(method, url, **more)
        receiver.may_crash()
        if lost < 0.2:
            raise ConnectionError("the answer is lost")
        return answer

    door.request = request  # type: ignore[method-assign]  # the network, as it may be
    return door


Run = Callable[[str, Receiver, Door], None]


def in_one_transaction(key: str, receiver: Receiver, door: Door) -> None:
    Causeway(key, ADDRESS, http_client=door).events.catch_up(receiver.load(), receiver.take)


def with_a_store(key: str, receiver: Receiver, door: Door) -> None:
    Causeway(key, ADDRESS, http_client=door).events.catch_up(None, receiver.take_again, store=receiver)


class AwaitedStore:
    """The same store, awaited."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    async def load(self) -> str | None:
        return self._receiver.load()

    async def save(self, cursor: str) -> None:
        self._receiver.save(cursor)


def awaited(key: str, receiver: Receiver, door: Door) -> None:
    async def take(event: Any, cursor: str) -> None:
        receiver.take_again(event, cursor)

    client = AsyncCauseway(key, ADDRESS, http_client=AwaitedDoor(door))
    driven(client.events.catch_up(None, take, store=AwaitedStore(receiver)))


def awaited_in_one_transaction(key: str, receiver: Receiver, door: Door) -> None:
    async def take(event: Any, cursor: str) -> None:
        receiver.take(event, cursor)

    client = AsyncCauseway(key, ADDRESS, http_client=AwaitedDoor(door))
    driven(client.events.catch_up(receiver.load(), take))


def driven(work: Coroutine[Any, Any, object]) -> None:
    """Run what never really waits. Why without an event loop: in one, the door would have another connection."""
    with pytest.raises(StopIteration):
        work.send(None)


def story(key: str, principal: Principal, run: Run, *, count: int, chance: float) -> Receiver:
    """Let events happen while the receiver crashes and starts again, until it has seen the end."""
    receiver, sizes = Receiver(chance), chance_of(SEED + 2)
    door, wanted, is_over = lossy(receiver), list[str](), False
    for _ in range(count * 4):
        if len(wanted) < count:
            wanted += happened(principal, min(sizes.randint(1, count // 8), count - len(wanted)))
        try:
            run(key, receiver, door)
            is_over = len(wanted) == count
        except (Killed, APIConnectionError):
            pass
        if is_over:
            break
    assert is_over
    assert receiver.done() == wanted
    return receiver


RUNS = [in_one_transaction, with_a_store, awaited, awaited_in_one_transaction]


@pytest.mark.parametrize("run", RUNS)
def test_a_receiver_that_crashes_does_each_once_in_order(
    api: ApiClient, principal: Principal, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("causeway_sdk.cursors.AT_ONCE", 7)
    receiver = story(api.key, principal, run, count=80, chance=0.05)
    assert receiver.crashes >= 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("run", RUNS)
def test_ten_thousand_events_and_a_receiver_that_crashes(
    api: ApiClient, principal: Principal, run: Run, record_property: Callable[[str, object], None]
) -> None:
    receiver = story(api.key, principal, run, count=10_000, chance=0.02)
    record_property("crashes", receiver.crashes)
    record_property("handed on", receiver.handed)
    record_property("questions and answers lost", receiver.lost)
    assert receiver.crashes >= 200
    assert receiver.handed <= 10_000 + receiver.crashes


def test_a_handler_that_raises_ends_it_and_is_asked_again_at_that_event(
    api: ApiClient, principal: Principal, tmp_path: Path
) -> None:
    wanted, store, seen = happened(principal, 3), CursorFile(tmp_path / "cursor"), list[str]()
    client = Causeway(api.key, ADDRESS, http_client=Door())

    def refuse_the_second(event: Any, cursor: str) -> None:
        if event.id == wanted[1] and len(seen) < 2:
            seen.append("refused")
            raise LookupError("no such order")
        seen.append(event.id)

    with pytest.raises(LookupError, match="no such order"):
        client.events.catch_up(None, refuse_the_second, store=store)
    kept = store.load()
    client.events.catch_up(None, refuse_the_second, store=store)
    assert seen == [wanted[0], "refused", *wanted[1:]]
    assert [kept, store.load()] == client_cursors(client, (0, 2))
    assert [one.name for one in tmp_path.iterdir()] == ["cursor"]


def client_cursors(client: Causeway, places: tuple[int, ...]) -> list[str]:
    [page] = client.events.list().pages()
    return [page.to_dict()["cursors"][place] for place in places]


def test_what_is_at_the_end_is_kept_although_nothing_matched(api: ApiClient, principal: Principal) -> None:
    happened(principal, 2)
    receiver, client = Receiver(0), Causeway(api.key, ADDRESS, http_client=Door())
    ended = client.events.catch_up(None, receiver.take_again, store=receiver, type="payout.*")
    assert (receiver.handed, receiver.load()) == (0, ended)
    [later] = [str(happen(principal, "payout.paid").pk)]
    fan_out()
    client.events.catch_up(None, receiver.take_again, store=receiver, type="payout.*")
    assert receiver.done() == [later]


def test_who_begins_now_is_handed_what_comes_afterwards(api: ApiClient, principal: Principal) -> None:
    happened(principal, 2)
    receiver, client = Receiver(0), Causeway(api.key, ADDRESS, http_client=Door())
    cursor = client.events.catch_up("now", receiver.take_again)
    wanted = happened(principal, 2)
    client.events.catch_up(cursor, receiver.take_again)
    assert receiver.done() == wanted


def page(ids: list[str], cursors: list[str], end: str) -> dict[str, Any]:
    data = [{"id": one, "type": "ping", "data": {}} for one in ids]
    return {"data": data, "cursors": cursors, "has_more": False, "next_cursor": None, "cursor": end}


def test_following_survives_an_outage_and_knows_what_came_before(at_once: list[float]) -> None:
    """The service was put back to a copy of before: what happens again stands behind every cursor, under its id."""
    service = FakeService().answer(page(["evt_1", "evt_2"], ["cur_1", "cur_2"], "cur_2"))
    for _ in range(4):
        service.lose()
    service.answer(page(["evt_2", "evt_3"], ["cur_4", "cur_5"], "cur_5"))
    following = Causeway("sk_test_x", http_client=service).events.follow("cur_0")
    seen = [(event.id, following.cursor) for event in islice(following, 3)]
    assert seen == [("evt_1", "cur_1"), ("evt_2", "cur_2"), ("evt_3", "cur_5")]
    assert [call.path.partition("?")[2] for call in service.calls] == [
        "limit=100&after=cur_0&wait=25",
        *["limit=100&after=cur_2&wait=25"] * 5,
    ]
    assert 2.0 in at_once


def test_following_rests_where_the_service_did_not_hold_the_question(
    at_once: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("causeway_sdk._http.now", lambda: 1000.0)
    service = FakeService().answer(page([], [], "cur_1")).answer(page([], [], "cur_1"))
    service.answer(page(["evt_1"], ["cur_2"], "cur_2"))
    next(Causeway("sk_test_x", http_client=service).events.follow())
    assert at_once == [1.0, 1.0]


def test_a_cursor_that_ended_ends_the_loop() -> None:
    service = FakeService().answer({"error": "Gone.", "code": "cursor_expired"}, 410)
    with pytest.raises(APIError) as raised:
        next(Causeway("sk_test_x", http_client=service).events.follow("cur_0"))
    assert raised.value.code == "cursor_expired"
