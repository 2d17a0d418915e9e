"""Strays that are given back."""

from tests.mutations.planting import Fault

STRAYS = "tests/refunds/test_strays.py"

FAULTS = (
    Fault(
        "stray_given_back_twice",
        "A stray goes back once.",
        "refunds/services/stray.py",
        "    if Refund.objects.filter(stray=stray).exclude(status__in=RELEASED).exists():\n",
        "    if False:\n",
        (f"{STRAYS}::test_it_goes_back_once",),
    ),
    Fault(
        "stray_lessens_what_can_be_refunded",
        "A stray that goes back is no part of what a payment received.",
        "refunds/selectors.py",
        "Refund.objects.filter(intent=intent, stray=None)",
        "Refund.objects.filter(intent=intent)",
        (f"{STRAYS}::test_it_goes_back_whole_and_no_dollars_move",),
    ),
    Fault(
        "stray_marks_its_payment_refunded",
        "A payment that received nothing but a stray is not refunded by giving it back.",
        "refunds/services/outcome.py",
        "refund.stray_id is not None or record_refund(",
        "record_refund(",
        (f"{STRAYS}::test_a_payment_that_received_nothing_else_is_not_refunded_by_it",),
    ),
    Fault(
        "stray_leaves_before_it_is_final",
        "A stray leaves once its chain calls it final.",
        "refunds/services/stray.py",
        'return None if stray.finalized_at is not None else ""',
        "return None",
        (f"{STRAYS}::test_it_waits_until_its_chain_calls_it_final",),
    ),
    Fault(
        "stray_settles_after_it_was_given_back",
        "What a refund gives back settles no other payment.",
        "payments/services/titles.py",
        "    if credit.promised_at is not None:\n",
        "    if False:\n",
        (f"{STRAYS}::test_what_is_given_back_counts_for_nobody_else",),
    ),
    Fault(
        "stray_without_a_price_is_sent_by_itself",
        "What caps cannot count is sent by a person's wallet alone.",
        "refunds/services/dispatch.py",
        "if refund.mode == Mode.LIVE and worth is not None:",
        "if refund.mode == Mode.LIVE:",
        (f"{STRAYS}::test_who_sends_it",),
    ),
    Fault(
        "one_node_says_who_sent_a_stray",
        "Both nodes say who sent a stray, however little is at stake.",
        "chains/clients/agreement.py",
        "sender = same.payer if same.payer == transfer.payer else NOBODY",
        "sender = transfer.payer",
        ("tests/chains/test_agreement.py::test_what_came_beside_is_who_both_nodes_say_sent_it",),
    ),
)
