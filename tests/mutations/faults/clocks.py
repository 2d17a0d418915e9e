"""Faults of holding clocks against the database's: both ways, whoever's it is, and not by how long an answer takes."""

from tests.mutations.planting import Fault

_CLOCKS, _TESTS = "operations/clocks.py", "tests/operations/test_clocks.py::"

FAULTS = (
    Fault(
        "a_clock_that_is_behind_is_not_named",
        "A clock that is behind the database's is named as well as one that is ahead.",
        _CLOCKS,
        "if abs(ahead) > MAY_BE_APART:",
        "if ahead > MAY_BE_APART:",
        (_TESTS + "test_the_clock_of_who_answers_is_held_against_the_databases",),
        needs_postgres=True,
    ),
    Fault(
        "a_sign_of_life_from_the_future_is_young",
        "A worker whose clock is ahead is named.",
        _CLOCKS,
        "filter(at__gt=moment + MAY_BE_APART)",
        "filter(at__lt=moment - MAY_BE_APART)",
        (_TESTS + "test_a_sign_of_life_from_the_future_names_who_gave_it",),
    ),
    Fault(
        "a_claim_far_ahead_is_a_plan",
        "A payment that a clock ahead has claimed is named after that clock was put right.",
        "payments/selectors.py",
        "filter(listed_at__lte=moment, due_at__gt=longest)",
        "filter(listed_at__gt=longest, due_at__gt=longest)",
        (_TESTS + "test_a_payment_that_a_clock_ahead_claimed_is_named",),
    ),
)
