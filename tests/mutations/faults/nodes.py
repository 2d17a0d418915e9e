"""Chains: what nodes and providers of routes are believed."""

from tests.mutations.planting import Fault

AGREEMENT, AGREED = "chains/clients/agreement.py", "tests/chains/test_agreement.py"
ERRORS = "tests/chains/test_error_answers.py"
LAG, RECONCILED = "tests/chains/test_reader_lag.py", "tests/live/test_reconcile.py"

FAULTS = (
    Fault(
        "one_node_decides_large_amounts",
        "Of large amounts one node's word is not enough.",
        AGREEMENT,
        "return _unconfirmed(known, leg, testimony) if needs_second_node(leg.at_stake_usd) else testimony",
        "return testimony",
        (f"{AGREED}::test_a_second_node_that_cannot_know_holds_back_large_amounts_only",),
    ),
    Fault(
        "one_node_calls_it_final",
        "Finality is told by both nodes.",
        AGREEMENT,
        "is_finalized=transfer.is_finalized and same.is_finalized,",
        "is_finalized=transfer.is_finalized,",
        (f"{AGREED}::test_finality_an_order_and_who_paid_count_where_both_say_so",),
    ),
    Fault(
        "one_node_names_the_payer",
        "Who paid is believed where both nodes say so.",
        AGREEMENT,
        "payer = transfer.payer if transfer.payer == same.payer else NOBODY",
        "payer = transfer.payer",
        (f"{AGREED}::test_finality_an_order_and_who_paid_count_where_both_say_so",),
    ),
    Fault(
        "large_amounts_count_at_once",
        "Large amounts wait for final blocks.",
        "chains/finality.py",
        "at_stake_usd > settings.SETTLE_FINALIZED_ABOVE_USD:\n        return Finality.FINALIZED",
        "at_stake_usd > settings.SETTLE_FINALIZED_ABOVE_USD:\n        return Finality.INCLUDED",
        ("tests/live/test_finality.py::test_the_table_of_what_is_waited_for",),
    ),
    Fault(
        "a_wish_weakens_finality",
        "A merchant can ask for more, and never for less.",
        "chains/finality.py",
        "wanted = max(_by_table(known, at_stake_usd), at_least, key=_STRENGTH.index)",
        "wanted = at_least if at_least is not Finality.INCLUDED else _by_table(known, at_stake_usd)",
        (f"{AGREED}::test_a_merchants_wish_only_strengthens_the_operators_table",),
    ),
    Fault(
        "an_address_without_its_checksum",
        "An address in mixed case carries its checksum.",
        "chains/addresses.py",
        "    if digits not in {",
        "    if False and digits not in {",
        ("tests/chains/test_addresses.py::test_an_address_has_one_spelling_and_mixed_case_must_match_the_checksum",),
    ),
    Fault(
        "another_network_starts",
        "A database belongs to one network.",
        "config/network_profile.py",
        "    if profile is not None:\n        raise",
        "    if False:\n        raise",
        ("tests/config/test_tables.py::test_another_network_is_refused",),
    ),
    Fault(
        "lifi_recipient_unchecked",
        "A call pays the merchant's address, and no other.",
        "payments/routing/lifi/call_checks.py",
        "    _demand(order.receiver == _word(terms.merchant), AnswerFault.WRONG_RECIPIENT)\n",
        "",
        ("tests/payments/lifi/test_lying_aggregator.py::test_a_lie_inside_the_call_is_refused",),
    ),
    Fault(
        "a_revert_slows_a_node",
        "A revert's text is a stranger's, and says nothing of the node.",
        "chains/clients/outcomes.py",
        '    if "revert" in text:\n',
        '    if "never" in text:\n',
        (ERRORS,),
    ),
    Fault(
        "one_question_opens_the_breaker",
        "Only what is about nobody takes a node out of service.",
        "chains/clients/endpoints.py",
        "            if isinstance(found, EndpointFault):\n                self._note(found)\n",
        "            if isinstance(found, EndpointFault):\n                self._note(found)\n"
        "                self._closed_until = time.monotonic() + LONGEST_PAUSE_SECONDS\n",
        (f"{ERRORS}::test_one_question_that_always_fails_takes_the_node_from_nobody",),
    ),
    Fault(
        "any_head_is_believed",
        "A head counts only when it is possible.",
        "chains/clients/heads.py",
        "            return head <= self._head + max(",
        "            return True or head <= self._head + max(",
        (f"{ERRORS}::test_a_head_that_cannot_be_is_looked_at",),
    ),
    Fault(
        "what_cannot_be_read_is_gone",
        "What no node can speak of is not taken back.",
        "payments/services/credits.py",
        "if credit.tx_hash not in unseen and (",
        "if (",
        ("tests/payments/test_unsaid.py::test_what_nobody_can_speak_of_is_not_gone",),
    ),
    Fault(
        "a_reader_may_stand_still",
        "A chain that is read late is told.",
        "chains/reader/lag.py",
        "age <= MAY_BE_SILENT and max(behind)",
        "max(behind)",
        (f"{LAG}::test_a_chain_must_be_read_every_minute_and_to_within_two_minutes_of_its_newest_block",),
    ),
    Fault(
        "every_chain_has_the_same_blocks",
        "How far behind is too far is the chain's own.",
        "chains/reader/lag.py",
        "max(behind) * block_seconds <= MAY_BE_BEHIND_SECONDS",
        "max(behind) * 2 <= MAY_BE_BEHIND_SECONDS",
        (f"{LAG}::test_a_chain_must_be_read_every_minute_and_to_within_two_minutes_of_its_newest_block",),
    ),
    Fault(
        "what_is_credited_was_found",
        "What no reader found is a difference, credited or not.",
        "payments/services/reconcile.py",
        "(sides.in_books and not unmarked)",
        "sides.in_books",
        (f"{RECONCILED}::test_what_no_reader_found_is_missing_though_it_is_credited",),
    ),
    Fault(
        "any_amount_agrees",
        "The books agree with a chain by the sum.",
        "payments/services/reconcile.py",
        "sides.in_books and sides.in_books != sides.on_chain",
        "sides.in_books and not sides.on_chain",
        (f"{RECONCILED}::test_other_units_differ",),
    ),
    Fault(
        "spent_budget_is_a_silent_chain",
        "Who asked enough waits as long as the budget says, and no chain is called silent for it.",
        "payments/routing/live_balances.py",
        "raise next((error for error in unread.values() if isinstance(error, BudgetSpent)), [*unread.values()][0])",
        "raise ChainUnavailable([*unread][0])",
        (
            "tests/payments/test_silent_chains.py"
            "::test_who_asked_enough_waits_as_long_as_its_budget_says_and_no_chain_is_called_silent",
        ),
    ),
)
