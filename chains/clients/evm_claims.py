"""A payment without a tag, claimed by the wallet that made it: the wallet signs which leg it was for.

A claim is the weakest title there is, so it is taken only where nothing else can want the transfer: the transaction's
own call, sent by the claiming wallet itself, is the transfer and nothing besides, and its block is final.
Source: docs/adr/0044.
"""

from typing import Any

from chains.calldata.erc20 import transfer_call
from chains.clients.base import IssuedLeg
from chains.clients.evm_endpoint import Node
from chains.registry import EVM_NATIVE_ADDRESS

_WORD = 32


def claim_text(tag: str, tx_hash: str) -> str:
    """What a wallet signs (EIP-191) to say that its transaction was the payment of a leg."""
    return f"Causeway: I made this payment.\nPayment: {tag}\nTransaction: {tx_hash.lower()}"


def signer_of_claim(tag: str, tx_hash: str, signature: str) -> str:
    """Whose key signed the claim, both in hexadecimal; empty where nobody's did. Asks no node."""
    return _signer(claim_text(tag, tx_hash), bytes.fromhex(signature.removeprefix("0x")))


def is_claimed(transaction: Any, leg: IssuedLeg, tx_hash: str) -> bool:
    """Whether the payer's wallet sent the transaction that was reported, as a bare transfer, and signed the claim.

    Why no contract's word (EIP-1271): a contract never is who sent a transaction, and what it does inside another
    call is not told from what somebody else had done there.
    """
    if leg.claim is None or tx_hash.lower() != leg.tx_hash or not _is_bare_transfer(transaction, leg):
        return False
    return _signer(claim_text(leg.tag, tx_hash), leg.claim.signature) == leg.sender


def claimed_logs(arrived: list[Any], leg: IssuedLeg) -> list[Any]:
    """Of transfers to the merchant the one by the payer of exactly the asked amount; none where there are more."""
    if leg.claim is None:
        return []
    payer = int(leg.sender, 16).to_bytes(_WORD)
    exact = [
        log
        for log in arrived
        if bytes(log["topics"][1]) == payer and int.from_bytes(log["data"]) == leg.claim.base_units
    ]
    return exact if len(exact) == 1 else []


def may_count(node: Node, leg: IssuedLeg, receipt: Any, tx_hash: str) -> bool:
    """Whether a claimed transfer is final by its chain, or counted before. Until then the claim waits."""
    return tx_hash in leg.known_hashes or node.is_finalized(int(receipt["blockNumber"]))


def _is_bare_transfer(transaction: Any, leg: IssuedLeg) -> bool:
    """Whether the whole transaction is the payer's transfer of what is asked, with no byte besides.

    Why to the byte: what stands behind the arguments is somebody's mark.
    """
    assert leg.claim is not None  # noqa: S101 - the caller has looked
    if transaction["from"] != leg.sender:
        return False
    if leg.token_address == EVM_NATIVE_ADDRESS:
        wanted = (leg.recipient, int(leg.claim.base_units), b"")
    else:
        wanted = (leg.token_address, 0, bytes.fromhex(transfer_call(leg.recipient, leg.claim.base_units)[2:]))
    return (transaction["to"], int(transaction["value"]), bytes(transaction["input"])) == wanted


def _signer(text: str, signature: bytes) -> str:
    """Whose key signed; empty where nobody's did. Why so broad a catch: the library fails in any way at nonsense."""
    from eth_account import Account  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)
    from eth_account.messages import encode_defunct  # noqa: PLC0415  (as above)

    try:
        return str(Account.recover_message(encode_defunct(text=text), signature=signature))
    except Exception:
        return ""
