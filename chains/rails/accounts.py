"""Which accounts may have sent a transfer: its own, and those that were retired before; and why one stops."""

from chains.models import SigningAccount, Transfer
from chains.registry import chain as chain_named
from core.metrics import MILLIONTHS, SIGNER_COINS
from core.money import BaseUnits

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


def note_coins(transfer: Transfer, coins: BaseUnits) -> None:
    """Keep for operators what the account that is to send has of its chain's own coin."""
    known = chain_named(transfer.chain)
    if known is not None:
        millionths = coins * MILLIONTHS // 10**known.native_decimals
        SIGNER_COINS.set(transfer.chain, str(transfer.account_id), millionths=millionths)
