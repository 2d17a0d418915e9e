"""What an operator has paused."""

from tests.mutations.planting import Fault

ON_A_NODE = "tests/live/money_out/test_paused.py::test_nothing_leaves_from_any_stage_and_all_of_it_goes_afterwards"
SIMULATED = "tests/refunds/test_paused.py"
SENDING = "tests/webhooks/test_paused.py"
ASKED = "    if is_paused(Paused.SIGNING):\n"
NEVER = "    if False:\n"

SUSPENDED = "tests/operations/test_suspension.py"
ACTS = "tests/operations/test_acts.py"

FAULTS = (
    Fault(
        "suspended_key_begins",
        "A suspended merchant's key begins nothing.",
        "merchants/authentication.py",
        "if key.is_suspended and request.method not in READS:",
        "if False:",
        (f"{SUSPENDED}::test_keys_read_and_begin_nothing",),
    ),
    Fault(
        "suspended_key_begins_the_short_way",
        "A suspended merchant's key begins nothing, however often it was let in before.",
        "payments/fast_path/creation.py",
        "{IS_GOOD} {MAY_BEGIN} {STILL_HOLD}",
        "{IS_GOOD} {STILL_HOLD}",
        ("tests/payments/test_fast_path_trust.py::test_a_suspended_merchant_reads_and_begins_nothing",),
        needs_postgres=True,
    ),
    Fault(
        "suspended_merchant_is_paid_out",
        "A suspended merchant is paid nothing out.",
        "payouts/services/dispatch.py",
        "    if is_suspended(payout.merchant_id):\n",
        NEVER,
        (f"{SUSPENDED}::test_payouts_wait_and_refunds_go_to_who_paid_and_nowhere_else",),
    ),
    Fault(
        "suspended_merchant_refunds_anywhere",
        "A suspended merchant's money goes back to who paid it, and nowhere else.",
        "refunds/services/holds.py",
        " or not is_suspended(refund.merchant_id) or _paid(refund):",
        " or True:",
        (f"{SUSPENDED}::test_payouts_wait_and_refunds_go_to_who_paid_and_nowhere_else",),
    ),
    Fault(
        "suspension_keeps_the_payers_money",
        "A suspension keeps no payer's money back.",
        "refunds/services/holds.py",
        " or not is_suspended(refund.merchant_id) or _paid(refund):",
        " or not is_suspended(refund.merchant_id):",
        (f"{SUSPENDED}::test_payouts_wait_and_refunds_go_to_who_paid_and_nowhere_else",),
    ),
    Fault(
        "suspended_merchants_agent_begins",
        "A suspended merchant's agent begins nothing.",
        "mcp/calls.py",
        "    if not tool.read_only:\n",
        NEVER,
        (f"{SUSPENDED}::test_an_agent_begins_nothing",),
    ),
    Fault(
        "operator_stops_the_other_modes_keys",
        "An operator stops the keys of the mode that is named.",
        "merchants/services/operators.py",
        "ApiKey.objects.filter(merchant=merchant, mode=mode, revoked_at=None)",
        "ApiKey.objects.filter(merchant=merchant, revoked_at=None)",
        (f"{ACTS}::test_keys_are_stopped_by_command_and_the_next_request_is_refused",),
    ),
    Fault(
        "act_without_a_fresh_proof",
        "An operator's act on a page asks who it is again.",
        "operations/screens/acts.py",
        "            proven: View = reauthentication_required(view)\n",
        "            proven = view\n",
        (f"{ACTS}::test_an_old_proof_of_identity_changes_nothing",),
    ),
    Fault(
        "operators_factor_taken_on_a_page",
        "An operator's own account is changed at a terminal alone.",
        "operations/screens/acts.py",
        "        if person.is_staff:\n",
        "        if False:\n",
        (f"{ACTS}::test_an_operators_own_factor_is_taken_away_at_a_terminal_alone",),
    ),
    Fault(
        "key_signs_in_a_pause",
        "No key signs while all signing is paused, whatever asked before it.",
        "chains/signers/policy.py",
        "    if is_paused(Paused.SIGNING):  # last: a pause of this moment still holds\n",
        NEVER,
        (
            "tests/chains/signers/test_stored_evm.py::test_a_pause_of_all_signing_holds_up_to_the_signature_and_for_no_longer",
        ),
    ),
    Fault(
        "signed_bytes_sent_in_a_pause",
        "What was signed is not handed to a node while all signing is paused.",
        "chains/rails/evm/rail.py",
        " and not is_paused(Paused.SIGNING):\n",
        ":\n",
        (ON_A_NODE,),
    ),
    Fault(
        "signed_bytes_sent_again_in_a_pause",
        "What nodes have is only looked at while all signing is paused.",
        "chains/rails/evm/watching.py",
        ASKED,
        NEVER,
        (ON_A_NODE,),
    ),
    Fault(
        "solana_sends_in_a_pause",
        "What was signed for Solana is not handed to a node while all signing is paused.",
        "chains/rails/solana/rail.py",
        "is_wanted = transfer.withdrawn_at is None and not is_paused(Paused.SIGNING)\n",
        "is_wanted = transfer.withdrawn_at is None\n",
        ("tests/live/money_out_solana/test_hindered.py::test_in_a_pause_of_all_signing_nothing_is_signed_or_sent",),
    ),
    Fault(
        "test_mode_signs_in_a_pause",
        "Test mode shows what a pause does.",
        "chains/rails/simulated.py",
        "        if is_paused(Paused.SIGNING):\n            raise",
        "        if False:\n            raise",
        (f"{SIMULATED}::test_a_refund_and_a_payout_wait_unsigned_and_go_once_it_is_resumed",),
    ),
    Fault(
        "a_pause_costs_an_attempt",
        "A pause costs no attempt.",
        "chains/blockers.py",
        "        Blocker.SIGNING_PAUSED,\n",
        "",
        (f"{SIMULATED}::test_a_refund_and_a_payout_wait_unsigned_and_go_once_it_is_resumed",),
    ),
    Fault(
        "webhooks_leave_in_a_pause",
        "No webhook is posted while sending is paused.",
        "webhooks/delivery/rounds.py",
        "        if is_paused(Paused.SENDING):\n",
        "        if False:\n",
        (f"{SENDING}::test_a_pause_in_the_middle_of_a_drain_ends_it_and_the_rest_goes_afterwards",),
    ),
    Fault(
        "mail_leaves_in_a_pause",
        "No mail is handed to its server while sending is paused.",
        "merchants/mail.py",
        "lambda: is_over() or is_paused(Paused.SENDING)",
        "is_over",
        (
            "tests/merchants/test_outgoing_mail.py"
            "::test_a_pause_in_the_middle_of_a_sweep_lets_no_more_mail_leave_and_none_is_lost",
        ),
    ),
    Fault(
        "resumed_for_another_kind",
        "Who resumes one thing resumes no other.",
        "core/pauses.py",
        "ended = Pause.objects.filter(kind=kind, ended_at=None).update(",
        "ended = Pause.objects.filter(ended_at=None).update(",
        ("tests/operations/test_pauses.py::test_what_the_commands_pause_and_resume_stands_once_with_its_history",),
    ),
)
