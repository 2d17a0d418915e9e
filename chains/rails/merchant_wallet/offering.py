"""Making what a merchant's wallet is asked to sign. A worker does it, with no transaction open."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from chains.clients.evm_calls import native_note, token_transfer
from chains.clients.registry import EVM, SOLANA
from chains.errors import ChainUnavailable, TransferRejected
from chains.instructions.transactions import ExactTransfer, reference_of
from chains.models import Transfer
from chains.rails.merchant_wallet.authorizations import authorization_for, terms_of
from chains.rails.merchant_wallet.facts import Refusal, signs_no_authorizations
from chains.registry import Chain, Family, chain
from core.clock import now
from core.money import BaseUnits

AUTHORIZED_FOR = timedelta(minutes=30)
"""How long an EIP-3009 authorization can be used. Why so short: nothing else may be done before it is over."""


@dataclass(frozen=True, kw_only=True)
class Offered:
    """What a wallet is given, and the first block that can hold it."""

    unsigned: dict[str, Any]
    authorization: dict[str, Any]
    start_block: int


class CannotOffer(Exception):
    """The wallet could not make this transfer now."""

    def __init__(self, reason: Refusal) -> None:
        self.reason = reason
        super().__init__(reason.value)


def make_offer(transfer: Transfer, sender: str) -> Offered:
    """The unsigned transfer from this wallet. Raises: CannotOffer, ChainUnavailable."""
    known = chain(transfer.chain)
    if known is None:
        raise ChainUnavailable(transfer.chain)
    return _on_solana(transfer, sender, known) if known.family is Family.SOLANA else _on_evm(transfer, sender, known)


def _on_evm(transfer: Transfer, sender: str, known: Chain) -> Offered:
    """Why the block after the newest: a transfer that is older than its offer is none."""
    head = EVM.head(known.name)
    tokens = [] if transfer.token_address == known.native_address else [transfer.token_address]
    held = EVM.balances(known.name, sender, tokens)
    if held.get(transfer.token_address, BaseUnits(0)) < transfer.base_units:
        raise CannotOffer(Refusal.INSUFFICIENT_FUNDS)
    place = {"family": "evm", "chain": known.name, "chain_id": known.chain_id}
    authorization = authorization_for(transfer, sender, known, int((now() + AUTHORIZED_FOR).timestamp()))
    if authorization is not None and not signs_no_authorizations(transfer, sender):
        unsigned = {**place, "typed_data": authorization.typed_data()}
        return Offered(unsigned=unsigned, authorization=terms_of(authorization), start_block=head + 1)
    request = {"from": sender, **plain_call(transfer, known)}
    return Offered(unsigned={**place, "request": request}, authorization={}, start_block=head + 1)


def plain_call(transfer: Transfer, known: Chain) -> dict[str, str]:
    """A transfer with its own id behind it as the mark."""
    tag = str(transfer.pk)
    if transfer.token_address == known.native_address:
        return {"to": transfer.recipient, "value": hex(transfer.base_units), "data": native_note(tag)}
    calldata = token_transfer(transfer.recipient, transfer.base_units, tag)
    return {"to": transfer.token_address, "value": "0x0", "data": calldata}


def _on_solana(transfer: Transfer, sender: str, known: Chain) -> Offered:
    head = SOLANA.head(known.name)
    wanted = ExactTransfer(
        payer=sender,
        recipient=transfer.recipient,
        token_address=transfer.token_address,
        base_units=transfer.base_units,
        tag=str(transfer.pk),
        decimals=transfer.token_decimals,
    )
    try:
        issued = SOLANA.issue_transfer(known.name, wanted)
    except TransferRejected as rejected:
        raise CannotOffer(Refusal.WOULD_FAIL) from rejected
    unsigned = {
        "family": "solana",
        "chain": known.name,
        "transaction_base64": issued.transaction_base64,
        "reference": reference_of(str(transfer.pk)),
        "last_valid_block_height": issued.last_valid_block_height,
    }
    return Offered(unsigned=unsigned, authorization={}, start_block=head)
