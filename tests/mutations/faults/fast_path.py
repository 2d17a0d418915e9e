"""The short way of ordinary requests: what is remembered decides nothing."""

from tests.mutations.planting import Fault

CALLER, TRUST = "payments/fast_path/caller.py", "tests/payments/test_fast_path_trust.py"
BOTH = "tests/payments/test_fast_path.py::test_both_ways_are_one"

FAULTS = (
    Fault(
        "a_revoked_key_is_remembered",
        "A revoked key is refused from its next request on.",
        CALLER,
        "    AND (caller.revoked_at IS NULL OR caller.revoked_at > %(now)s::timestamptz)\n",
        "",
        (f"{TRUST}::test_a_key_that_is_over_is_refused_at_its_next_request",),
        needs_postgres=True,
    ),
    Fault(
        "a_key_that_ended_is_remembered",
        "A key whose time is over is refused from its next request on.",
        CALLER,
        "    AND (caller.expires_at IS NULL OR caller.expires_at > %(now)s::timestamptz)\n",
        "",
        (f"{TRUST}::test_a_key_that_is_over_is_refused_at_its_next_request",),
        needs_postgres=True,
    ),
    Fault(
        "a_narrowed_key_is_remembered",
        "A key asks from the networks that it was given, and from no other.",
        CALLER,
        " AND caller.allowed_addresses = '[]'",
        "",
        (f"{TRUST}::test_a_key_that_was_narrowed_to_networks_is_refused_elsewhere",),
        needs_postgres=True,
    ),
    Fault(
        "a_profile_is_remembered",
        "A payment settles where the merchant says now.",
        "payments/fast_path/creation.py",
        '"profiles": self.profiles,',
        '"profiles": None,',
        (f"{TRUST}::test_a_changed_profile_holds_for_the_next_payment",),
        needs_postgres=True,
    ),
    Fault(
        "another_wish_is_answered_again",
        "A key that stands for another wish is refused.",
        "payments/fast_path/creation.py",
        " or earlier_fingerprint != wanted",
        "",
        (f"{TRUST}::test_another_wish_under_the_same_key_is_refused",),
        needs_postgres=True,
    ),
    Fault(
        "found_in_the_other_mode",
        "Rows of the other mode do not exist for a caller.",
        "payments/fast_path/retrieval.py",
        " AND intent.mode = caller.mode",
        "",
        ("tests/payments/test_payment_intent_ids.py::test_what_others_own_looks_unknown",),
        needs_postgres=True,
    ),
    Fault(
        "found_of_another_merchant",
        "Rows of other merchants do not exist for a caller.",
        "payments/fast_path/retrieval.py",
        " AND intent.merchant_id = caller.merchant_id",
        "",
        ("tests/payments/test_payment_intent_ids.py::test_what_others_own_looks_unknown",),
        needs_postgres=True,
    ),
    Fault(
        "counted_on_both_ways",
        "A request is counted once, whichever way it goes.",
        "merchants/throttling.py",
        "verdict if counted == wanted else count_each(wanted)",
        "count_each(wanted)",
        (BOTH,),
        needs_postgres=True,
    ),
    Fault(
        "a_connection_at_work_is_asked_again",
        "A connection whose answer never came is given up with it.",
        "core/loop_connections.py",
        "            is_kept = False\n",
        "",
        ("tests/core/test_loop_connections.py::test_an_answer_that_does_not_come_is_given_up_with_its_connection",),
        needs_postgres=True,
    ),
    Fault(
        "a_long_body_is_read_in_the_loop",
        "What takes long to read holds up nobody else.",
        "payments/fast_path/creation.py",
        " and len(raw) <= MOST_BYTES",
        "",
        (f"{TRUST}::test_a_body_that_takes_long_to_read_is_left_to_a_thread",),
        needs_postgres=True,
    ),
)
