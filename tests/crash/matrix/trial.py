"""Runs one cell: prepare, arm, fork, break, start again, wait for quiet, and compare every record there is."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from operations.invariants import Scope, violations
from tests.crash import armed
from tests.crash.actions import Action
from tests.crash.matrix.cells import Cell
from tests.crash.matrix.operations import OPERATIONS, Operation, Shop, insist, open_shop
from tests.crash.matrix.processes import Crew
from tests.crash.matrix.receiver import Book
from tests.crash.matrix.world import CLOCK, advance_until, is_quiet, sweep_once, work
from tests.machine import PATIENCE_SECONDS, pause, stopwatch
from webhooks.models import Event

TICK_SECONDS = 0.02
MOST_TICKS = round(PATIENCE_SECONDS / TICK_SECONDS)
PASSES_SECONDS = 0.5
"""What passes for the service in a tick."""
LEASES_SECONDS = 120
"""Passes at once when something broke: longer than any lease, so nobody waits for the dead, and who is late is late."""
DELIVERING = ("fan_out", "_claim_batch", "record", "give_back", "_note_health", "sending a webhook")
AT_ONCE = 12
"""Shops made ready together, where none is left."""
BY_NAME = {operation.name: operation for operation in OPERATIONS}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of a cell. ``reached``: somebody got to the point, so that the cell proves something."""

    cell: Cell
    reached: bool
    seconds: float
    problems: Sequence[str] = field(default=())

    @property
    def is_green(self) -> bool:
        return not self.problems


@dataclass
class Trial:
    """Everything that cells share: where the receiver listens and what it accepted. ``patience``: how long a cell may
    take to be over.
    """

    receiver_url: str
    book: Book
    log: Path
    patience: int = MOST_TICKS
    _ready: dict[str, list[Shop]] = field(default_factory=lambda: defaultdict(list))

    def lay_ground(self, operations: Iterable[Operation]) -> None:
        """Make shops ready for one cell each, all together: sweeps take many rows as easily as one."""
        begun = [(operation, self._open(operation)) for operation in operations]
        for operation, shop in begun:
            operation.ground(shop)
        left = list(begun)

        def stand() -> bool:
            left[:] = [(operation, shop) for operation, shop in left if not operation.stands(shop)]
            return not left

        advance_until(stand)
        for operation, shop in begun:
            self._ready[operation.name].append(shop)

    def idle_points(self) -> set[str]:
        """Points that sweeps pass though there is nothing to do: they belong to no operation."""
        armed.SEEN.unlink(missing_ok=True)
        armed.SEEN.touch()
        sweep_once()
        return set(armed.SEEN.read_text().splitlines())

    def points_of(self, operation: Operation) -> list[str]:
        idle, shop = self.idle_points(), self._prepared(operation)
        armed.SEEN.unlink(missing_ok=True)
        self._run(operation, shop, 1, lambda: None)
        passed = dict.fromkeys(armed.SEEN.read_text().splitlines())
        mine = [point for point in passed if _delivers(point) == operation.delivers]
        return [point for point in mine if point not in idle]

    def judge(self, cell: Cell) -> Verdict:
        operation, seconds = BY_NAME[cell.operation], stopwatch()
        shop = self._prepared(operation)
        armed.ARMED.write_text(f"{cell.point}\n{cell.action}")
        is_over = self._run(operation, shop, cell.workers, _Reaction(cell.action))
        reached = not armed.ARMED.exists()
        armed.ARMED.unlink(missing_ok=True)
        problems = self._left_over(operation, shop, is_over=is_over)
        problems += [*self.lost_or_doubled(operation, shop), *operation.contradicted(shop)]
        return Verdict(cell=cell, reached=reached, seconds=seconds(), problems=problems)

    def _prepared(self, operation: Operation) -> Shop:
        if not self._ready[operation.name]:
            self.lay_ground([operation] * AT_ONCE)
        shop = self._ready[operation.name].pop()
        operation.prepare(shop)
        return shop

    def _open(self, operation: Operation) -> Shop:
        shop, secret = open_shop(self.receiver_url if operation.subscribed else None)
        self.book.trust(secret)
        return shop

    def _run(self, operation: Operation, shop: Shop, workers: int, react: Callable[[], None]) -> bool:
        crew = Crew()
        for _ in range(workers):
            crew.start(work, self.log)
        if operation.caller is not None:
            crew.start(insist(partial(operation.caller, shop)), self.log)
        with armed.spared():
            is_over = self._conduct(crew, operation, shop, react)
            crew.end()
        return is_over

    def _conduct(self, crew: Crew, operation: Operation, shop: Shop, react: Callable[[], None]) -> bool:
        for _ in range(self.patience):
            pause(TICK_SECONDS)
            CLOCK.pass_seconds(PASSES_SECONDS)
            operation.go_on()
            react()
            crew.revive()
            if operation.is_over(shop) and is_quiet(shop.principal.merchant_id):
                return True
        return False

    def _left_over(self, operation: Operation, shop: Shop, *, is_over: bool) -> list[str]:
        """What a clean restart by a single worker does not finish. Late workers have ended by now."""
        try:
            advance_until(lambda: _has_gone_on(operation) and is_quiet(shop.principal.merchant_id))
        except AssertionError:
            return ["something is never quiet"]
        return [] if is_over and operation.is_over(shop) else [f"{operation.name} is not over"]

    def lost_or_doubled(self, operation: Operation, shop: Shop) -> list[str]:
        merchant = shop.principal.merchant_id
        told = set(Event.objects.filter(merchant_id=merchant).values_list("id", flat=True))
        lost = told - self.book.ids() if operation.subscribed else set()
        found = list(violations(Scope(merchant_id=merchant)))
        return [*found, *([f"{len(lost)} events never reached their receiver"] if lost else [])]


def _delivers(point: str) -> bool:
    name = point.partition(" ")[2]
    return name in DELIVERING or name.partition(" (")[0] in DELIVERING


def _has_gone_on(operation: Operation) -> bool:
    operation.go_on()
    return True


class _Reaction:
    """Lets every lease run out in the moment when something broke."""

    def __init__(self, action: Action) -> None:
        self._action, self._is_waiting = action, True

    def __call__(self) -> None:
        if self._is_waiting and not armed.ARMED.exists():
            CLOCK.pass_seconds(LEASES_SECONDS)
            self._is_waiting = False
