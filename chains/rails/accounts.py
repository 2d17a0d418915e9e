"""Which accounts may have sent a transfer: its own, and those that were retired before; and why one stops."""

from chains.models import SigningAccount, Transfer

FOREIGN_NONCE, UNKNOWN_PENDING = "foreign_nonce", "unknown_pending"
"""Why an account stopped: its key was used, or is being used, for something that this database did not sign."""
MOST_ACCOUNTS = 20
"""Of one merchant on one chain, the newest first."""


def accounts_before(transfer: Transfer) -> list[SigningAccount]:
    """The merchant's accounts on the transfer's chain. Why retired ones: what waits goes on with the next account."""
    mine = SigningAccount.objects.filter(
        merchant_id=transfer.merchant_id, mode=transfer.mode, network=transfer.network, chain=transfer.chain
    )
    return list(mine.order_by("-pk")[:MOST_ACCOUNTS])
