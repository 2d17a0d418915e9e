"""The clock's doors of this app: one line each, for the row decides."""

from core.dispatch import nudge
from core.purges import in_turn
from payments.scoreboard import count
from payments.services import (
    advance,
    payers,
    reading,
    searches,
    settlement_effect,
    settlement_proof,
    upkeep,
    wallet_words,
)


def sweep_due() -> None:
    """Advance every intent that is due."""
    advance.sweep_due()


def sweep_chains() -> None:
    """Read every chain that is due."""
    reading.sweep_chains()


def sweep_settlement_changes() -> None:
    """Let every change of where payments settle take effect whose delay is over."""
    settlement_effect.sweep_settlement_changes()


def sweep_unknown_payers() -> None:
    """Read again who paid what was credited before that was kept."""
    payers.sweep_unknown_payers()


def sweep_wallet_words() -> None:
    """Ask the wallets that are contracts what they signed."""
    wallet_words.sweep_wallet_words()


def sweep_contract_proofs() -> None:
    """Act on what contracts said of the addresses where payments settle."""
    settlement_proof.sweep_contract_proofs()


def sweep_searches() -> None:
    """Search by themselves for legs whose time is over."""
    searches.sweep_searches()


def purge_routes() -> None:
    """Forget the routes that were weighed for payments that are over."""
    if in_turn(upkeep.purge_routes):
        nudge("payments.purge_routes")


def count_routes() -> None:
    """Count what became of the routes of the last days, and forget the figures of long ago."""
    count.count_days()
    count.forget_old()


def purge_simulated() -> None:
    """Forget what test mode's chain showed long ago."""
    if in_turn(upkeep.purge_simulated):
        nudge("payments.purge_simulated")
