"""What an x402 client signed: taken for one payment, once, by its own key, and sent only while both last."""

from tests.mutations.planting import Fault

TAKEN, SENT = "payments/services/authorized.py", "payments/services/authorization_sending.py"
TESTS, LIVE = "tests/checkout/test_x402.py", "tests/live/test_x402.py"

FAULTS = (
    Fault(
        "x402_anybody_signs",
        "An authorization is taken only with the signature of the wallet that pays.",
        TAKEN,
        "    if signer != given.holder:\n",
        "    if not signer:\n",
        (f"{TESTS}::test_only_the_key_of_who_pays_signs",),
    ),
    Fault(
        "x402_another_recipient",
        "What was signed goes to the merchant's address of this payment, and nowhere else.",
        TAKEN,
        '        ("payTo", asked.recipient, given.recipient),\n',
        "",
        (f"{TESTS}::test_what_was_signed_for_something_else_is_not_taken",),
    ),
    Fault(
        "x402_another_amount",
        "What was signed is exactly what is missing.",
        TAKEN,
        '        ("amount", asked.base_units, given.base_units),\n',
        "",
        (f"{TESTS}::test_what_was_signed_for_something_else_is_not_taken",),
    ),
    Fault(
        "x402_pays_two",
        "What was signed for one payment pays no other.",
        TAKEN,
        "    if known.attempt.intent_id != intent.pk or terms != (\n",
        "    if terms != (\n",
        (f"{TESTS}::test_what_was_signed_for_one_payment_pays_no_other",),
    ),
    Fault(
        "x402_taken_after_its_end",
        "An authorization that is over, or over in a moment, is not taken.",
        TAKEN,
        "    if given.valid_after > moment or given.valid_before < moment + LEAST_LEFT.total_seconds():\n",
        "    if given.valid_after > moment:\n",
        (f"{TESTS}::test_an_authorization_is_good_now_and_long_enough_or_not_taken",),
    ),
    Fault(
        "x402_sent_after_its_end",
        "An authorization that lapsed before a worker came is not sent.",
        SENT,
        "    elif given.valid_before <= now().timestamp():\n",
        "    elif False:\n",
        (f"{TESTS}::test_an_authorization_that_lapsed_before_a_worker_came_is_not_sent",),
    ),
    Fault(
        "x402_sent_for_what_expired",
        "For a payment whose time is over nothing is sent.",
        SENT,
        "    if intent.expires_due_at <= now():\n",
        "    if False:\n",
        (f"{TESTS}::test_what_ends_before_it_was_sent_is_not_sent",),
    ),
    Fault(
        "x402_test_money_is_real",
        "What is signed in test mode is signed for no token.",
        TAKEN,
        "    return PLAY_DOMAIN_NAME if intent.mode == Mode.TEST else DOMAIN_NAME\n",
        "    return DOMAIN_NAME\n",
        (f"{TESTS}::test_a_program_is_asked_for_exactly_this_payment",),
    ),
    Fault(
        "x402_sent_untried",
        "What the token would not take is not sent.",
        SENT,
        "    reason = NO_ACCOUNT if account is None else why_not(account, _authorization(given), given.signature)\n",
        '    reason = NO_ACCOUNT if account is None else ""\n',
        (f"{LIVE}::test_what_the_token_would_not_take_is_not_sent",),
    ),
    Fault(
        "x402_gas_without_end",
        "Gas is paid for three calls of a payment, and no more.",
        SENT,
        "    is_over = calls.filter(intent_id=intent.pk).count() >= MOST_OF_AN_INTENT\n",
        "    is_over = False\n",
        (f"{LIVE}::test_gas_is_spent_three_times_for_a_payment_and_no_more",),
    ),
    Fault(
        "x402_one_merchant_has_all_the_gas",
        "Merchants take turns at an account for gas, however many calls one has.",
        "chains/authorized_calls.py",
        "    if own is None:\n        return True\n",
        "    if True:\n        return True\n",
        ("tests/chains/test_gas_turns.py::test_who_had_the_account_longest_ago_goes_first",),
    ),
    Fault(
        "x402_gas_key_signs_anything",
        "The key of gas signs the stored call and nothing else.",
        "chains/signers/gas.py",
        "(wanted.to.lower(), wanted.value, wanted.data) != (stored.token_address.lower(), 0, _expected(stored))",
        "wanted.to.lower() != stored.token_address.lower()",
        (f"{LIVE}::test_the_key_of_gas_signs_the_stored_call_and_nothing_else",),
    ),
)
