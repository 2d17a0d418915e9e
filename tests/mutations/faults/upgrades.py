"""Faults of a new version that goes out: what it leaves behind refuses payments, or keeps them waiting."""

from tests.mutations.planting import Fault

FAULTS = (
    Fault(
        "the_proof_of_an_interrupted_move_is_left_behind",
        "A move that does not come to its end takes back the proof that refuses what is younger.",
        "core/migrating.py",
        "            in_short_tries(connection, undo, tries=2 * VACUUM_EVERY)\n",
        "            pass\n",
        (
            "tests/webhooks/test_event_weeks.py::test_a_move_that_was_interrupted_refuses_nothing_later",
            "tests/merchants/test_request_days.py::test_a_move_that_was_interrupted_refuses_nothing_later",
        ),
        needs_postgres=True,
    ),
    Fault(
        "migrate_gives_up_at_the_first_reader",
        "What does not get its table is tried again.",
        "core/migrating.py",
        'if getattr(error.__cause__, "sqlstate", None) not in _IN_USE:',
        "if error:",
        (
            "tests/config/test_migrating.py::test_it_waits_for_a_reader_in_short_tries_and_nobody_stands_behind_it",
            "tests/merchants/test_request_days.py::test_who_reads_the_log_holds_up_the_move_and_nobody_else",
        ),
        needs_postgres=True,
    ),
)
