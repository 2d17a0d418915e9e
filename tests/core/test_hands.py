"""Many hands on one pile: each piece is done once, and what is left when the time is over is given back."""

from collections.abc import Callable

import pytest

from core.hands import work_together


class Pieces:
    """What is due, in batches, and what became of it."""

    def __init__(self, *batches: list[int]) -> None:
        self.batches, self.done, self.returned = list(batches), list[int](), list[int]()

    def claim(self) -> list[int]:
        return self.batches.pop(0) if self.batches else []

    def work(self, is_over: Callable[[], bool], hands: int) -> int:
        return work_together(self.claim, self.done.append, self.returned.extend, is_over, hands=hands)


@pytest.mark.parametrize("hands", [1, 2, 5, 50])
def test_each_piece_is_done_once(hands: int) -> None:
    pieces = Pieces([1, 2, 3, 4, 5, 6, 7, 8], [9], [10, 11])
    assert pieces.work(lambda: False, hands) == 11
    assert (sorted(pieces.done), pieces.returned) == (list(range(1, 12)), [])


@pytest.mark.parametrize("hands", [1, 4])
def test_nothing_due_is_nothing_done(hands: int) -> None:
    pieces = Pieces()
    assert pieces.work(lambda: False, hands) == 0
    assert (pieces.done, pieces.returned) == ([], [])


@pytest.mark.parametrize("hands", [1, 4])
def test_one_piece_is_begun_however_late_and_the_rest_is_given_back(hands: int) -> None:
    pieces = Pieces([1, 2, 3, 4, 5, 6], [7])
    assert pieces.work(lambda: True, hands) == 1
    assert len(pieces.done) == 1
    assert sorted(pieces.done + pieces.returned) == [1, 2, 3, 4, 5, 6]
    assert pieces.batches == [[7]]


def test_what_breaks_in_a_hand_is_told() -> None:
    def broken(piece: int) -> None:
        raise ArithmeticError(piece)

    with pytest.raises(ArithmeticError):
        work_together(Pieces([1, 2, 3, 4]).claim, broken, list[int]().extend, lambda: False, hands=3)
