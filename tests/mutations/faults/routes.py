"""Faults of the scoreboard of routes, and of what is learned from it."""

from tests.mutations.planting import Fault

TESTS = "tests/payments/test_scoreboard.py"
FAULTS = (
    Fault(
        "one_merchants_sales_are_shown",
        "No line of the public scoreboard speaks of few merchants.",
        "payments/scoreboard/board.py",
        ", most__gte=settings.SCOREBOARD_LEAST_MERCHANTS",
        "",
        (f"{TESTS}::test_nobodys_sales_are_shown",),
    ),
    Fault(
        "a_few_payments_are_shown",
        "No line of the public scoreboard speaks of few payments.",
        "payments/scoreboard/board.py",
        "payments__gte=settings.SCOREBOARD_LEAST_PAYMENTS, ",
        "",
        (f"{TESTS}::test_nobodys_sales_are_shown",),
    ),
    Fault(
        "what_is_worse_is_adopted",
        "What a replay did not find better is not adopted.",
        "payments/scoreboard/replay.py",
        "if not found.is_better:",
        "if not found:",
        (f"{TESTS}::test_what_is_no_better_is_not_adopted",),
    ),
    Fault(
        "what_was_not_adopted_counts",
        "The score counts with what was adopted alone.",
        "payments/routing/risks.py",
        "adopted_at__isnull=False, ended_at=None",
        "ended_at=None",
        (f"{TESTS}::test_what_was_learned_counts_only_after_a_replay_found_it_better",),
    ),
    Fault(
        "test_payments_judge_live_routes",
        "Test mode's payments say nothing of live routes.",
        "payments/routing/risks.py",
        "filter(mode=mode, adopted_at",
        "filter(adopted_at",
        (f"{TESTS}::test_the_score_counts_with_what_was_adopted_until_it_is_ended",),
    ),
)
