"""Ids that grow with time, by the layout of their standard."""

import re
import uuid
from datetime import timedelta

import pytest
import time_machine

from core.clock import now
from core.ids import derived_event_id, new_growing_id


def test_it_has_its_moment_its_version_and_its_variant_and_the_rest_is_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment and the random parts of the example of RFC 9562, A.6."""
    given = 0xCC3 << 62 | 0x18C4DC0C0C07398F
    monkeypatch.setattr("core.ids.secrets.token_bytes", given.to_bytes)
    with time_machine.travel("2022-02-22T19:22:22Z", tick=False):
        assert str(new_growing_id()) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
    monkeypatch.setattr("core.ids.secrets.token_bytes", lambda count: b"\xff" * count)
    with time_machine.travel("1970-01-01T00:00:00.001Z", tick=False):
        assert str(new_growing_id()) == "00000000-0001-7fff-bfff-ffffffffffff"


def test_later_ids_are_greater_as_numbers_and_as_texts_and_none_comes_twice() -> None:
    with time_machine.travel("2026-05-04T12:00:00Z", tick=False) as clock:
        made: list[tuple[uuid.UUID, str]] = []
        for _ in range(200):
            made.append((new_growing_id(), derived_event_id(now(), "settled", now())))
            clock.shift(timedelta(milliseconds=1))
        assert made == sorted(made)
        assert made == sorted(made, key=lambda one: one[1])
        same = {new_growing_id() for _ in range(2000)}
        assert len(same) == 2000
        assert len({one.int >> 80 for one in same}) == 1
        assert {one.int >> 80 for one in same} == {round(now().timestamp() * 1000)}
    for one, event in made:
        assert (one.version, one.variant) == (7, uuid.RFC_4122)
        assert re.fullmatch("evt_[0-9a-f]{32}", event)


def test_every_bit_that_is_not_of_the_layout_is_thrown() -> None:
    with time_machine.travel("2026-05-04T12:00:00Z", tick=False):
        ids = [new_growing_id().int for _ in range(200)]
    random = (0xFFF << 64) | ((1 << 62) - 1)
    ones, zeros = 0, 0
    for one in ids:
        ones, zeros = ones | one, zeros | ~one
    assert (ones & zeros) & ((1 << 80) - 1) == random
