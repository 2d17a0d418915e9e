"""What requests leave to be written down: by the threads that answer, when one is free, and however quiet it gets."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from config import leftovers
from config.leftovers import Leftovers
from config.threads import Result, Threads
from tests.machine import PATIENCE_SECONDS, let_others_run


@dataclass
class Noted:
    """Something that is written later, once ``gate`` is open; ``written`` is by which threads."""

    waits: bool = True
    due: bool = True
    gate: threading.Event = field(default_factory=threading.Event)
    begun: bool = False
    written: list[str] = field(default_factory=list)

    def is_due(self) -> bool:
        """As it was told."""
        return self.waits and self.due

    def take_turn(self) -> None:
        """Write."""
        self.begun = True
        assert self.gate.wait(PATIENCE_SECONDS)
        self.written.append(threading.current_thread().name)
        self.waits = False


class Counted(Threads):
    """Threads, and how often one was asked for."""

    asked = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Count, and go on."""
        self.asked += 1
        return await super().run(work)


Story = Callable[[Counted, Leftovers, Noted], Awaitable[None]]


@pytest.fixture(autouse=True)
def _quick_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "TURN_SECONDS", 0.001)


def run(story: Story, threads: int) -> None:
    """Tell a story of one kind of leftover on so many threads."""

    async def told() -> None:
        noted, serving = Noted(), Counted("web", threads, PATIENCE_SECONDS)
        await asyncio.wait_for(story(serving, Leftovers([noted], serving), noted), PATIENCE_SECONDS)

    asyncio.run(told())


async def until(done: Callable[[], object]) -> None:
    """Rest until it is so."""
    while not done():
        await let_others_run(0.001)


def test_it_is_written_by_a_thread_that_answers_while_another_one_answers() -> None:
    async def story(threads: Counted, kept: Leftovers, noted: Noted) -> None:
        kept.see_to_them()
        await until(lambda: noted.begun)
        assert await threads.run(lambda: "answered") == "answered"
        assert noted.written == []
        noted.gate.set()
        await until(lambda: noted.written)
        assert noted.written[0].startswith("web")

    run(story, threads=2)


def test_what_is_not_due_waits_and_nothing_runs_where_nothing_waits() -> None:
    async def story(threads: Counted, kept: Leftovers, noted: Noted) -> None:
        others = len(asyncio.all_tasks())
        noted.gate.set()
        noted.due = False
        for _ in range(3):
            kept.see_to_them()
            assert len(asyncio.all_tasks()) == others + 1
            await let_others_run(0.005)
        assert (noted.written, threads.asked) == ([], 0)
        noted.due = True
        await until(lambda: len(asyncio.all_tasks()) == others)
        kept.see_to_them()
        assert (len(noted.written), threads.asked, len(asyncio.all_tasks())) == (1, 1, others)
        noted.waits = True
        kept.see_to_them()
        await until(lambda: len(noted.written) == 2)

    run(story, threads=1)


def test_while_every_thread_answers_it_is_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "MOST_PUT_OFF", 10**9)

    async def story(threads: Counted, kept: Leftovers, noted: Noted) -> None:
        asked = threading.Event()
        noted.gate.set()
        answering = asyncio.gather(*(threads.run(lambda: asked.wait(PATIENCE_SECONDS)) for _ in range(2)))
        await until(lambda: threads.are_busy)
        kept.see_to_them()
        await let_others_run(0.01)
        assert (noted.written, threads.asked) == ([], 2)
        asked.set()
        assert await answering == [True, True]
        await until(lambda: noted.written)

    run(story, threads=1)


def test_in_a_process_that_is_never_free_it_takes_its_turn_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "MOST_PUT_OFF", 2)

    async def story(threads: Counted, kept: Leftovers, noted: Noted) -> None:
        asked = threading.Event()
        noted.gate.set()
        answering = asyncio.ensure_future(threads.run(lambda: asked.wait(PATIENCE_SECONDS)))
        await until(lambda: threads.are_busy)
        kept.see_to_them()
        await until(lambda: threads.asked == 2)
        later = asyncio.ensure_future(threads.run(lambda: len(noted.written)))
        await until(lambda: threads.asked == 3)
        asked.set()
        assert (await answering, await later) == (True, 1)

    run(story, threads=1)
