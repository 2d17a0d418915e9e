"""Reading an EVM chain by another way than its readers do: whole blocks with all of their receipts.

Why another: what readers overlook, this shows. No node's index of logs is asked, no bloom, and no range.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from chains.clients.across import SPOKE_POOLS, fills_in
from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import TRANSFER_TOPIC, succeeded
from chains.clients.evm_trace import coins_received, frames_of
from chains.clients.outcomes import CannotSay, EndpointFault, is_odd
from chains.clients.registry import EVM
from chains.reader.base import Opened
from chains.registry import EVM_NATIVE_ADDRESS

BLOCKS_A_QUESTION = 20
"""Read from one and the same node. Why so few: what fails is asked again as a whole."""
_TOPICS, _WORD = 3, 32

Place = tuple[str, str]
"""A token, or the native coin, and an address where it may arrive. With their checksums."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is looked for: whatever reaches these places, and the transactions of these names whatever they do."""

    places: frozenset[Place]
    named: frozenset[str] = frozenset()

    @cached_property
    def coin_addresses(self) -> frozenset[str]:
        """Where the native coin may arrive."""
        return frozenset(address for token, address in self.places if token == EVM_NATIVE_ADDRESS)

    @cached_property
    def by_words(self) -> dict[tuple[str, bytes], Place]:
        """The places by their token and by the word that names the address in a log."""
        return {(token, int(address, 16).to_bytes(_WORD)): (token, address) for token, address in self.places}


@dataclass(frozen=True, kw_only=True, slots=True)
class Landed:
    """A transaction in a block, and the base units that it brought to each place, by its logs and its own value.

    ``has_calls``: it may have brought more of the native coin inside, where only a trace shows it.
    """

    opened: Opened
    units: Mapping[Place, int]
    has_calls: bool


def landed_in(chain: str, first: int, last: int, wanted: Wanted) -> list[Landed]:
    """Everything of a few blocks that is wanted, or may be. No transaction may be open. Raises: ChainUnavailable."""
    return EVM.pool(chain).ask(partial(_landed, first=first, last=last, wanted=wanted))


def coins_brought(chain: str, tx_hash: str, recipient: str) -> int:
    """What of the native coin reached an address inside a transaction. As above, also where no node traces."""
    return EVM.pool(chain).ask(partial(_coins, tx_hash=tx_hash, recipient=recipient))


def _landed(node: Node, first: int, last: int, wanted: Wanted) -> list[Landed]:
    found = []
    for number in range(first, last + 1):
        block: Any = node.web3.eth.get_block(number, full_transactions=True)
        receipts = _receipts(node, block, wanted) if block["transactions"] else {}
        for sent in block["transactions"]:
            receipt = receipts.get("0x" + bytes(sent["hash"]).hex())
            one = None if receipt is None else _as_landed(node, sent, receipt, wanted)
            if one is not None and (one.units or one.has_calls or one.opened.tx_hash in wanted.named):
                found.append(one)
    return found


def _receipts(node: Node, block: Any, wanted: Wanted) -> dict[str, Any]:
    """By hash, of all of a block; from a node that tells them one by one alone, of what names what is wanted.

    Raises: EndpointFault where they are not the block's.
    """
    try:
        found: Any = node.web3.eth.get_block_receipts(int(block["number"]))
    except Exception as error:
        if not is_odd(error):
            raise
        addresses = frozenset(address for _, address in wanted.places)
        named = [
            sent["hash"]
            for sent in block["transactions"]
            if "0x" + bytes(sent["hash"]).hex() in wanted.named
            or sent["to"] in addresses
            or _speaks_of(sent, addresses)
        ]
        found = [node.web3.eth.get_transaction_receipt(tx_hash) for tx_hash in named]
    else:
        if len(found) != len(block["transactions"]):
            raise EndpointFault("a block without all of its receipts")
    if any(bytes(receipt["blockHash"]) != bytes(block["hash"]) for receipt in found):
        raise EndpointFault("receipts of another block")
    return {"0x" + bytes(receipt["transactionHash"]).hex(): receipt for receipt in found}


def _speaks_of(sent: Any, addresses: frozenset[str]) -> bool:
    content = bytes(sent["input"])
    return any(bytes.fromhex(address[2:]) in content for address in addresses)


def _as_landed(node: Node, sent: Any, receipt: Any, wanted: Wanted) -> Landed:
    pool = SPOKE_POOLS.get(node.chain.name, "")
    opened = Opened(
        tx_hash="0x" + bytes(sent["hash"]).hex(),
        block_number=int(receipt["blockNumber"]),
        block_hash="0x" + bytes(receipt["blockHash"]).hex(),
        content=bytes(sent["input"]),
        orders=tuple(str(fill.order) for fill in fills_in(receipt["logs"], pool)),
    )
    is_done, coin_addresses = succeeded(receipt), wanted.coin_addresses
    units = _logged(receipt, wanted)
    is_direct = sent["to"] in coin_addresses and sent["from"] != sent["to"] and int(sent["value"]) > 0
    if is_done and is_direct:
        units[EVM_NATIVE_ADDRESS, sent["to"]] = int(sent["value"])
    has_calls = is_done and not is_direct and _speaks_of(sent, coin_addresses)
    return Landed(opened=opened, units=units, has_calls=has_calls)


def _logged(receipt: Any, wanted: Wanted) -> Counter[Place]:
    """What reached places that are wanted, from somebody else, by the logs of their tokens."""
    units: Counter[Place] = Counter()
    for log in receipt["logs"]:
        topics, amount = [bytes(topic) for topic in log["topics"]], bytes(log["data"])
        if len(topics) != _TOPICS or topics[0] != TRANSFER_TOPIC or len(amount) != _WORD or topics[1] == topics[2]:
            continue
        place = wanted.by_words.get((log["address"], topics[2]))
        if place is not None and any(amount):
            units[place] += int.from_bytes(amount)
    return units


def _coins(node: Node, tx_hash: str, recipient: str) -> int:
    frames = frames_of(node, tx_hash)
    if frames is None:
        raise CannotSay("no traces")
    return sum(frame.value for frame in coins_received(frames, recipient))
