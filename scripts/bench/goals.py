"""What the figures must be, and how they stand against it.

Source: the performance goals that docs/performance.md explains. Most are ratios within one run, so that they mean the
same on any machine; those of live mode are not, since what they are compared with is a payer's patience.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

MANY = 100
"""From here on a figure has no fraction."""


class Verdict(Enum):
    """How a figure stands against its goal."""

    AIM = "aim reached"
    MUST = "ok"
    MISSED = "MISSED"
    UNMEASURED = "not measured"


@dataclass(frozen=True, kw_only=True)
class Goal:
    """One line of the table. ``at_least`` tells whether more is better."""

    key: str
    title: str
    must: float
    aim: float
    at_least: bool
    unit: str = ""

    def judge(self, measured: float | None) -> Verdict:
        """Compare a figure with the goal."""
        if measured is None:
            return Verdict.UNMEASURED
        if self._reaches(measured, self.aim):
            return Verdict.AIM
        return Verdict.MUST if self._reaches(measured, self.must) else Verdict.MISSED

    def shown(self, figure: float | None) -> str:
        """A figure in this goal's unit."""
        if figure is None:
            return "-"
        return f"{figure:,.0f}{self.unit}" if figure >= MANY else f"{figure:.3g}{self.unit}"

    def bound(self, figure: float) -> str:
        """A bound, with its direction."""
        return f"{'>=' if self.at_least else '<='} {self.shown(figure)}"

    def _reaches(self, measured: float, bound: float) -> bool:
        return measured >= bound if self.at_least else measured <= bound


def at_least(key: str, title: str, must: float, aim: float, unit: str = "") -> Goal:
    """A goal of which more is better."""
    return Goal(key=key, title=title, must=must, aim=aim, at_least=True, unit=unit)


def at_most(key: str, title: str, must: float, aim: float, unit: str = "") -> Goal:
    """A goal of which less is better."""
    return Goal(key=key, title=title, must=must, aim=aim, at_least=False, unit=unit)


GOALS = (
    at_least("create_of_floor", "create intent / pgbench, fixed floor", 0.20, 0.30),
    at_least("create_share", "create intent / pgbench, the same SQL", 0.15, 0.30),
    at_least("retrieve_of_floor", "retrieve intent / pgbench, get by key", 0.06, 0.09),
    at_most("create_p99_of_best", "create p99 / p99 of the best shape known", 1.3, 1.0),
    at_least("replay_share", "idempotent replay / create intent", 1, 1.5),
    at_least("poll_share", "poll of a payer's page / by the whole stack", 4, 8),
    at_most("create_trips", "SQL round trips: create", 2, 1),
    at_most("retrieve_trips", "SQL round trips: retrieve", 2, 1),
    at_most("replay_trips", "SQL round trips: replay", 2, 1),
    at_most("poll_trips", "SQL round trips: poll without news", 1, 1),
    at_most("connections", "new database connections per 1,000 requests, warm", 0, 0),
    at_most("errors", "errors at 64 connections", 0, 0),
    at_least("drain_celery_share", "deliveries, 2 processes / one Celery task per delivery", 6, 14),
    at_least("drain_raw_share", "deliveries, 1 process / raw aiohttp client", 0.35, 0.50),
    at_least("drain_tls_share", "the same over TLS / raw aiohttp client over TLS", 0.30, 0.50),
    at_least("hanging_share", "healthy rate, 1 of 10 receivers hanging / none", 0.8, 0.95),
    at_most("look_bytes", "bytes of the log, claim or look at a payment", 350, 250, " B"),
    at_least("look_in_place", "of these, without writing an index", 90, 95, " %"),
    at_most("growth", "slowest growth of a query, most rows / 10,000 rows", 1.6, 1.3),
    at_most("claim_backlog", "claim of deliveries, backlog at one endpoint / none", 2, 1.3),
    at_most("invariants_seconds", "an hour's check of the invariants, 1,000 changed", 60, 10, " s"),
    at_most("bytes_left", "bytes that a settled payment leaves after 90 days", 8_000, 6_500, " B"),
    at_most("page_kib", "first load of checkout: HTML, CSS, JS, gzipped", 15, 12, " KiB"),
    at_most("first_start", "embedded default: first start to ready", 3, 2, " s"),
    at_most("start_seconds", "embedded default: later start to ready", 2, 1.5, " s"),
    at_most("embedded_memory", "embedded default: memory", 115, 100, " MB"),
    at_most("embedded_idle", "embedded default: idle, of a core", 1.5, 0.5, " %"),
    at_most("live_questions", "live: questions to nodes / open payment and minute", 0.2, 0.05),
    at_least("live_settled", "live: payments settled, one worker", 20, 50, "/s"),
    at_least("live_expired", "live: payments expired, one worker", 500, 2_000, "/s"),
    at_most("live_p50_seconds", "live: transfer in a block to settled, median", 1.5, 1, " s"),
    at_most("live_p99_seconds", "live: transfer in a block to settled, p99", 4, 2.5, " s"),
)


def table(measured: Mapping[str, float]) -> str:
    """Every goal with what it must be, what it aims at and what was measured."""
    lines = [f"{'goal':<58}{'must':>12}{'aim':>12}{'measured':>12}  verdict"]
    for goal in GOALS:
        figure = measured.get(goal.key)
        bounds = f"{goal.bound(goal.must):>12}{goal.bound(goal.aim):>12}"
        lines.append(f"{goal.title:<58}{bounds}{goal.shown(figure):>12}  {goal.judge(figure).value}")
    return "\n".join(lines)


def record(measured: Mapping[str, float]) -> list[dict[str, object]]:
    """Every goal with its figure, for programs: null where it was not measured."""
    return [
        {
            "name": goal.key,
            "value": measured.get(goal.key),
            "unit": goal.unit.strip(),
            "goal": goal.aim,
            "must": goal.must,
            "held": goal.judge(measured.get(goal.key)) in {Verdict.AIM, Verdict.MUST},
        }
        for goal in GOALS
    ]


def missed(measured: Mapping[str, float]) -> list[str]:
    """The goals whose figure is not what it must be."""
    return [goal.title for goal in GOALS if goal.judge(measured.get(goal.key)) is Verdict.MISSED]
