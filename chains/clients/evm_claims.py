"""A payment without a tag, claimed by the wallet that made it: the wallet signs which leg it was for.

Source: chains, Direct payments and attribution (wallet proof); rulings, Credit only what is inside the tagged call.
"""

from typing import Any

from chains.clients.base import IssuedLeg
from chains.clients.evm_endpoint import Node

_WORD = 32
_ACCEPTED = bytes.fromhex("1626ba7e")
"""What a wallet's own contract answers to a signature that it takes for its own. Source: EIP-1271."""


def claim_text(tag: str, tx_hash: str) -> str:
    """What a wallet signs (EIP-191) to say that its transaction was the payment of a leg."""
    return f"Causeway: I made this payment.\nPayment: {tag}\nTransaction: {tx_hash.lower()}"


def is_claimed(node: Node, leg: IssuedLeg, tx_hash: str) -> bool:
    """Whether the payer's wallet signed that this transaction, the one that was reported, is the leg's payment."""
    if leg.claim is None or tx_hash.lower() != leg.tx_hash:
        return False
    text = claim_text(leg.tag, tx_hash)
    return _signer(text, leg.claim.signature) == leg.sender or _contract_accepts(node, leg, text)


def claimed_logs(arrived: list[Any], leg: IssuedLeg) -> list[Any]:
    """Of transfers to the merchant the first one by the payer of exactly the asked amount; nothing else is claimed."""
    if leg.claim is None:
        return []
    payer = int(leg.sender, 16).to_bytes(_WORD)
    exact = [
        log
        for log in arrived
        if bytes(log["topics"][1]) == payer and int.from_bytes(log["data"]) == leg.claim.base_units
    ]
    return exact[:1]


def is_claimed_coin(transaction: Any, leg: IssuedLeg) -> bool:
    """Whether a transaction is the payer's own transfer of exactly the asked amount of the native coin."""
    if leg.claim is None:
        return False
    asked = (leg.sender, leg.recipient, int(leg.claim.base_units))
    return (transaction["from"], transaction["to"], int(transaction["value"])) == asked


def _signer(text: str, signature: bytes) -> str:
    """Whose key signed; empty where nobody's did. Why so broad a catch: the library fails in any way at nonsense."""
    from eth_account import Account  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)
    from eth_account.messages import encode_defunct  # noqa: PLC0415  (as above)

    try:
        return str(Account.recover_message(encode_defunct(text=text), signature=signature))
    except Exception:
        return ""


def _contract_accepts(node: Node, leg: IssuedLeg, text: str) -> bool:
    """Whether the payer is a contract that takes the signature for its own. Source: EIP-1271."""
    from eth_abi.abi import encode  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)
    from eth_hash.auto import keccak  # noqa: PLC0415  (as above)
    from web3.exceptions import ContractLogicError  # noqa: PLC0415  (as above)

    assert leg.claim is not None  # noqa: S101 - the caller has looked
    digest = keccak(f"\x19Ethereum Signed Message:\n{len(text)}{text}".encode())
    asked = _ACCEPTED + encode(["bytes32", "bytes"], [digest, leg.claim.signature])
    call: Any = {"to": leg.sender, "data": "0x" + asked.hex()}
    try:
        answer = bytes(node.web3.eth.call(call, node.head))
    except ContractLogicError:
        return False
    return answer[:4] == _ACCEPTED and len(answer) == _WORD
