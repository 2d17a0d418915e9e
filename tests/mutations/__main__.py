"""Plants every fault of the list, one at a time, and expects the tests named beside it to turn red.

Usage: python -m tests.mutations [NAME ...]
Without names: all of them, and DATABASE_URL must be set, since some faults show only where rows are locked.
Ends with 1 when a fault got through, is stale, or its tests are red without it.
"""

import os
import sys
from collections.abc import Sequence

import pytest

from tests.machine import stopwatch
from tests.mutations.faults import FAULTS
from tests.mutations.forks import Forks
from tests.mutations.planting import ROOT, Fault

SERVICES = ("DATABASE_URL", "REDIS_URL")
QUIET = (
    "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:unraisableexception", "-s", "-q", "--no-header",
    "--no-summary",
)  # fmt: skip
ALONG = ("tests/core/test_lookups.py", "tests/mutations/test_list.py")
"""Collected too, whatever is chosen: a test that has the tables made, and one in another folder than any other."""


def main(names: Sequence[str]) -> int:
    unknown = set(names) - {fault.name for fault in FAULTS}
    if unknown:
        print(f"no such fault: {', '.join(sorted(unknown))}")
        return 2
    watch = stopwatch()
    chosen = [fault for fault in FAULTS if not names or fault.name in names]
    plain = [fault for fault in chosen if not fault.needs_postgres]
    locking = [fault for fault in chosen if fault.needs_postgres]
    has_postgres = "DATABASE_URL" in os.environ
    if locking and not has_postgres:
        print(f"not run without DATABASE_URL: {', '.join(fault.name for fault in locking)}")
    is_clean = _in_own_process(plain, without=SERVICES)
    is_clean = (_in_own_process(locking) if has_postgres else not locking) and is_clean
    print(f"{'every one of' if is_clean else 'NOT every one of'} {len(chosen)} faults was caught ({watch():.0f} s)")
    return 0 if is_clean else 1


def _in_own_process(faults: Sequence[Fault], without: Sequence[str] = ()) -> bool:
    """Whether all were caught. Why a process: settings are read once, and each database has its own."""
    if not faults:
        return True
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        for name in without:
            os.environ.pop(name, None)
        os.environ.setdefault("RACE_ROUNDS", "2")
        os._exit(0 if _all_caught(faults) else 1)
    return os.waitpid(pid, 0)[1] == 0


def _all_caught(faults: Sequence[Fault]) -> bool:
    at_once = 1 if faults[0].needs_postgres else os.cpu_count() or 1  # races take most of a server's connections
    forks = Forks(faults, at_once, lambda words: print(words, flush=True))
    tests = sorted({test for fault in faults for test in fault.tests} | set(ALONG))
    pytest.main([*QUIET, "--rootdir", str(ROOT), *tests], plugins=[forks])
    print(f"{forks.caught} of {len(faults)} caught", flush=True)
    return forks.is_over and forks.caught == len(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
