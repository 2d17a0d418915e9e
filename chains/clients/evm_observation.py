"""What became of transactions that we signed, as one EVM node shows it: where one of them landed, and what it moved."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import TRANSFER_TOPIC
from chains.clients.outcomes import EndpointFault
from chains.finality import Finality
from chains.registry import EVM_NATIVE_ADDRESS
from core.money import BaseUnits

_SUCCEEDED, _TOPICS, _WORD = 1, 3, 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Sought:
    """A transfer of ours: what it is to move, and the hashes under which it may land, the newest last."""

    sender: str
    recipient: str
    token: str
    base_units: BaseUnits
    hashes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Landing:
    """One of the hashes in a block. ``moved`` is what of the token went from sender to recipient."""

    tx_hash: str
    block_number: int
    block_hash: str
    succeeded: bool
    moved: BaseUnits
    is_final: bool

    @property
    def facts(self) -> tuple[object, ...]:
        """What two nodes must say alike. Why without finality: one may be a little behind."""
        return self.tx_hash, self.block_number, self.block_hash, self.succeeded, self.moved


@dataclass(frozen=True, kw_only=True, slots=True)
class EvmObservation:
    """How a transfer stands: where it landed, else whether the newest hash waits with the node."""

    head: int
    used_nonces: int
    is_pending: bool
    landing: Landing | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Remains:
    """What is left of a transfer whose nonce seems to be used. ``final_nonces`` is None where the node cannot tell."""

    landing: Landing | None
    final_nonces: int | None


def observation_of(node: Node, sought: Sought) -> EvmObservation:
    """How a transfer stands now. Why the count comes first: what lands meanwhile must not seem foreign."""
    used = int(node.web3.eth.get_transaction_count(sought.sender, "latest"))  # type: ignore[arg-type]  # checksummed
    landing = _landing(node, sought)
    is_pending = landing is None and bool(sought.hashes) and _transaction(node, sought.hashes[-1]) is not None
    return EvmObservation(head=node.head, used_nonces=used, is_pending=is_pending, landing=landing)


def remains_of(node: Node, sought: Sought) -> Remains:
    """Whether any hash landed after all, and how many nonces are used for good, counted before looking."""
    block = node.newest(Finality.FINALIZED)
    final: int | None
    try:
        final = int(node.web3.eth.get_transaction_count(sought.sender, block))  # type: ignore[arg-type]  # checksummed
    except Exception:  # noqa: BLE001  (a node without old states cannot tell, and is no worse for anything else)
        final = None
    return Remains(landing=_landing(node, sought), final_nonces=final)


def _landing(node: Node, sought: Sought) -> Landing | None:
    found = (_landed(node, sought, tx_hash) for tx_hash in reversed(sought.hashes))
    return next((landing for landing in found if landing is not None), None)


def _landed(node: Node, sought: Sought, tx_hash: str) -> Landing | None:
    receipt = _receipt(node, tx_hash)
    if receipt is None:
        return None
    number = int(receipt["blockNumber"])
    block = node.web3.eth.get_block(number)
    if block["hash"] != receipt["blockHash"] or number > node.head:
        raise EndpointFault("a receipt of another block")
    return Landing(
        tx_hash=tx_hash,
        block_number=number,
        block_hash="0x" + bytes(receipt["blockHash"]).hex(),
        succeeded=receipt["status"] == _SUCCEEDED,
        moved=_moved(node, sought, tx_hash, receipt),
        is_final=node.is_finalized(number),
    )


def _moved(node: Node, sought: Sought, tx_hash: str, receipt: Any) -> BaseUnits:
    """What went to the recipient: by the token's own logs; of native coin the transaction's value, if it succeeded."""
    if sought.token != EVM_NATIVE_ADDRESS:
        return BaseUnits(sum(_logged(receipt["logs"], sought)))
    if receipt["status"] != _SUCCEEDED:
        return BaseUnits(0)
    transaction = _transaction(node, tx_hash)
    if transaction is None:
        raise EndpointFault("a receipt without its transaction")
    is_ours = (transaction["from"], transaction["to"]) == (sought.sender, sought.recipient)
    return BaseUnits(int(transaction["value"]) if is_ours else 0)


def _logged(logs: Iterable[Any], sought: Sought) -> Iterable[int]:
    parties = [int(address, 16).to_bytes(_WORD) for address in (sought.sender, sought.recipient)]
    for log in logs:
        topics = [bytes(topic) for topic in log["topics"]]
        is_token = log["address"] == sought.token and len(topics) == _TOPICS and len(log["data"]) == _WORD
        if is_token and topics == [TRANSFER_TOPIC, *parties]:
            yield int.from_bytes(log["data"])


def _receipt(node: Node, tx_hash: str) -> Any:
    from web3.exceptions import TransactionNotFound  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    try:
        receipt: Any = node.web3.eth.get_transaction_receipt(tx_hash)  # type: ignore[arg-type]  # any text is a HexStr
    except TransactionNotFound:
        return None
    if "0x" + bytes(receipt["transactionHash"]).hex() != tx_hash:
        raise EndpointFault("another receipt than was asked for")
    return receipt


def _transaction(node: Node, tx_hash: str) -> Any:
    from web3.exceptions import TransactionNotFound  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    try:
        transaction: Any = node.web3.eth.get_transaction(tx_hash)  # type: ignore[arg-type]  # any text is a HexStr
    except TransactionNotFound:
        return None
    if "0x" + bytes(transaction["hash"]).hex() != tx_hash:
        raise EndpointFault("another transaction than was asked for")
    return transaction
