"""Faults of the queue: what is taken first, what keeps its turn, and what would never come to an end."""

from tests.mutations.planting import Fault

FAULTS = (
    Fault(
        "what_was_claimed_loses_its_turn",
        "What a worker claimed and did not begin is due before all others.",
        "core/leases.py",
        "due.values_list(column, flat=True).first() or now()",
        "now()",
        ("tests/core/test_leases.py::test_what_is_given_back_is_due_before_all_others",),
    ),
    Fault(
        "what_was_claimed_loses_its_place",
        "A payment that a worker claimed and did not begin keeps its turn.",
        "core/leases.py",
        "rows.filter(pk__in=batch).update(**{column: until})",
        "rows.filter(pk__in=batch).update(**dict.fromkeys({column, order}, until))",
        ("tests/payments/test_claims.py::test_what_was_claimed_and_not_begun_keeps_its_turn",),
    ),
    Fault(
        "a_place_for_ever",
        "A payment that is looked at often is listed anew each minute, before others wait behind it.",
        "payments/models/queue.py",
        "timedelta(seconds=60)",
        "timedelta(days=60)",
        ("tests/payments/test_queue.py::test_claims_and_looks_that_come_soon_keep_its_place_for_a_minute",),
    ),
    Fault(
        "news_delays",
        "News of a payment makes it due sooner, and never later.",
        "payments/services/queue.py",
        "rows.filter(due_at__gt=due_at).update(",
        "rows.update(",
        ("tests/payments/test_queue.py::test_news_wakes_whoever_sleeps_and_delays_nobody",),
    ),
    Fault(
        "what_is_new_never_ends",
        "A payment that nobody began ends when its time is over.",
        "payments/services/expire.py",
        "Q(queued=None) | Q(queued__due_at__lte=now())",
        "Q(queued__due_at__lte=now())",
        ("tests/payments/test_expire_many.py::test_what_nobody_began_to_pay_ends_at_once_as_it_would_alone",),
    ),
    Fault(
        "what_fails_together_never_ends",
        "Where many cannot end at once, each ends by itself.",
        "payments/services/expire.py",
        '"could not end many intents at once")\n        _queue_untouched()\n',
        '"could not end many intents at once")\n',
        ("tests/payments/test_expire_many.py::test_where_many_at_once_fail_each_ends_by_itself",),
    ),
    Fault(
        "guarded_ones_come_last",
        "A worker with too much to do looks at some of what is over, too.",
        "payments/services/advance.py",
        "first.insert(number * (BEFORE_EACH + 1) - 1, key)",
        "first.append(key)",
        ("tests/payments/test_claims.py::test_what_is_over_has_its_share_of_a_sweep_that_is_cut_short_too",),
    ),
    Fault(
        "guarded_ones_come_first",
        "A new payment does not wait behind all that become final together.",
        "payments/services/advance.py",
        "take_due(waited_for, most=BATCH",
        "take_due(QueuedIntent.objects.all(), most=BATCH",
        ("tests/payments/test_claims.py::test_a_new_payment_does_not_wait_behind_all_that_become_final_together",),
    ),
    Fault(
        "guarded_ones_starve",
        "What is over has its share, however much is not.",
        "payments/services/advance.py",
        "guarded = take_due(",
        "guarded = [] if first else take_due(",
        ("tests/payments/test_claims.py::test_what_is_over_has_its_share_however_much_is_not",),
    ),
)
