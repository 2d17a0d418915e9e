"""What an operator has paused."""

from tests.mutations.planting import Fault

ON_A_NODE = "tests/live/money_out/test_paused.py::test_nothing_leaves_from_any_stage_and_all_of_it_goes_afterwards"
SIMULATED = "tests/refunds/test_paused.py"
SENDING = "tests/webhooks/test_paused.py"
ASKED = "    if is_paused(Paused.SIGNING):\n"
NEVER = "    if False:\n"

FAULTS = (
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
