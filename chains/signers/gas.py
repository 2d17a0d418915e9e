"""What a gas account's key signs: the stored call of a payer's authorization, byte for byte, and nothing else.

Read here byte by byte, and not by the code that builds calls: a fault there must not be signed.
"""

from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from chains.models import AuthorizedCall
from chains.registry import Family, chain
from chains.signers.base import EvmTransaction, SignedEvm, SignerUnavailable
from chains.signers.refusal import NotStored, SignerPaused
from chains.signers.registry import opened
from core.pauses import Paused, is_paused

MOST_GAS: Final = 300_000
"""For one call. Why a limit: a token's call takes about a third of it, and a wrong one burns what pays for gas."""
_SELECTOR: Final = bytes.fromhex("e3ee160e")
"""Of ``transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)``."""
_WORD: Final = 32
_SMALLEST_V: Final = 27


def sign_authorized(call_id: UUID, wanted: EvmTransaction) -> SignedEvm:
    """Sign a transaction if it is exactly the stored call, at the nonce that was written down for it.

    Raises: SignerUnavailable; RuntimeError inside a transaction, since a remote signer is slow.
    Locks: none, and the caller holds none.
    """
    with transaction.atomic(durable=True):
        stored = AuthorizedCall.objects.select_related("account").get(pk=call_id)
    account, known = stored.account, chain(stored.account.chain)
    if account.network != settings.NETWORK_PROFILE or known is None or known.chain_id != wanted.chain_id:
        raise NotStored("chain")
    if stored.ended_at is not None:
        raise NotStored("it is over")
    _refuse_other(wanted, stored, known.fee_cap)
    if is_paused(Paused.SIGNING, account.pause_kind):  # last: a pause of this moment still holds
        raise SignerPaused
    signer = opened(account.backend, account.key_reference, Family.EVM)
    if signer.address != account.address:
        raise SignerUnavailable(f"The key belongs to {signer.address}, and the account to {account.address}.")
    return signer.sign_evm(wanted)


def _refuse_other(wanted: EvmTransaction, stored: AuthorizedCall, fee_cap: int) -> None:
    """Raises: NotStored."""
    if stored.nonce is None or wanted.nonce != stored.nonce:
        raise NotStored("nonce")
    if not 0 < wanted.gas_limit <= MOST_GAS or not 0 <= wanted.priority_fee <= wanted.max_fee <= fee_cap:
        raise NotStored("gas or fees")
    if (wanted.to.lower(), wanted.value, wanted.data) != (stored.token_address.lower(), 0, _expected(stored)):
        raise NotStored("token, terms or signature")


def _expected(stored: AuthorizedCall) -> bytes:
    signature = bytes.fromhex(stored.signature.removeprefix("0x"))
    v = signature[-1] if signature[-1] >= _SMALLEST_V else signature[-1] + _SMALLEST_V
    numbers = (
        *(int(stored.holder, 16), int(stored.recipient, 16), int(stored.base_units)),
        *(stored.valid_after, stored.valid_before, int(stored.authorization_nonce, 16), v),
    )
    return _SELECTOR + b"".join(number.to_bytes(_WORD) for number in numbers) + signature[: 2 * _WORD]
