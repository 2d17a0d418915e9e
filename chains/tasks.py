"""The clock's doors of this app: one line each."""

from chains import gas_accounts


def read_gas_accounts() -> None:
    """Read what pays for gas on each chain."""
    gas_accounts.read_gas_accounts()
