"""A database that was put back: nothing is paid or told twice, and nothing leaves before a person lets it."""

from tests.mutations.planting import Fault

PUT_BACK = "tests/operations/test_put_back.py"
EVM, SOLANA = "tests/live/money_out/test_restored.py", "tests/live/money_out_solana/test_unlucky.py"

FAULTS = (
    Fault(
        "forgotten_transfer_ordered_under_another_id",
        "A transfer that was forgotten is ordered as the very same one.",
        "chains/transfers.py",
        'id=derived_id("transfer", order.purpose, order.purpose_id, number),',
        "",
        (f"{SOLANA}::test_what_was_ordered_after_the_backup_is_not_paid_again",),
    ),
    Fault(
        "forgotten_payout_made_under_another_id",
        "A payout that was forgotten is made as the very same one.",
        "payouts/services/create.py",
        'id=derived_id("payout", intent.pk, Payout.objects.filter(intent=intent).count()),',
        "",
        (f"{PUT_BACK}::test_a_payout_at_settle_is_the_same",),
    ),
    Fault(
        "forgotten_refund_made_under_another_id",
        "A refund that is asked for again under its key is the very same one.",
        "refunds/services/create.py",
        '        refund.id = derived_id("refund", refund.intent_id, refund.maker, key)\n',
        "        pass\n",
        (f"{PUT_BACK}::test_a_refund_that_is_asked_for_again_under_its_key_is_the_same",),
    ),
    Fault(
        "late_money_forgotten_goes_back_twice",
        "Late money that went back by itself does so as the very same refund.",
        "refunds/services/late.py",
        'derived_id("refund", credit.network, credit.chain, credit.tx_hash, credit.kind, credit.position)',
        "refund.id",
        (f"{PUT_BACK}::test_late_money_goes_back_under_the_same_id_though_its_row_is_another",),
    ),
    Fault(
        "settled_again_under_another_identity",
        "What happens once is told under one identity, by however many steps.",
        "webhooks/events.py",
        "    if type in ONCE:\n",
        "    if False:\n",
        (f"{PUT_BACK}::test_what_happens_once_has_one_identity_at_whichever_step",),
    ),
    Fault(
        "another_fact_under_the_same_identity",
        "A step with other facts is another event.",
        "webhooks/events.py",
        "type, sequence, to_json(facts).decode())",
        "type, sequence)",
        (f"{PUT_BACK}::test_another_step_and_another_fact_are_another_event_and_another_moment_is_not",),
    ),
    Fault(
        "mark_over_another_amount_overlooked_on_evm",
        "What carries a transfer's mark and is not as ordered is decided by a person.",
        "chains/clients/evm_past.py",
        "content in (wanted.marked, wanted.plain) or wanted.is_marked(content)",
        "content in (wanted.marked, wanted.plain)",
        (f"{EVM}::test_one_that_was_of_another_amount_waits_for_a_person",),
    ),
    Fault(
        "mark_over_another_amount_overlooked_on_solana",
        "What carries a transfer's mark and is not as ordered is decided by a person.",
        "chains/rails/solana/past.py",
        "return signature if payer in {account.address for account in accounts} else None",
        "return None",
        (f"{SOLANA}::test_what_was_ordered_after_the_backup_is_not_paid_again",),
    ),
)
