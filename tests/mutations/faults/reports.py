"""What is reported of a payment's transaction: who waits for it, what ends it, how much of it there may be."""

from tests.mutations.planting import Fault

REPORTS, WATCH = "payments/services/reports.py", "payments/services/watch.py"
ROWS, LIVE = "tests/payments/test_reported_hashes.py", "tests/live/test_reported_hashes.py"

FAULTS = (
    Fault(
        "only_the_first_hint_is_looked_for",
        "A wrong hash has no right one wait: all are looked for until one is the payment's own.",
        WATCH,
        "    for hint in hints:\n",
        "    for hint in hints[:1]:\n",
        (f"{ROWS}::test_a_wrong_hash_does_not_delay_the_right_one",),
    ),
    Fault(
        "reports_of_meanwhile_forgotten",
        "Where a hint ends, its transaction is looked for under what was reported meanwhile.",
        REPORTS,
        '    following: Hint | None = leg.hints.filter(verdict="").order_by("-reported_at", "-pk").first()\n',
        "    following: Hint | None = None\n",
        (f"{ROWS}::test_a_foreign_hash_ends_at_once_and_the_next_is_taken_up",),
    ),
    Fault(
        "a_repeat_counts",
        "The same hash again is free.",
        "checkout/views/payer.py",
        "            if is_news(intent, place, tx_hash, claim):\n",
        "            if True:\n",
        (f"{ROWS}::test_the_same_hash_again_changes_nothing_and_is_free",),
    ),
    Fault(
        "reports_without_end",
        "One caller reports so many hashes a minute, and no more.",
        "checkout/views/payer.py",
        "                count_report(request, place)\n",
        "                pass\n",
        (f"{ROWS}::test_one_caller_reports_five_a_minute",),
    ),
    Fault(
        "hints_without_end",
        "A transaction has so many hints, and no more.",
        REPORTS,
        "        _make_room(leg)\n",
        "",
        (f"{ROWS}::test_a_leg_has_twenty_hints_and_one_more_takes_the_place_of_one_that_ended",),
    ),
    Fault(
        "a_claim_by_anybody_stays",
        "A claim that the payment's own wallet signed is never replaced.",
        REPORTS,
        "    return claim if claim and not is_own else known.claim\n",
        "    return claim or known.claim\n",
        (f"{LIVE}::test_somebody_elses_claim_does_not_take_the_place_of_the_payers",),
    ),
    Fault(
        "one_node_withdraws",
        "One node that shows nothing withdraws nothing that waits to count.",
        "chains/clients/second_node.py",
        "(not is_known or ",
        "(True or ",
        ("tests/live/test_second_node.py::test_one_node_that_shows_nothing_withdraws_nothing_that_waits",),
    ),
    Fault(
        "what_was_settled_ends",
        "What was settled and is gone waits for its return, however long.",
        "payments/services/follow.py",
        " or leg.intent.settled_less_usd is not None:\n",
        ":\n",
        ("tests/live/test_unlucky_payments.py::test_what_was_settled_and_is_gone_waits_for_its_return",),
    ),
)
