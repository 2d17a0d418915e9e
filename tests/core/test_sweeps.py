"""Many hands on one pile: each piece is done once, and what is left when the time is over is given back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import pytest

from core.clock import now
from core.models import Heartbeat
from core.sweeps import Claim, Sweep


@dataclass(frozen=True, kw_only=True)
class Pieces(Sweep[int]):
    """What is due, in batches, and what is left of it."""

    batches: list[list[int]]
    returned: list[int]

    def claim(self) -> list[Claim[int]]:
        return [Claim(piece, now()) for piece in (self.batches.pop(0) if self.batches else [])]

    def _give_back(self, unbegun: Sequence[Claim[int]]) -> None:
        self.returned.extend(claim.key for claim in unbegun)


def pieces(*batches: list[int], work: Callable[[int], object]) -> Pieces:
    return Pieces(
        model=Heartbeat,
        take=lambda _: [],
        advance=lambda claim: work(claim.key),
        lease=timedelta(seconds=1),
        batches=list(batches),
        returned=[],
    )


@pytest.mark.parametrize("hands", [1, 2, 5, 50])
def test_each_piece_is_done_once(hands: int) -> None:
    done: list[int] = []
    sweep = pieces([1, 2, 3, 4, 5, 6, 7, 8], [9], [10, 11], work=done.append)
    assert sweep.run(lambda: False, hands=hands) == 11
    assert (sorted(done), sweep.returned) == (list(range(1, 12)), [])


@pytest.mark.parametrize("hands", [1, 4])
def test_nothing_due_is_nothing_done_and_asked_once(hands: int) -> None:
    """Every second, by every worker: asking twice would be most of what a service does that nobody uses."""
    done: list[int] = []
    sweep = pieces([], [1], work=done.append)
    assert sweep.run(lambda: False, hands=hands) == 0
    assert (done, sweep.returned, sweep.batches) == ([], [], [[1]])


@pytest.mark.parametrize("hands", [1, 4])
def test_one_piece_is_begun_however_late_and_the_rest_is_given_back(hands: int) -> None:
    done: list[int] = []
    sweep = pieces([1, 2, 3, 4, 5, 6], [7], work=done.append)
    assert sweep.run(lambda: True, hands=hands) == 1
    assert len(done) == 1
    assert sorted(done + sweep.returned) == [1, 2, 3, 4, 5, 6]
    assert sweep.batches == [[7]]


@pytest.mark.parametrize("hands", [1, 3])
def test_a_piece_that_breaks_holds_up_no_other(hands: int, caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []

    def work(piece: int) -> None:
        if piece == 2:
            raise ArithmeticError
        done.append(piece)

    assert pieces([1, 2, 3, 4], work=work).run(lambda: False, hands=hands) == 4
    assert sorted(done) == [1, 3, 4]
    assert caplog.messages == ["could not advance heartbeat 2"]


class Death(BaseException):
    """What ends a worker and not only its step."""


def test_a_death_in_a_hand_is_not_hidden() -> None:
    def die(piece: int) -> None:
        raise Death(piece)

    with pytest.raises(Death):
        pieces([1, 2, 3, 4], work=die).run(lambda: False, hands=3)
