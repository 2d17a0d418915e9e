"""Faults of a receiver's test: taken for news, sent by others or inside, too often, or judged kindly."""

from tests.mutations.planting import Fault

_TESTS = "tests/webhooks/test_certificates.py::"
_BATTERY = "webhooks/battery.py"
_CERTIFYING = "webhooks/delivery/certifying.py"
_SERVICE = "webhooks/services/certificates.py"

FAULTS = (
    Fault(
        "a_test_looks_like_news",
        "No request of a battery has a type that a shop acts on.",
        _BATTERY,
        "type: str = PING",
        'type: str = "payment_intent.settled"',
        (_TESTS + "test_nothing_of_it_can_be_taken_for_news",),
    ),
    Fault(
        "a_test_says_that_it_is_live",
        "Every request of a battery is of the mode of tests.",
        _BATTERY,
        "Mode.TEST.value",
        "Mode.LIVE.value",
        (_TESTS + "test_nothing_of_it_can_be_taken_for_news",),
    ),
    Fault(
        "a_crash_is_a_refusal",
        "A 5xx is no refusal.",
        _BATTERY,
        "else (400, 499)",
        "else (400, 599)",
        (_TESTS + "test_each_fault_of_a_receiver_is_found",),
    ),
    Fault(
        "stale_requests_are_fresh",
        "A stale request was signed long before.",
        _BATTERY,
        "at=self._at - STALE",
        "at=self._at",
        (_TESTS + "test_the_requests_are_what_each_check_says",),
    ),
    Fault(
        "a_test_goes_on_for_ever",
        "A battery ends after its time.",
        _CERTIFYING,
        "or left <= 0:",
        "or left < -3600:",
        (_TESTS + "test_a_receiver_that_hangs_or_is_away_ends_it_in_time",),
    ),
    Fault(
        "a_battery_is_run_twice",
        "A battery that is under way is nobody else's until its lease ends.",
        _CERTIFYING,
        "row.due_at, row.tries = moment + LEASE, row.tries + 1",
        "row.due_at, row.tries = moment, row.tries + 1",
        (_TESTS + "test_a_battery_of_a_worker_that_died_is_taken_over_three_times",),
    ),
    Fault(
        "a_merchant_has_many_tested_at_once",
        "Of a merchant one receiver is tested at a time.",
        _CERTIFYING,
        "if chosen[row.merchant_id] is row][:AT_ONCE]",
        "if chosen][:AT_ONCE]",
        (_TESTS + "test_of_a_merchant_one_is_tested_at_a_time",),
    ),
    Fault(
        "receivers_that_hang_hold_every_worker",
        "One worker at a time tests receivers, however many hang.",
        _CERTIFYING,
        "if ReceiverCertificate.objects.filter(due_at__gt=moment, tries__gt=0).exists():",
        "if not rows:",
        (_TESTS + "test_receivers_that_hang_hold_one_worker_and_no_second",),
    ),
    Fault(
        "a_receiver_is_tested_without_rest",
        "From one battery of an endpoint to the next a minute passes.",
        _SERVICE,
        "made.requested_at > moment - REST",
        "made.requested_at > moment",
        (_TESTS + "test_one_at_a_time_and_a_minute_from_one_to_the_next",),
    ),
    Fault(
        "tests_are_sent_in_a_pause",
        "While sending is paused nothing is tested.",
        _CERTIFYING,
        "if is_paused(Paused.SENDING):",
        "if False:",
        (_TESTS + "test_while_sending_is_paused_none_is_tested",),
    ),
)
