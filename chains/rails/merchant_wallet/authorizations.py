"""Offers by EIP-3009: the wallet signs the authorization first, then sends the one call that uses it."""

from contextlib import suppress
from typing import Any

from chains.calldata.eip3009 import TOKENS, Authorization, domain_separator, nonce_of
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.models import Transfer
from chains.rails.merchant_wallet.facts import authorization_of
from chains.registry import Chain, chain


def authorization_for(transfer: Transfer, sender: str, known: Chain, valid_before: int) -> Authorization | None:
    """The authorization that makes this transfer; None where the token has none, as the chain itself says.

    Raises: ChainUnavailable.
    """
    if known.chain_id is None or (known.name, transfer.token_address) not in TOKENS:
        return None
    if EVM.domain_separator(known.name, transfer.token_address) != domain_separator(
        known.chain_id, transfer.token_address
    ):
        return None
    return Authorization(
        chain_id=known.chain_id,
        token=transfer.token_address,
        holder=sender,
        recipient=transfer.recipient,
        base_units=transfer.base_units,
        valid_before=valid_before,
        nonce=nonce_of(str(transfer.pk)),
    )


def terms_of(authorization: Authorization) -> dict[str, Any]:
    """What is remembered of an authorization; the rest follows from the transfer."""
    return {"nonce": authorization.nonce, "valid_before": authorization.valid_before, "signature": ""}


def authorized_call(transfer: Transfer) -> dict[str, str] | None:
    """The call that uses what the wallet signed; None while the token would not take it, as it says itself.

    Why the token is asked: an address without an ordinary key is a contract, and the token asks that contract whether
    it signed (EIP-1271). Raises: ChainUnavailable.
    """
    terms, known = authorization_of(transfer), chain(transfer.chain)
    if known is None or known.chain_id is None:
        raise ChainUnavailable(transfer.chain)
    authorization = Authorization(
        chain_id=known.chain_id,
        token=transfer.token_address,
        holder=transfer.sender,
        recipient=transfer.recipient,
        base_units=transfer.base_units,
        valid_before=terms["valid_before"],
        nonce=terms["nonce"],
    )
    calldata = _taken(transfer, authorization, terms["signature"])
    if calldata is None:
        return None
    return {"from": transfer.sender, "to": transfer.token_address, "value": "0x0", "data": calldata}


def _taken(transfer: Transfer, authorization: Authorization, signature: str) -> str | None:
    """The form of the call that the token takes: an ordinary key's is known to be taken, others are tried."""
    forms = [authorization.calldata_with_bytes(signature)]
    with suppress(ValueError):
        forms.append(authorization.calldata(signature))
        if _signer(authorization, signature) == transfer.sender:
            return forms[-1]
    tried = (form for form in forms if EVM.would_take(transfer.chain, transfer.token_address, transfer.sender, form))
    return next(tried, None)


def is_used(authorization: Authorization, known: Chain) -> bool:
    """Whether the token took an authorization with this nonce from this wallet. Raises: ChainUnavailable."""
    return EVM.is_used(known.name, authorization.token, authorization.holder, authorization.nonce)


def is_void(transfer: Transfer) -> bool:
    """Whether the authorization that was shown can never be used any more. Raises: ChainUnavailable."""
    terms = authorization_of(transfer)
    return EVM.is_void(transfer.chain, transfer.token_address, transfer.sender, terms["nonce"], terms["valid_before"])


def _signer(authorization: Authorization, signature: str) -> str:
    """Whose key signed; empty where nobody's did. Why so broad a catch: the library fails in any way at nonsense."""
    from eth_account import Account  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)
    from eth_account.messages import encode_typed_data  # noqa: PLC0415  (as above)

    message = authorization.typed_data()
    numbers = {name: int(message["message"][name]) for name in ("value", "validAfter", "validBefore")}
    try:
        signable = encode_typed_data(full_message={**message, "message": {**message["message"], **numbers}})
        return str(Account.recover_message(signable, signature=signature))
    except Exception:
        return ""
