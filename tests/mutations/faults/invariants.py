"""What checks of the books pass over: who commits late, what was found before, what they had no time for."""

from tests.mutations.planting import Fault

SCHEDULE, TESTS = "operations/invariants/schedule.py", "tests/operations/test_watermark.py"

FAULTS = (
    Fault(
        "late_commits_are_passed_over",
        "The watermark passes no transaction that is still open.",
        "operations/invariants/watermark.py",
        "    return None\n",
        "    return moment\n",
        (f"{TESTS}::test_what_is_committed_late_is_not_passed_over",),
        needs_postgres=True,
    ),
    Fault(
        "found_once_and_forgotten",
        "What is wrong stays named until it is repaired, though it changes no more.",
        SCHEDULE,
        "    before = (last.suspects if last else None) or []\n",
        "    before: list[dict[str, list[str]]] = []\n",
        (f"{TESTS}::test_what_changed_is_found_within_the_hour_and_named_until_it_is_repaired",),
    ),
    Fault(
        "a_check_that_stopped_moves_on",
        "A check that did not read everything moves no watermark.",
        SCHEDULE,
        "since if found.is_cut or found.is_late else covered",
        "covered",
        (f"{TESTS}::test_where_more_is_wrong_than_is_written_down_the_watermark_stays",),
    ),
)
