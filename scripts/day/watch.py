"""Breaks what a row names while payments go on, looks at what is said meanwhile, and waits until all is well."""

import time
from collections.abc import Callable

import psycopg

from scripts.cluster.journal import ASKED, PAID, TOLD, Lines, Reading
from scripts.day.account import Account, account, kept, of_window
from scripts.day.form import Day
from scripts.day.rows import Row
from scripts.day.verdict import ALERT_SECONDS, Seen
from scripts.service_process import ServiceError

LOOK_SECONDS = 1.0
CALM_SECONDS = 5.0
"""Payments are asked for before anything is broken, and after it is back."""
QUIET_SECONDS, PATIENCE_SECONDS = 120.0, 90.0
"""How long an alert of before may go on; how long a row is waited for in vain."""
NOTHING = Account(asked=0)


class Watch:
    """One look a second at readiness and at the alerts; when each said something first. ``before``: older alerts."""

    def __init__(self, day: Day, before: set[str]) -> None:
        self._day, self._before = day, before
        self._begun = self._looked = time.monotonic()
        self.named: dict[str, float] = {}
        self.alerts: dict[str, float] = {}
        self.is_ready = False

    def look(self) -> None:
        """Look, unless that was a moment ago."""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        unready = self._day.unready()
        self._note(self.named, unready)
        self.is_ready = not unready
        self._note(self.alerts, self._day.alerts("firing") - self._before)
        self._looked = time.monotonic()

    def _note(self, seen: dict[str, float], names: "set[str] | dict[str, str]") -> None:
        for name in names:
            seen.setdefault(name, time.monotonic() - self._begun)


class Rows:
    """Goes through rows, one after the other, on a form that runs. ``held``: seconds that are said otherwise."""

    def __init__(self, day: Day, journal: Reading, held: float | None = None) -> None:
        self._day, self._journal, self._held = day, journal, held

    def measure(self, row: Row) -> Seen:
        """Break, look, give back, wait. Raises: ServiceError where it was not well before."""
        until, day = self._day.supervisor.until, self._day
        until(lambda: self._is_quiet(row), f"quiet before {row.name}", QUIET_SECONDS)
        begun = time.time()
        day.supervisor.rest(CALM_SECONDS)
        before, seconds = day.alerts("firing"), row.seconds if self._held is None else self._held
        with row.fault(day) as meanwhile:
            broken, watch = time.time(), Watch(day, before)
            until(
                lambda: self._is_enough(row, watch, broken, seconds, meanwhile), row.what, ALERT_SECONDS + seconds + 60
            )
        back = time.time()
        ended, well = "", None
        try:
            until(lambda: self._is_well(watch, begun, back), "all to be well", PATIENCE_SECONDS)
            well = time.time() - back
        except ServiceError as error:
            ended = f"{error} Readiness: {day.unready() or 'ok'}"
        found = self._account(self._window(begun, back))
        return Seen(
            row=row, held=back - broken, account=found, named=watch.named, alerts=watch.alerts, well=well, ended=ended
        )

    def _is_quiet(self, row: Row) -> bool:
        """Whether the alert that is waited for is not raised from before."""
        return not (row.alerts & self._day.alerts("firing", "pending")) and not self._day.unready()

    def _is_enough(
        self, row: Row, watch: Watch, broken: float, seconds: float, meanwhile: Callable[[], object] | None
    ) -> bool:
        """Whether it was broken for long enough: so long, and until an alert fired, or should have."""
        if meanwhile is not None:
            meanwhile()
        watch.look()
        held = time.time() - broken
        is_told = bool(row.exempt) or not row.alerts.isdisjoint(watch.alerts) or held > ALERT_SECONDS
        return held >= seconds and is_told

    def _is_well(self, watch: Watch, since: float, back: float) -> bool:
        """Whether it is ready, all of before is settled and booked, and so is a payment of after."""
        watch.look()
        self._journal.refresh()
        if not watch.is_ready or not self._is_one_booked(back):
            return False
        return self._account(self._window(since, back)).is_whole

    def _is_one_booked(self, back: float) -> bool:
        """Whether a payment that was asked for afterwards was booked as settled."""
        lines = of_window(self._journal, back, time.time())
        paid = {line["id"] for line in lines.of(PAID)}
        return any(line["about"] in paid for line in lines.of(TOLD) if line["type"] == "payment_intent.settled")

    def _window(self, since: float, until: float) -> Lines:
        self._journal.refresh()
        return of_window(self._journal, since, until)

    def _account(self, lines: Lines) -> Account:
        """Of these payments; all of them lost while the database cannot be asked."""
        try:
            return account(lines, kept(self._day.database_url, lines))
        except psycopg.Error as error:
            asked = sum(1 for _ in lines.of(ASKED))
            return Account(asked=asked, lost={f"unknown: {error}": asked})
