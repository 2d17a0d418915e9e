"""The books: what is not booked, what is booked of one side, what old programs leave."""

from tests.mutations.planting import Fault

TESTS, OPENING = "tests/ledger/test_books.py", "tests/ledger/test_opening.py"
FAULTS = (
    Fault(
        "half_an_entry",
        "What an entry debits it credits.",
        "ledger/services.py",
        "        if amount != Amount():\n",
        "        if amount.base_units > 0:\n",
        (f"{TESTS}::test_a_payment_is_booked_when_it_counts_and_not_when_it_is_asked_for",),
    ),
    Fault(
        "lopsided_entries_are_written",
        "Nothing that does not add up is booked.",
        "ledger/services.py",
        "    if sum_of(lines) != Amount():\n",
        "    if sum_of(lines).base_units:\n",
        (f"{TESTS}::test_nothing_that_does_not_add_up_is_booked",),
    ),
    Fault(
        "a_reorganised_payment_stays_booked",
        "What a reorganisation takes away is reversed in the books.",
        "payments/services/booking.py",
        "    if credit.reversed_at is not None or intent_id is None",
        "    if intent_id is None",
        (f"{TESTS}::test_a_reorganised_payment_is_reversed_and_booked_anew",),
    ),
    Fault(
        "what_is_held_is_free",
        "What a refund holds is reserved in the books.",
        "refunds/services/booking.py",
        "    if refund.status in RELEASED:\n",
        "    if refund.status != R.PAID:\n",
        (f"{TESTS}::test_a_refund_is_reserved_then_gone_and_a_cancelled_one_is_reversed",),
    ),
    Fault(
        "old_programs_are_not_waited_for",
        "Rows that programs of the release before write are booked too.",
        "operations/opening.py",
        "PASSES = 2\n",
        "PASSES = 1\n",
        (f"{OPENING}::test_rows_of_before_are_booked_and_those_that_old_programs_write_meanwhile",),
    ),
)
