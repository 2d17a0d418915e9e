"""Runs the checks and the test sets, and ends in one summary.

Usage: python -m scripts.suite check|fast
       python -m scripts.suite test|all|added [PART ...]
       python -m scripts.suite flakes [RUNS]
``test`` is the everyday tier, ``all`` the whole one, ``added`` what the whole one has beyond the everyday one.
``flakes`` runs the everyday tier often, in random order, on a busy machine.
Every step runs, even after a failure. A set without tests and a skipped test are failures.
Must not know how services are started: it reads DATABASE_URL and REDIS_URL like the service does.
"""

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.suite import parts
from scripts.suite.flakes import flakes, runs_of
from scripts.suite.steps import Outcome, Step, run_aloud, run_quietly, summarise

TIERS = {"test": parts.everyday, "all": parts.whole, "added": parts.added}


def main(words: Sequence[str]) -> int:
    """Run what the command line names and return the exit code."""
    name, chosen = (words[0], words[1:]) if words else ("", ())
    if name == "flakes":
        with tempfile.TemporaryDirectory(prefix="causeway-flakes-") as reports:
            return flakes(runs_of(chosen), Path(reports))
    of_name = TIERS[name]() if name in TIERS else {}
    if name not in ("check", "fast", *TIERS) or not set(chosen) <= set(of_name):
        print(__doc__, *(f"{tier}: {', '.join(parts_of())}" for tier, parts_of in TIERS.items()), sep="\n")
        return 2
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="causeway-suite-") as reports:
        folder = Path(reports)
        if name in TIERS:
            wanted = {part: steps_of(folder) for part, steps_of in of_name.items() if not chosen or part in chosen}
            outcomes = side_by_side(wanted)
        else:
            outcomes = check(folder) if name == "check" else fast(folder)
    return summarise(outcomes, time.monotonic() - started)


def check(folder: Path) -> list[Outcome]:
    """Run what needs no service: format, lint, types, contracts, migrations, architecture."""
    return run_quietly((*parts.style_steps(), *parts.structure_steps(), parts.architecture_step(folder)))


def fast(folder: Path) -> list[Outcome]:
    """Run style, import contracts and, of the apps' own tests, what tells most in least time."""
    quick = (
        parts.quick_step("quick: upper floors", ("payments", "checkout", "merchants"), folder),
        parts.quick_step("quick: lower floors", ("core", "chains", "webhooks"), folder),
    )
    return run_quietly((*quick, *parts.style_steps()))


def side_by_side(wanted: Mapping[str, Sequence[Step]]) -> list[Outcome]:
    """Run the parts that compute on the screen, one after the other, and quietly beside them those that mostly wait.

    Why: what drives nodes, services and Chromium alone leaves half of the processors idle.
    """
    lanes = [[steps for part, steps in wanted.items() if part in lane] for lane in parts.BESIDE]
    waiting, beside = [lane for lane in lanes if lane], {part for lane in parts.BESIDE for part in lane}
    computing = [steps for part, steps in wanted.items() if part not in beside]
    if len(waiting) + bool(computing) < 2:  # noqa: PLR2004 - one alone is shown as it runs
        return [outcome for steps in wanted.values() for outcome in run_part(steps)]
    with ThreadPoolExecutor(len(waiting)) as pool:
        quietly = [pool.submit(run_lane, lane) for lane in waiting]
        aloud = [outcome for steps in computing for outcome in run_part(steps)]
        return [*aloud, *(outcome for lane in quietly for outcome in lane.result())]


def run_lane(lane: Sequence[Sequence[Step]]) -> list[Outcome]:
    """Run parts one after the other, and show what failed."""
    return [outcome for steps in lane for outcome in run_quietly(steps)]


def run_part(steps: Sequence[Step]) -> list[Outcome]:
    """Run a single step on the screen, and many small ones beside each other."""
    return run_quietly(steps) if len(steps) > 1 else [run_aloud(step) for step in steps]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Interrupted: not everything ran.")
