"""Moves a filled table over while rows are written to it: the move has to wait, the writers are never refused."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as all_ended
from functools import partial
from typing import Any

from django.db import connections, models

from tests.machine import PATIENCE_SECONDS, wait_until
from tests.races.lineup import holding

WRITERS = 3


def written_meanwhile(move: Callable[[], object], write: Callable[[], object], held: models.QuerySet[Any]) -> int:
    """Write over and over in a few threads while a move is made; how often it was written.

    All have written before the move begins, while somebody else's open transaction holds it up, and after it ended.
    Raises: whatever refused a writer or the move.
    """
    over, counts = threading.Event(), [0] * WRITERS
    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(_keep_writing, partial(_count, write, counts, own), over) for own in range(WRITERS)]
        try:
            _all_write_on(counts, writers)
            with holding(held) as lineup:
                lineup.enter(move)
                assert lineup.waited == 1, "the move waited for nobody"
                _all_write_on(counts, writers)
            lineup.endings()
            _all_write_on(counts, writers)
        finally:
            over.set()
            all_ended(writers, PATIENCE_SECONDS)
    for writer in writers:
        writer.result()
    return sum(counts)


def _count(write: Callable[[], object], counts: list[int], own: int) -> None:
    write()
    counts[own] += 1


def _keep_writing(write: Callable[[], object], over: threading.Event) -> None:
    try:
        while not over.is_set():
            write()
    finally:
        connections.close_all()


def _all_write_on(counts: list[int], writers: "list[Any]") -> None:
    before = list(counts)
    wait_until(
        lambda: any(writer.done() for writer in writers) or all(map(int.__gt__, counts, before)), "writers that go on"
    )
