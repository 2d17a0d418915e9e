"""Many hands on one pile: each piece is done once, and what is left when the time is over is given back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError

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


class Line:
    """A connection to a database that can be asked, or not."""

    def __init__(self, *, usable: bool) -> None:
        self.usable, self.closed = usable, 0

    def close(self) -> None:
        """So that the next question opens another one."""
        self.closed += 1

    def is_usable(self) -> bool:
        """Whether it can."""
        return self.usable


@pytest.mark.parametrize(("fault", "usable", "returned"), [
    (OperationalError, False, [2]),
    (InterfaceError, False, [2]),
    (OperationalError, True, []),  # as where a lock is held for too long: it waits for its turn
    (ArithmeticError, False, []),
])  # fmt: skip
def test_what_a_lost_database_cut_off_is_given_back_at_the_next_run(
    fault: type[Exception], usable: bool, returned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a payment that was looked at just then waits for its lease, half a minute after all the others went on."""
    line = Line(usable=usable)
    monkeypatch.setattr("core.sweeps.connection", line)

    def work(piece: int) -> None:
        if piece == 2:
            raise fault

    sweep = pieces([1, 2, 3], [], [], work=work)
    assert (sweep.run(lambda: False), sweep.returned, line.closed) == (3, [], len(returned))
    line.usable = True
    assert (sweep.run(lambda: False), sweep.returned) == (0, returned)
    assert (sweep.run(lambda: False), sweep.returned) == (0, returned)


def test_what_was_cut_off_is_kept_until_the_database_takes_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.sweeps.connection", Line(usable=False))
    answers: list[type[Exception] | None] = [OperationalError, None]
    returned: list[int] = []

    def give_back(sweep: Pieces, unbegun: Sequence[Claim[int]]) -> None:
        if (fault := answers.pop(0)) is not None:
            raise fault
        returned.extend(claim.key for claim in unbegun)

    def work(piece: int) -> None:
        raise OperationalError(piece)

    sweep = pieces([1, 2], [], work=work)
    assert sweep.run(lambda: False) == 2
    monkeypatch.setattr(Pieces, "_give_back", give_back)
    with pytest.raises(OperationalError):
        sweep.run(lambda: False)
    assert (sweep.run(lambda: False), returned, answers) == (0, [1, 2], [])
