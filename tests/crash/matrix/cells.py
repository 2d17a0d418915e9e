"""Which cells there are, and which of them a pull request runs: chosen by rule, so that it is the same every time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.crash.actions import Action

WORKERS = (1, 2, 4)
ACTIONS = tuple(Action)


@dataclass(frozen=True, kw_only=True)
class Cell:
    operation: str
    point: str
    action: Action
    workers: int

    def __str__(self) -> str:
        return f"{self.operation}: {self.action} {self.point}, {self.workers} workers"


def all_cells(points: Mapping[str, Sequence[str]]) -> list[Cell]:
    return [
        Cell(operation=operation, point=point, action=action, workers=workers)
        for operation, passed in points.items()
        for point in passed
        for action in ACTIONS
        for workers in WORKERS
    ]


def some_cells(points: Mapping[str, Sequence[str]], wanted: int) -> list[Cell]:
    """About so many: spread evenly over operations and over each one's points, with every action and crew in turn."""
    share, rest = divmod(wanted, len(points))
    chosen = []
    for place, (operation, passed) in enumerate(points.items()):
        count = min(share + (place < rest), len(passed) * len(ACTIONS))
        for number in range(count):
            turn = number + place
            cell = Cell(
                operation=operation,
                point=passed[number * len(passed) // count],
                action=ACTIONS[turn % len(ACTIONS)],
                workers=WORKERS[(turn + turn // len(ACTIONS)) % len(WORKERS)],
            )
            chosen.append(cell)
    return list(dict.fromkeys(chosen))
