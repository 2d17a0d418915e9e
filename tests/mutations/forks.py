"""A pytest plugin that runs chosen tests again and again, each time in a fork with another fault.

Why forks: the service, the tables and the tests are loaded once, and no fault outlives its child.
"""

import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.db import connection

from tests.machine import PATIENCE_SECONDS
from tests.mutations.planting import Fault, Functions, Stale, loaded_functions, plant

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Job:
    name: str
    items: Sequence[pytest.Item]
    fault: Fault | None = None


@dataclass(frozen=True, kw_only=True)
class Ended:
    red: list[str] = field(default_factory=list)
    words: str = ""
    trouble: str = ""
    seconds: float = 0.0


@dataclass(eq=False)
class Red:
    tests: list[str] = field(default_factory=list)
    words: str = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self.tests:
            self.tests.append(report.nodeid)
            self.words = report.longreprtext.rpartition("\nE  ")[2].partition("\n")[0].strip()


class Forks:
    def __init__(self, faults: Sequence[Fault], at_once: int, say: Say) -> None:
        self.faults, self.at_once, self.say = faults, at_once, say
        self.caught, self.is_over = 0, False
        self.functions: Functions = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run each fault with its tests, until one is red; then those that were red once more without any fault."""
        from pytest_django.plugin import blocking_manager_key  # noqa: PLC0415 - pytest wants to load its plugins itself

        self.unblocked = session.config.stash[blocking_manager_key].unblock
        self._prepare(session.items)
        named = _by_name(session.items)
        jobs = [Job(name=one.name, items=_chosen(one.tests, named), fault=one) for one in self.faults]
        caught = {job.name: ended.red[0] for job, ended in self._run(jobs) if self._is_caught(job, ended)}
        red = self._red_anyway([named[test][0] for test in sorted(set(caught.values()))])
        self.caught = sum(test not in red for test in caught.values())
        self.is_over = not red
        return True

    def _is_caught(self, job: Job, ended: Ended) -> bool:
        verdict = f"caught by {ended.red[0]}" if ended.red else f"NOT CAUGHT, {ended.trouble or 'nothing was red'}"
        self.say(f"{job.name}: {verdict} ({ended.seconds:.1f} s)")
        return bool(ended.red)

    def _red_anyway(self, items: Sequence[pytest.Item]) -> set[str]:
        """The tests that are red without a fault: they catch nothing. All of them where they did not end."""
        shares = [Job(name=f"no fault, part {n}", items=items[n :: self.at_once]) for n in range(self.at_once)]
        red: set[str] = set()
        for job, ended in self._run([job for job in shares if job.items]):
            red.update([item.nodeid for item in job.items] if ended.trouble else ended.red)
            told = " ".join([*ended.red, ended.words, ended.trouble]).strip() or f"{len(job.items)} tests are green"
            self.say(f"{job.name}: {told} ({ended.seconds:.1f} s)")
        return red

    def _prepare(self, items: Sequence[pytest.Item]) -> None:
        items[0].config.pluginmanager.unregister(name="terminalreporter")
        first = next(item for item in items if "db" in getattr(item, "fixturenames", ()))
        first.config.hook.pytest_runtest_protocol(item=first, nextitem=_far_from(first))
        for fault in self.faults:
            _ = fault.module
        self.functions = loaded_functions()

    def _run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Ended]]:
        waiting, running = list(jobs), dict[int, Job]()
        with TemporaryDirectory(prefix="mutations-") as folder:
            while waiting or running:
                while waiting and len(running) < self.at_once:
                    job = waiting.pop(0)
                    running[self._fork(job, Path(folder))] = job
                pid, status, used = os.wait4(-1, 0)
                if pid in running:
                    yield running.pop(pid), _read(Path(folder, str(pid)), status, used.ru_utime + used.ru_stime)
                    self._on_server(f'DROP DATABASE IF EXISTS "{_copy(pid)}" WITH (FORCE)')

    def _fork(self, job: Job, folder: Path) -> int:
        sys.stdout.flush()
        if connection.vendor == "postgresql":
            connection.close()
        pid = os.fork()
        if pid:
            return pid
        try:
            _silence()
            word = self._work(job)
        except BaseException as error:  # noqa: BLE001 - whatever it was, the parent says so
            word = {"trouble": f"{type(error).__name__}: {error}"}
        Path(folder, str(os.getpid())).write_text(json.dumps(word))
        os._exit(0)

    def _work(self, job: Job) -> dict[str, object]:
        name, copy = connection.settings_dict["NAME"], _copy(os.getpid())
        self._on_server(f'CREATE DATABASE "{copy}" TEMPLATE "{name}"')
        if connection.vendor == "postgresql":
            connection.settings_dict["NAME"] = copy
        if job.fault is not None:
            try:
                plant(job.fault, self.functions)
            except Stale as stale:
                return {"trouble": f"stale: {stale}"}
        red = Red()
        job.items[0].config.pluginmanager.register(red)
        for item, following in zip(job.items, [*job.items[1:], None], strict=True):
            signal.alarm(5 * PATIENCE_SECONDS)  # a wait inside the test ends first, and says for what
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following or _far_from(item))
            if red.tests and job.fault is not None:
                break
        return {"red": red.tests, "words": red.words}

    def _on_server(self, statement: str) -> None:
        if connection.vendor == "postgresql":
            with self.unblocked(), connection._nodb_cursor() as cursor:
                cursor.execute(statement)


def _by_name(items: Sequence[pytest.Item]) -> dict[str, list[pytest.Item]]:
    found = defaultdict(list)
    for item in items:
        function = item.nodeid.partition("[")[0]
        for name in {item.nodeid, function, function.partition("::")[0]}:
            found[name].append(item)
    return found


def _chosen(tests: Iterable[str], items: dict[str, list[pytest.Item]]) -> list[pytest.Item]:
    return [item for test in tests for item in items[test]]


def _far_from(item: pytest.Item) -> pytest.Item:
    """A test that shares nothing with this one but the session, so that all else is taken down."""
    return next(one for one in item.session.items if one.path.parent != item.path.parent)


def _read(path: Path, status: int, seconds: float) -> Ended:
    if not path.exists():
        return Ended(trouble=f"ended by signal {os.waitstatus_to_exitcode(status)}", seconds=seconds)
    return Ended(**json.loads(path.read_text()), seconds=seconds)


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)


def _copy(pid: int) -> str:
    return f"{connection.settings_dict['NAME']}_{pid}"
