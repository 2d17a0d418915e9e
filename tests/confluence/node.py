"""Two nodes of the model chain, as they answer questions in JSON-RPC; one of them is not always honest.

What stands below web3 is replaced here, and nothing above it.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from chains.clients.allowance import spend_question
from chains.clients.evm_reading import TRANSFER_TOPIC
from chains.clients.outcomes import EndpointFault
from tests.confluence.chain import COIN, SAFE_AFTER, Block, ModelChain, Moved, Sent, final_of, nonces_in

CHAIN_ID = 8453
HONEST_URL, ODD_URL = "http://honest.node", "http://odd.node"
_NONE = "0x" + "0" * 64
_BLOOM = "0x" + "0" * 512


class Oddity(Enum):
    """What is wrong with a node now."""

    NONE = "is honest"
    HIDES = "hides all logs, and what whole blocks hold"
    LAGS = "stays where it is"
    AHEAD = "says a head that is two blocks ahead"
    FAR_AHEAD = "says a head that is a thousand blocks ahead"
    BEHIND = "says a head that is four blocks behind"
    SILENT = "says nothing"


HEADS = {Oddity.AHEAD: 2, Oddity.FAR_AHEAD: 1000, Oddity.BEHIND: -4}


@dataclass(kw_only=True)
class ModelNode:
    """A node. ``shown`` is every transaction that it showed in a block, with the block's hash."""

    chain: ModelChain
    oddity: Oddity = Oddity.NONE
    shown: set[tuple[str, str]] = field(default_factory=set)
    _kept: list[Block] | None = None
    """The blocks where it stays."""

    def turn(self, oddity: Oddity) -> None:
        """Be odd in this way from now on."""
        self.oddity = oddity
        self._kept = list(self.chain.blocks) if oddity is Oddity.LAGS else None

    @property
    def blocks(self) -> list[Block]:
        return self.chain.blocks if self._kept is None else self._kept

    def exchange(self, body: bytes, number: int) -> dict[str, Any]:
        """Its answer to a question as it is sent, in the form in which answers come. Raises: EndpointFault."""
        spend_question()
        asked = json.loads(body)
        return {"jsonrpc": "2.0", "id": number, "result": self.answer(asked["method"], asked["params"])}

    def answer(self, method: str, given: list[Any]) -> Any:
        """What it says. Raises: EndpointFault."""
        if self.oddity is Oddity.SILENT:
            raise EndpointFault("ConnectionError")
        return _ANSWERS[method](self, *given)

    def _head(self) -> str:
        return hex(max(len(self.blocks) - 1 + HEADS.get(self.oddity, 0), 0))

    def _block(self, which: str, is_whole: bool) -> dict[str, Any] | None:
        number = self._number(which)
        if number >= len(self.blocks):
            return None
        block = self.blocks[number]
        shown = replace(block, transactions=()) if self.oddity is Oddity.HIDES and is_whole else block
        return _block(shown, is_whole=is_whole)

    def _number(self, which: str) -> int:
        newest = len(self.blocks) - 1
        named = {"latest": newest, "pending": newest, "safe": max(newest - SAFE_AFTER, 0)}
        named["finalized"] = final_of(self.blocks)
        return named[which] if which in named else int(which, 16)

    def _find(self, tx_hash: str) -> tuple[Block, Sent] | None:
        found = (
            (block, one) for block in reversed(self.blocks) for one in block.transactions if one.tx_hash == tx_hash
        )
        return next(found, None)

    def _transaction(self, tx_hash: str) -> dict[str, Any] | None:
        found = self._find(tx_hash)
        if found is not None:
            return _transaction(*found)
        waiting = (one for one in self.chain.waiting if one.tx_hash == tx_hash)
        return next((_transaction(None, one) for one in waiting), None)

    def _receipt(self, tx_hash: str) -> dict[str, Any] | None:
        found = self._find(tx_hash)
        if found is None:
            return None
        block, one = found
        self.shown.add((tx_hash, block.block_hash))
        return {
            "transactionHash": tx_hash, "transactionIndex": hex(block.transactions.index(one)), "type": "0x2",
            "blockHash": block.block_hash, "blockNumber": hex(block.number), "from": one.sender, "to": one.to,
            "cumulativeGasUsed": "0x1", "gasUsed": "0x1", "contractAddress": None, "logsBloom": _BLOOM,
            "status": hex(one.succeeds), "effectiveGasPrice": "0x1",
            "logs": [log for log in _logs(block) if log["transactionHash"] == tx_hash],
        }  # fmt: skip

    def _trace(self, tx_hash: str, _tracer: dict[str, Any]) -> dict[str, Any] | None:
        found = self._find(tx_hash)
        return None if found is None else _outermost(found[1])

    def _logs(self, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        if self.oddity is Oddity.HIDES:
            return []
        span = self.blocks[int(wanted["fromBlock"], 16) : int(wanted["toBlock"], 16) + 1]
        return [log for block in span for log in _logs(block) if _fits(log, wanted)]

    def _count(self, sender: str, which: str) -> str:
        waiting = self.chain.waiting if which == "pending" else []
        standing = nonces_in(self.blocks[: self._number(which) + 1], sender)
        return hex(standing + sum(one.sender == sender for one in waiting))


_ANSWERS: dict[str, Callable[..., Any]] = {
    "eth_chainId": lambda _: hex(CHAIN_ID),
    "web3_clientVersion": lambda _: "Model/v1",
    "eth_blockNumber": ModelNode._head,
    "eth_getBlockByNumber": ModelNode._block,
    "eth_getLogs": ModelNode._logs,
    "eth_getTransactionByHash": ModelNode._transaction,
    "eth_getTransactionReceipt": ModelNode._receipt,
    "eth_getTransactionCount": ModelNode._count,
    "debug_traceTransaction": ModelNode._trace,
}


def exchange_with(node_at: Callable[[str], ModelNode]) -> Callable[[Any, bytes, int], dict[str, Any]]:
    """What stands for ``Channel.exchange``: the question goes to the node of the channel's address."""

    def exchange(channel: Any, body: bytes, number: int) -> dict[str, Any]:
        return node_at(channel._url).exchange(body, number)

    return exchange


def _block(block: Block, *, is_whole: bool) -> dict[str, Any]:
    listed = [_transaction(block, one) if is_whole else one.tx_hash for one in block.transactions]
    return {
        "number": hex(block.number), "hash": block.block_hash, "parentHash": block.parent_hash,
        "timestamp": hex(block.timestamp), "transactions": listed, "extraData": "0x", "logsBloom": _BLOOM,
        "stateRoot": _NONE, "gasLimit": "0x1c9c380", "gasUsed": "0x0",
    }  # fmt: skip


def _transaction(block: Block | None, one: Sent) -> dict[str, Any]:
    place = None if block is None else hex(block.transactions.index(one))
    return {
        "hash": one.tx_hash, "from": one.sender, "to": one.to, "value": hex(one.value),
        "input": "0x" + one.content.hex(), "nonce": hex(one.nonce),
        "gas": "0x1", "gasPrice": "0x1", "chainId": hex(CHAIN_ID), "type": "0x2",
        "blockNumber": None if block is None else hex(block.number),
        "blockHash": None if block is None else block.block_hash, "transactionIndex": place,
    }  # fmt: skip


def _outermost(one: Sent) -> dict[str, Any]:
    """A transaction's calls, as a node's call tracer tells them."""
    own = [moved for moved in one.moved if moved not in one.inner]
    calls = [_frame(moved.sender, moved.to, moved.value, moved.content, [moved], ()) for moved in one.inner]
    frame = _frame(one.sender, one.to, one.value, one.content, own, calls)
    return frame if one.succeeds else {**frame, "error": "execution reverted"}


def _frame(  # noqa: PLR0913, PLR0917 - what a call is made of
    sender: str, to: str, value: int, content: bytes, moved: Iterable[Moved], calls: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    logs = [{"position": "0x0"} for one in moved if one.token != COIN]
    return {
        "type": "CALL", "from": sender.lower(), "to": to.lower(), "value": hex(value), "input": "0x" + content.hex(),
        "logs": logs, "calls": list(calls),
    }  # fmt: skip


def _logs(block: Block) -> list[dict[str, Any]]:
    """The logs of a block, counted in the block: what comes before shifts them. A coin writes none."""
    found: list[dict[str, Any]] = []
    for place, one in enumerate(block.transactions):
        for moved in one.moved if one.succeeds else ():
            if moved.token == COIN:
                continue
            found.append(
                {
                    "address": moved.token,
                    "data": f"0x{moved.units:064x}",
                    "logIndex": hex(len(found)),
                    "removed": False,
                    "topics": ["0x" + TRANSFER_TOPIC.hex(), _word(moved.sender), _word(moved.recipient)],
                    "transactionHash": one.tx_hash,
                    "transactionIndex": hex(place),
                    "blockNumber": hex(block.number),
                    "blockHash": block.block_hash,
                }  # fmt: skip
            )
    return found


def _fits(log: dict[str, Any], wanted: dict[str, Any]) -> bool:
    contracts = _any_of(wanted["address"])
    if log["address"].lower() not in {one.lower() for one in contracts} or len(log["topics"]) < len(wanted["topics"]):
        return False
    pairs = zip(wanted["topics"], log["topics"], strict=False)
    return all(asked is None or topic in _any_of(asked) for asked, topic in pairs)


def _any_of(asked: str | list[str]) -> list[str]:
    return [asked] if isinstance(asked, str) else asked


def _word(address: str) -> str:
    return "0x" + address[2:].lower().rjust(64, "0")
