"""What a merchant's page asks and tells about a refund that its own wallet sends; a worker is woken to act on it."""

from collections.abc import Callable

from django.db import transaction

from chains import wallets
from chains.models import Transfer
from chains.transfers import RailName
from core.clock import now
from core.dispatch import nudge
from merchants.principal import Principal
from refunds.errors import RefundNotForWallet
from refunds.models import Refund
from refunds.services.transition import locked_own_refund
from refunds.states import ADDRESSED

_SWEEP = "refunds.sweep_due"


def offer_to_wallet(principal: Principal, refund: Refund, sender: str) -> Transfer:
    """Register the wallet that is to send, and have made what it is asked to sign.

    Raises: NotFound, RefundNotForWallet, InvalidAddress, SenderIsRecipient, ShownToAnotherWallet, WalletNotAwaited.
    """
    return _on_transfer(principal, refund, lambda transfer: wallets.offer_transfer(transfer.pk, sender))


def tell_hash(principal: Principal, refund: Refund, tx_hash: str) -> Transfer:
    """Remember which transaction the wallet says that it sent; one that was found on its chain already changes nothing.

    Raises: NotFound, RefundNotForWallet, InvalidRequest, WalletNotAwaited.
    """
    return _on_transfer(principal, refund, lambda transfer: wallets.report_hint(transfer.pk, tx_hash), sent_as=tx_hash)


def tell_signed(principal: Principal, refund: Refund, signed_base64: str) -> Transfer:
    """Store what a Solana wallet signed; a worker sends it.

    Raises: NotFound, RefundNotForWallet, TransactionChanged, WalletNotAwaited.
    """
    return _on_transfer(principal, refund, lambda transfer: wallets.take_signed(transfer.pk, signed_base64))


def tell_authorization(principal: Principal, refund: Refund, signature: str) -> Transfer:
    """Store the authorization that an EVM wallet signed; a worker makes the call that uses it.

    Raises: NotFound, RefundNotForWallet, InvalidRequest, WalletNotAwaited.
    """
    return _on_transfer(principal, refund, lambda transfer: wallets.take_authorization(transfer.pk, signature))


def state_unsigned(principal: Principal, refund: Refund) -> Transfer:
    """Take back what a wallet was shown, on the merchant's word that it signed nothing.

    The caller has made sure who says so. Raises: NotFound, RefundNotForWallet, MayStillLand, WalletNotAwaited.
    """
    actor = principal.actor
    return _on_transfer(principal, refund, lambda transfer: wallets.state_unsigned(transfer.pk, actor=actor))


@transaction.atomic
def _on_transfer(
    principal: Principal, refund: Refund, act: Callable[[Transfer], Transfer], *, sent_as: str = ""
) -> Transfer:
    """Locks: the refund, then its transfer. Why what was sent may be known before it is told: chains are fast."""
    held = locked_own_refund(principal, refund.pk)
    if sent_as and held.transfer is not None and held.transfer.tx_hash.lower() == sent_as.lower():
        return held.transfer
    if held.status not in ADDRESSED or held.rail != RailName.MERCHANT_WALLET or held.transfer is None:
        raise RefundNotForWallet
    transfer = act(held.transfer)
    held.next_attempt_at = now()
    held.save(update_fields=["next_attempt_at"])
    nudge(_SWEEP)
    return transfer
