"""Faults of reading from a standby: what is too old, what is written there, and what nobody answers."""

from tests.mutations.planting import Fault

TESTS = "tests/core/test_standby.py"
FAULTS = (
    Fault(
        "a_standby_that_is_behind",
        "A standby that is more than a second behind is not asked.",
        "core/standby.py",
        "return bool(cursor.fetchone()[0])",
        "return cursor.fetchone() is not None",
        (f"{TESTS}::test_one_that_is_behind_is_not_asked",),
        needs_postgres=True,
    ),
    Fault(
        "who_wrote_reads_what_was_before",
        "Whoever changed something reads where it was written.",
        "core/standby.py",
        "request.method not in SAFE_METHODS or wrote or not standby",
        "request.method not in SAFE_METHODS or not standby",
        (f"{TESTS}::test_whoever_changed_something_reads_where_it_was_written",),
        needs_postgres=True,
    ),
    Fault(
        "a_lost_standby_is_asked_again",
        "A standby that failed is left alone for a while.",
        "core/standby.py",
        "LOST_SECONDS if is_current is None else LOOK_STANDS_SECONDS",
        "LOOK_STANDS_SECONDS",
        (f"{TESTS}::test_where_it_is_lost_the_page_comes_from_the_primary",),
        needs_postgres=True,
    ),
    Fault(
        "an_old_look_is_believed",
        "While somebody looks at a standby that hangs, the look before is believed for a second.",
        "core/standby.py",
        "self._is_current and ticks() < self._stands_until + LOOK_STANDS_SECONDS",
        "self._is_current",
        (f"{TESTS}::test_while_somebody_looks_others_do_not_wait",),
        needs_postgres=True,
    ),
    Fault(
        "the_rest_of_a_file_from_elsewhere",
        "Between two lines of a file nothing is led to the standby.",
        "core/standby.py",
        "yield from first\n",
        "with reading_from(REPLICA):\n        yield from first\n",
        (f"{TESTS}::test_whoever_takes_the_lines_of_a_file_reads_elsewhere",),
        needs_postgres=True,
    ),
    Fault(
        "written_where_it_is_read",
        "What a view writes goes to the primary, wherever it reads.",
        "core/replica.py",
        "return DEFAULT_DB_ALIAS",
        "return _chosen.get()",
        (f"{TESTS}::test_nothing_is_written_or_locked_there",),
        needs_postgres=True,
    ),
    Fault(
        "a_standby_may_be_written",
        "A connection to a standby refuses every write, whatever server answers.",
        "config/environment.py",
        "default_transaction_read_only=on",
        "default_transaction_read_only=off",
        (f"{TESTS}::test_a_primary_that_is_named_for_a_standby_is_not_written_either",),
        needs_postgres=True,
    ),
    Fault(
        "a_silent_standby_is_waited_for",
        "Nobody waits for a standby without an end.",
        "core/postgresql/standby/base.py",
        "if opened.pgconn.transaction_status == TransactionStatus.ACTIVE:",
        "if False:",
        (f"{TESTS}::test_one_that_does_not_answer_is_given_up",),
        needs_postgres=True,
    ),
)
