"""Which tests of this folder ``make test`` runs: each rule once, at the cheapest test that shows it on a real node.

All others are ``exhaustive``: the same rule in another family, by another fault, or in more steps.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
EVERYDAY: dict[str, tuple[str, ...]] = {
    # Money in: what counts.
    "test_confluence_on_a_node": (
        "test_told_by_hand_on_a_node[a repeat and the rest of a short payment]",
        "test_told_by_hand_on_a_node[one transaction with the marks of two]",
    ),
    "test_one_owner": (
        "test_a_refund_from_the_own_wallet_pays_no_intent", "test_a_merchant_that_pays_itself_paid_nothing[base]",
        "test_a_mark_takes_a_transfer_from_a_claim_and_the_loser_is_told[1]",
        "test_what_was_credited_proves_no_transfer_out",
        "test_of_two_intents_paid_in_one_transaction_the_older_counts[in order]",
    ),
    "test_forged_payments": (
        "test_a_changed_call_is_not_this_payment[reported]",
        "test_somebody_elses_payment_to_the_same_merchant_is_not_ours",
        "test_one_payment_settles_one_of_two_intents[base]", "test_an_old_transaction_is_not_taken_again",
        "test_a_payer_claims_its_own_transfer", "test_a_claim_that_does_not_fit_changes_nothing",
    ),
    "test_evm_pays": (
        "test_a_reported_payment_settles", "test_a_payment_is_found_however_long_the_page_stays_closed",
        "test_what_the_wallet_holds_is_read_from_the_chain",
        "test_eighteen_decimals_settle_when_the_chain_calls_them_final", "test_the_native_coin_settles[found]",
        "test_only_the_issued_call_of_a_batch_counts[found]", "test_a_call_that_was_undone_inside_does_not_count",
        "test_a_token_that_keeps_a_part_is_credited_by_what_arrived",
    ),
    "test_readers": (
        "test_an_open_payment_asks_the_nodes_nothing_and_is_found_all_the_same",
        "test_a_second_payment_under_a_mark_is_counted_as_surplus",
        "test_a_block_full_of_strangers_transfers_hides_no_payment[of dust]",
        "test_what_was_read_on_a_branch_goes_with_it_and_is_found_again_on_the_other",
        "test_of_two_readers_the_one_whose_lease_is_over_writes_nothing",
    ),
    "test_verified_by_nodes": (
        "test_a_true_record_holds_before_its_chain", "test_a_node_that_is_down_refutes_nothing[base]",
        "test_what_is_untrue_of_the_chain_is_named_whoever_signed_it[base-amount]",
        "test_what_is_untrue_of_the_chain_is_named_whoever_signed_it[solana-receiver]",
    ),
    "test_shares": ("test_what_is_over_the_share_settles_in_its_turn_and_holds_up_nobody",),
    "test_resting": (
        "test_ten_thousand_addresses_that_rest_cost_another_merchants_payment_nothing",
        "test_what_comes_late_where_nothing_is_awaited_is_counted_within_a_day",
        "test_an_address_that_is_awaited_again_goes_on_without_a_gap",
        "test_what_is_not_final_yet_lets_no_address_rest",
    ),
    "test_searches": (
        "test_what_readers_passed_over_is_an_alarm_and_counts[token]",
        "test_where_reader_and_search_agree_nothing_is_said_and_a_day_later_it_ends",
    ),
    "test_solana_readers": (
        "test_an_open_payment_asks_the_nodes_nothing_and_is_found_all_the_same[token]",
        "test_a_second_payment_under_a_mark_is_counted_as_surplus",
        "test_what_a_fork_drops_is_taken_back_when_its_slot_is_final[another transaction]",
        "test_that_a_payment_is_nowhere_is_never_a_readers_word_alone",
        "test_a_mark_in_somebody_elses_account_is_nothing",
        "test_what_was_handed_out_before_the_readers_is_found",
    ),
    "test_marks_stay_open": (
        "test_a_strangers_failing_copy_ends_nothing", "test_what_failed_and_was_sent_again_counts[at once]",
        "test_what_can_never_land_holds_nothing[a stranger]",
        "test_what_left_in_time_and_crossed_its_bridge_afterwards_is_not_late",
        "test_a_pending_transfer_of_dust_starts_nothing[dust]",
    ),
    "test_reported_hashes": (
        "test_a_strangers_wrong_hash_does_not_delay_a_claimed_payment[after]",
        "test_what_was_reported_meanwhile_is_taken_up",
        "test_somebody_elses_claim_does_not_take_the_place_of_the_payers",
    ),
    "test_late_prices": ("test_a_payment_after_its_lock_counts_at_its_blocks_price[of its block]",),
    "test_strays_given_back": ("test_the_very_token_goes_back_to_who_sent_it",),
    "test_strays": (
        "test_another_token_inside_a_payers_call_is_a_stray", "test_a_token_that_nobody_knows_is_no_stray",
        "test_the_coin_inside_a_payers_call_is_a_stray_once_its_block_is_final",
    ),
    "test_solana_strays": (
        "test_another_token_in_a_payers_transaction_is_a_stray[token]",
        "test_with_two_references_nothing_beside_them_is_a_stray[in order]",
    ),
    "test_branches": ("test_two_payments_of_one_batch_count_although_a_branch_shifts_their_logs",),
    "test_unlucky_payments": (
        "test_a_reverted_transaction_moves_nothing_and_may_be_repeated[USDC]",
        "test_a_payment_that_a_reorganisation_removes_does_not_count",
        "test_a_transaction_is_replaced_before_it_lands[sped up]", "test_a_payment_after_the_end_is_late",
        "test_without_a_price_that_counts_nothing_is_issued[one source]",
    ),
    "test_scenarios_replayed": (
        "test_a_live_failure_is_played_in_test_mode_to_the_same_end[reverted]",
        "test_a_live_failure_is_played_in_test_mode_to_the_same_end[taken back]",
    ),
    "test_finality": (
        "test_the_table_of_what_is_waited_for", "test_the_limits_are_settings",
        "test_small_payments_together_wait_as_a_large_one_does",
        "test_larger_amounts_on_base_wait_for_safe_and_final_blocks[more]", "test_a_reorganisation_after_settling[6]",
        "test_a_final_payment_that_vanishes_changes_nothing_and_calls_a_person",
    ),
    "test_stranger_with_the_link": ("test_a_strangers_report_leaves_the_payers_claim",),
    "test_x402": (
        "test_the_money_goes_from_payer_to_merchant_and_the_service_pays_gas",
        "test_what_the_token_would_not_take_is_not_sent[poor]",
        "test_gas_is_spent_three_times_for_a_payment_and_no_more",
        "test_the_key_of_gas_signs_the_stored_call_and_nothing_else",
        "test_an_account_is_free_again_although_nobody_looks_at_its_last_call[sent]",
        "test_a_paused_account_sends_nothing_and_what_was_taken_goes_afterwards",
    ),
    "test_left_out": ("test_payments_to_an_address_that_is_left_out_are_looked_for_at_once",),
    "test_reconcile": (
        "test_they_agree_after_a_few_payments_and_nothing_is_written",
        "test_what_a_reader_passed_over_is_found_when_it_is_put_back",
    ),
    # Wallets that are contracts, and what second layers cost.
    "test_contract_wallets": (
        "test_a_contract_says_what_its_owner_signed", "test_both_nodes_must_say_the_same[True]",
        "test_an_odd_contract_says_yes_by_nothing_but_the_word_for_it[never ends]",
        "test_a_wallet_that_is_not_made_yet_is_asked_as_its_factory_would_make_it",
        "test_a_wallet_that_stands_is_asked_as_it_is_whatever_the_wrapping_would_do_first",
    ),
    "test_contract_claims": (
        "test_a_contract_that_paid_says_where_its_refund_goes", "test_the_same_address_elsewhere_has_no_say",
        "test_a_contract_that_says_yes_to_everything_did_not_pay_by_that",
        "test_a_contract_that_never_answers_is_asked_for_a_while",
    ),
    "test_contract_proofs": (
        "test_a_contract_proves_its_address_on_its_chain", "test_a_contract_that_takes_no_coin_is_not_proven",
    ),
    "test_data_fees": (
        "test_the_payer_is_shown_what_the_bytes_cost", "test_an_oracle_that_cannot_say_holds_up_no_quote[never ends]",
    ),
    # Nodes: which of their words is believed.
    "test_second_node": (
        "test_nothing_is_credited_while_two_nodes_disagree[second-tells_more]",
        "test_large_amounts_wait_for_a_second_node_that_is_silent[1000-500]",
        "test_one_node_cannot_undo_what_counted[second-takes_back]",
    ),
    "test_odd_answers": (
        "test_a_nonsense_hash_does_not_hide_the_payment_itself",
        "test_a_nonsense_signature_on_a_solana_leg_is_its_own_matter[evm]",
        "test_a_tree_of_calls_that_is_too_long_is_its_own_matter", "test_a_busy_settlement_address_is_its_own_matter",
        "test_a_swap_to_coin_without_traces_is_its_own_matter",
        "test_a_head_that_was_wrong_once_is_forgotten[one node]",
        "test_a_head_that_was_wrong_once_is_forgotten[two nodes]",
    ),
    "test_endpoint_faults": (
        "test_a_failing_endpoint_delays_and_another_takes_over[base-500]",
        "test_a_failing_endpoint_delays_and_another_takes_over[solana-wrong chain]",
        "test_a_network_that_began_otherwise_is_another_one[base]", "test_no_transaction_is_open_while_a_node_is_asked",
    ),
    "test_simulation": ("test_an_approval_and_what_needs_it_are_tried_together",),
    # Exchanges and bridges.
    "test_swaps": (
        "test_a_token_is_swapped_for_the_merchants", "test_a_lie_at_the_quote_leaves_no_route[recipient in the call]",
        "test_a_lie_when_the_payer_pays_has_him_asked_again[recipient]",
        "test_only_those_who_are_known_touch_the_money[arbitrum-USDC-base-USDC]",
    ),
    "test_bridges": (
        "test_a_token_is_bridged_to_the_merchant", "test_a_fill_that_is_not_the_merchants_is_not_credited[elsewhere]",
    ),
    "test_in_doubt": ("test_one_that_is_overdue_cannot_be_paid_twice", "test_told_to_be_refunded_and_then_filled"),
    "test_several_tokens": ("test_the_second_is_asked_for_when_the_first_has_arrived",),
    "test_platform_fee": ("test_what_the_operator_was_given_is_told[bridged]",),
    # What goes back, and what is paid out of it.
    "test_back_to_who_paid": (
        "test_a_stranger_who_paid_one_unit_gets_nothing_of_a_refund", "test_who_sends_the_issued_call_is_who_paid",
    ),
    "test_one_balance": (
        "test_what_was_given_back_is_due_again[False]", "test_a_payout_leaves_what_a_waiting_refund_holds",
        "test_a_queued_payout_waits_when_its_address_was_given_up",
    ),
    "test_payouts": (
        "test_what_reached_the_merchant_is_paid_at_once_and_nothing_is_sent",
        "test_what_settled_with_the_signer_is_sent_on_to_the_profile_s_address[whole]",
        "test_every_other_combination_is_refused",
    ),
    "test_money_in_back_and_out": ("test_a_part_goes_back_and_the_rest_goes_out_once_each",),
    # Solana.
    "test_solana_wallets": (
        "test_only_the_issued_message_is_taken", "test_what_can_land_no_more_lets_the_payer_try_again",
        "test_scan_sign_settled",
    ),
    "test_solana_pays": ("test_a_reported_payment_settles_when_it_is_final", "test_the_native_coin_settles[found]"),
    "test_solana_forged": (
        "test_a_changed_transaction_is_not_this_payment[found]",
    ),
    "test_solana_unlucky": (
        "test_a_failed_transaction_moves_nothing_and_may_be_repeated[found]",
        "test_what_a_fork_removed_and_can_land_no_more_is_over",
    ),
    "test_solana_lies": ("test_a_lie_delays_or_another_node_is_asked[bytes changed]",),
    "test_solana_swaps": ("test_the_merchant_gets_exactly_the_amount[usdt]", "test_a_liar_never_reaches_the_wallet"),
    "test_solana_to_base": ("test_usdc_on_solana_pays_on_base", "test_another_deposit_is_not_ours[recipient]"),
    "test_solana_departures": ("test_the_programs_event_names_the_order[deposit]",),
    # A merchant's own wallet.
    "test_wallet_authorizations": (
        "test_the_token_takes_it_once", "test_it_ends_by_itself_when_its_time_is_over_for_good",
        "test_a_used_authorization_is_found",
    ),
    "test_wallet_pays": (
        "test_the_right_transaction_pays[found]", "test_another_wallet_must_wait_for_the_statement",
        "test_what_was_signed_after_all_still_counts_and_nothing_else_is_offered",
    ),
    "test_wallet_forgeries": (
        "test_another_transaction_is_refused[another mark-told]", "test_another_amount_is_refused[found-short]",
        "test_another_sender_is_refused",
    ),
    "test_wallet_on_solana": (
        "test_what_the_wallet_signed_is_kept_sent_and_proven", "test_what_the_wallet_changed_is_not_taken",
    ),
    # Money out.
    "money_out/test_pays": (
        "test_it_pays_once[base USDC]", "test_nonces_follow_each_other",
        "test_a_late_worker_changes_nothing[reserve-sign]", "test_both_offer_more_and_one_offer_is_kept",
    ),
    "money_out/test_ends": (
        "test_a_reverted_transfer_moved_nothing_and_may_be_made_again",
        "test_a_reorganisation_puts_it_back_and_the_same_bytes_land",
        "test_two_nodes_that_disagree_end_nothing[second-tells_more]",
        "test_large_amounts_wait_for_a_second_node_that_is_silent[1000-500]",
    ),
    "money_out/test_foreign": (
        "test_two_nodes_together_free_the_transfer_and_the_account_waits_for_a_person",
        "test_one_node_alone_frees_nothing",
    ),
    "money_out/test_hindered": (
        "test_without_funds_it_waits_until_there_are_some",
        "test_without_its_key_on_another_network_and_above_the_cap_nothing_is_sent",
        "test_money_is_not_sent_where_it_would_be_lost", "test_afterwards_nothing_lands_in_its_place[broadcast]",
        "test_the_payment_may_win",
    ),
    "money_out/test_paused": ("test_nothing_leaves_from_any_stage_and_all_of_it_goes_afterwards[signed]",),
    "money_out/test_node_words": (
        "test_what_a_text_means", "test_a_lost_reply_is_not_a_failure",
        "test_bytes_that_no_node_will_take_use_their_nonce_up",
    ),
    "money_out/test_restored": (
        "test_the_first_transfer_of_an_account_is_found",
        "test_one_that_was_ordered_after_the_backup_is_ordered_as_the_same",
        "test_one_that_was_of_another_amount_waits_for_a_person",
        "test_what_carries_no_mark_waits_for_a_person[base USDC]",
    ),
    "money_out/test_stuck": ("test_what_becomes_too_cheap_is_replaced_by_a_dearer_one",),
    "money_out/test_races": ("test_workers_with_the_same_transfer_send_it_once",),
    "money_out_solana/test_pays": (
        "test_it_pays_once_and_says_so_when_it_is_final", "test_one_that_signs_late_drops_what_it_signed",
    ),
    "money_out_solana/test_hindered": (
        "test_too_little_of_the_token_waits_until_there_is_enough", "test_only_a_wallet_is_paid",
        "test_in_a_pause_of_all_signing_nothing_is_signed_or_sent",
    ),
    "money_out_solana/test_lies": ("test_it_is_not_dead_while_one_node_has_it[second]",),
    "money_out_solana/test_unlucky": (
        "test_what_expired_is_signed_again_once_that_is_final[one-node]",
        "test_one_that_failed_on_the_chain_ends_reverted_when_that_is_final",
        "test_what_was_paid_is_found_and_not_paid_again[usdc]",
        "test_what_was_ordered_after_the_backup_is_not_paid_again",
    ),
}  # fmt: skip
"""By file what is in the everyday tier: a whole test, or one of its cases."""
ON_BASE, ELSEWHERE = "live on Base", "live elsewhere"
"""Groups of tests, each for one worker, so that its nodes start once; both take about as long."""


def is_left_out(path: Path, test: str) -> bool:
    """Whether no case of a test of this folder, by its name in its file, is in the everyday tier."""
    if not path.is_relative_to(FOLDER):
        return False
    return test not in {name.partition("[")[0] for name in EVERYDAY.get(_file(path), ())}


def sort_out(items: Iterable[pytest.Item], *, is_whole: bool) -> None:
    """Give each test of this folder its tier and its group. Raises: UsageError for a name that no test has."""
    files, met = set(), set()
    for item in items:
        if not item.path.is_relative_to(FOLDER):
            continue
        file = _file(item.path)
        named = {item.name, item.name.partition("[")[0]} & set(EVERYDAY.get(file, ()))
        is_on_base = item.path.parent == FOLDER and "base_node" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group(ON_BASE if is_on_base else ELSEWHERE))
        if not named:
            item.add_marker(pytest.mark.exhaustive)
        files.add(file)
        met |= {f"{file}::{name}" for name in named}
    unknown = {f"{file}::{name}" for file in files & set(EVERYDAY) for name in EVERYDAY[file]} - met
    if is_whole and unknown:
        raise pytest.UsageError(f"tests/live/tier.py names tests that are not there: {sorted(unknown)}")


def _file(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix().removeprefix("merchant_wallet/")
