"""Which act each page asks for, written down apart from the pages. A page that is missing here fails.

Why twice: a page that forgot to ask looks to a generated test like one that everybody may use.
"""

from merchants.acts import Act


def _named(pages: str) -> frozenset[str]:
    return frozenset(pages.split())


EVERYBODY_LOOKS = _named(
    "keys refunds refund agents agent approvals approval agent_log settings key origins team leave_team payouts payout "
    "payments payment record download_record search endpoints endpoint delivery events event signature_check "
    "books book book_entry download_scenario scenarios scenario"
)
"""Pages that change nothing, whatever is sent to them, and show nothing that a viewer may not see."""


ASKED: dict[Act, frozenset[str]] = {
    Act.SEE_REQUESTS: _named("requests request"),
    Act.CHANGE_KEYS: _named("roll_keys revoke_key new_key edit_key roll_key keys_leaked allow_origin remove_origin"),
    Act.MOVE_MONEY: _named(
        "refund_destination cancel_refund sign_refund refund_unsigned refund_wallet refund_wallet_action "
        "release_refund replay_payout resume_payout pause_payouts resume_payouts new_refund accept_payment pay_rest "
        "payers strays readdress_payout release_payout"
    ),
    Act.STEER_AGENTS: _named(
        "agents_limits pause_agents resume_agents agent_limits rename_agent pause_agent resume_agent "
        "revoke_agent held approve deny"
    ),
    Act.CHANGE_LOOK: _named("business_name look look_preview"),
    Act.ASK_PAYER: _named("ask_payer"),
    Act.SEE_AUDIT: _named("audit export_audit"),
    Act.CHANGE_TEAM: _named("invite resend_invitation withdraw_invitation change_role remove_member hand_over"),
    Act.EXPORT: _named("export_agent_log export_books export_payouts export_payments export_refunds statement"),
    Act.CHANGE_PAYMENTS: _named("cancel_payment"),
    Act.CHANGE_SETTLEMENT: _named(
        "settlement_evm settlement_solana prove_evm prove_solana settlement_default settlement_lock "
        "settlement_change payment_policy refund_policy payouts_at_settle settlement_leftovers"
    ),
    Act.CHANGE_ENDPOINTS: _named("new_endpoint edit_endpoint delete_endpoint rotate_secret"),
    Act.RESEND: _named("recover test_event certify resend new_scenario"),
}
