"""The clock's doors of this app: one line each, for the row decides."""

from refunds.services import advance, contract_claims, late


def sweep_due() -> None:
    """Advance every refund that is due."""
    advance.sweep_due()


def sweep_late() -> None:
    """Send late money back for merchants who want that."""
    late.send_late_money_back()


def sweep_contract_claims() -> None:
    """Act on what wallets that are contracts said of claims."""
    contract_claims.sweep_contract_claims()
