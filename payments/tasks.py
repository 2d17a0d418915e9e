"""Celery doors of this app: one line each, for the row decides."""

from celery import shared_task

from payments.services import advance, payers, reading, searches, settlement_effect, settlement_proof, wallet_words


@shared_task(name="payments.sweep_due")
def sweep_due() -> None:
    """Advance every intent that is due."""
    advance.sweep_due()


@shared_task(name="payments.sweep_chains")
def sweep_chains() -> None:
    """Read every chain that is due."""
    reading.sweep_chains()


@shared_task(name="payments.sweep_settlement_changes")
def sweep_settlement_changes() -> None:
    """Let every change of where payments settle take effect whose delay is over."""
    settlement_effect.sweep_settlement_changes()


@shared_task(name="payments.sweep_unknown_payers")
def sweep_unknown_payers() -> None:
    """Read again who paid what was credited before that was kept."""
    payers.sweep_unknown_payers()


@shared_task(name="payments.sweep_wallet_words")
def sweep_wallet_words() -> None:
    """Ask the wallets that are contracts what they signed."""
    wallet_words.sweep_wallet_words()


@shared_task(name="payments.sweep_contract_proofs")
def sweep_contract_proofs() -> None:
    """Act on what contracts said of the addresses where payments settle."""
    settlement_proof.sweep_contract_proofs()


@shared_task(name="payments.sweep_searches")
def sweep_searches() -> None:
    """Search by themselves for legs whose time is over."""
    searches.sweep_searches()
