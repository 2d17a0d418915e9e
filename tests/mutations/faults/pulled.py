"""Faults of deliveries that are fetched: seen by workers or by others, given out twice, lost by who dies."""

from tests.mutations.planting import Fault

_TESTS = "tests/webhooks/test_pulled.py::"
_RACES = "tests/webhooks/test_pulled_races.py::"
_PULLING = "webhooks/delivery/pulling.py"

FAULTS = (
    Fault(
        "workers_post_what_is_fetched",
        "What is to be fetched is due for no worker.",
        "webhooks/outcomes.py",
        'return {"next_attempt_at": POSTED_NEVER, "pull_at": at} if is_pulled',
        'return {"next_attempt_at": at, "pull_at": at} if is_pulled',
        (_TESTS + "test_workers_and_readiness_leave_it_alone",),
    ),
    Fault(
        "a_delivery_is_given_to_two",
        "What was given out is nobody else's until its lease ends.",
        _PULLING,
        "return Delivery.objects.filter(not_in_flight(moment), endpoint=endpoint",
        "return Delivery.objects.filter(endpoint=endpoint",
        (_TESTS + "test_what_is_fetched_is_signed_and_what_is_answered_is_delivered",),
    ),
    Fault(
        "who_dies_uses_up_attempts",
        "A lease that ended without an answer costs none of the eight attempts.",
        _PULLING,
        "default=Value(1))",
        "default=Value(0))",
        (_TESTS + "test_what_nobody_answered_is_given_out_again_and_costs_none_of_the_eight",),
    ),
    Fault(
        "an_answer_counts_twice",
        "The same answer again changes nothing.",
        _PULLING,
        "number=attempt).exists():",
        "number=attempt, response_status=999).exists():",
        (_TESTS + "test_an_answer_that_comes_twice_counts_once_and_a_late_one_does_not_decide",),
    ),
    Fault(
        "others_answer",
        "Only deliveries of the endpoint are answered at it.",
        _PULLING,
        "Delivery.objects.visible_to(principal).filter(endpoint=endpoint)",
        "Delivery.objects.all()",
        (_TESTS + "test_nobody_else_fetches_or_answers",),
    ),
    Fault(
        "what_nobody_fetches_stays_for_ever",
        "What waits to be fetched goes with its event.",
        "webhooks/services/upkeep.py",
        "outcome=Outcome.DUE, pull_at=None)\n    ended",
        "outcome=Outcome.DUE)\n    ended",
        (_TESTS + "test_what_nobody_fetches_goes_with_its_event",),
    ),
    Fault(
        "a_paused_service_gives_out",
        "Nothing is given out while sending is paused.",
        _PULLING,
        " or is_paused(Paused.SENDING)",
        "",
        (_TESTS + "test_a_pause_of_sending_holds_it_too",),
    ),
    Fault(
        "answers_at_once_count_both",
        "Of answers that come at once one counts.",
        _PULLING,
        "            delivery = locked(Delivery.objects.visible_to(principal).filter(endpoint=endpoint), pk=key)",
        "            delivery = Delivery.objects.visible_to(principal).filter(endpoint=endpoint).get(pk=key)",
        (_RACES + "test_answers_that_come_at_once_count_once",),
        needs_postgres=True,
    ),
)
