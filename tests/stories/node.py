"""A node of the model chain: answers as web3 does, without a network, so that the service's own reading is told.

Whoever asks stands outside any transaction: that is where the other worker gets its turn (``meanwhile``).
"""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from web3.exceptions import ContractLogicError, TransactionNotFound

from chains.clients.evm_balances import MULTICALL3
from chains.clients.evm_endpoint import Node
from chains.clients.evm_fees import ORACLE
from chains.clients.outcomes import EndpointFault, NoAnswer
from chains.errors import ChainUnavailable
from chains.registry import Chain
from tests.stories.chain import Block, ModelChain, Sent, address_of, transfer_event

T = TypeVar("T")
PLENTY = 10**24
GAS, GAS_PRICE, DATA_FEE = 60_000, 10**7, 10**9
_TRANSFER = bytes.fromhex("a9059cbb")


class ModelPool:
    has_second = False

    def __init__(self, chain: ModelChain, meanwhile: Callable[[str], None]) -> None:
        self.chain: Chain = chain.known
        self._model = chain
        self._meanwhile = meanwhile

    def ask(self, question: Callable[[Any], T], least_head: int = 0) -> T:
        return self.ask_one(question, least_head)[0]

    def ask_one(
        self,
        question: Callable[[Any], T],
        least_head: int = 0,
        is_whole: Callable[[T], bool] = bool,
        most_seconds: int | None = None,
        is_enough: Callable[[T], bool] = bool,
    ) -> tuple[T, "ModelPool"]:
        """As ``ask``; then the world goes on before the answer is heard."""
        try:
            with self._model.lock:
                answer = question(self._node())
        except NoAnswer:
            raise ChainUnavailable(self.chain.name) from None
        self._meanwhile(f"asking {self.chain.name}")
        return answer, self

    def ask_second(self, question: Callable[[Any], T], beside: object) -> T | None:
        return None

    def ask_every(self, question: Callable[[Any], T]) -> list[T | NoAnswer]:
        try:
            return [self.ask(question)]
        except ChainUnavailable:
            return [EndpointFault("no answer")]

    def _node(self) -> Node:
        facade: Any = Web3Facade(self._model)
        return Node(web3=facade, chain=self.chain, head=self._model.head)


class Web3Facade:
    def __init__(self, chain: ModelChain) -> None:
        self.eth = Eth(chain)
        self.provider = Provider(chain)


class Eth:
    def __init__(self, chain: ModelChain) -> None:
        self._chain = chain

    @property
    def block_number(self) -> int:
        return self._chain.head

    @property
    def gas_price(self) -> int:
        return GAS_PRICE

    def get_block(self, which: int | str, full_transactions: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 - as web3
        block = self._block(which)
        listed = [_transaction(one) if full_transactions else _bytes(one.tx_hash) for one in block.transactions]
        return {
            "number": block.number,
            "hash": _bytes(block.block_hash),
            "timestamp": block.timestamp,
            "transactions": listed,
        }

    def get_transaction(self, tx_hash: str) -> dict[str, Any]:
        found = self._chain.find(tx_hash)
        if found is None:
            raise TransactionNotFound(tx_hash)
        return _transaction(found)

    def get_transaction_receipt(self, tx_hash: str) -> dict[str, Any]:
        found = self._chain.find(tx_hash)
        if found is None or found.block is None:
            raise TransactionNotFound(tx_hash)
        logs = [log for log in _logs(found.block) if log["transactionHash"] == _bytes(found.tx_hash)]
        return {
            "transactionHash": _bytes(found.tx_hash), "blockNumber": found.block.number,
            "blockHash": _bytes(found.block.block_hash), "transactionIndex": found.block.transactions.index(found),
            "status": int(found.succeeds), "from": found.sender, "to": found.to, "logs": logs,
        }  # fmt: skip

    def get_logs(self, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        span = range(wanted["fromBlock"], wanted["toBlock"] + 1)
        return [
            log for block in self._chain.blocks if block.number in span for log in _logs(block) if _fits(log, wanted)
        ]

    def get_transaction_count(self, sender: str, upto: int | str = "latest") -> int:
        if upto == "pending":
            return self._chain.used_nonces(sender) + sum(one.sender == sender for one in self._chain.waiting)
        last = self._block(upto).number
        return self._chain.used_nonces(sender, last)

    def get_balance(self, holder: str) -> int:
        return PLENTY

    def fee_history(self, blocks: int, upto: str, percentiles: list[int]) -> dict[str, Any]:
        return {"baseFeePerGas": [GAS_PRICE] * (blocks + 1), "reward": [[1]] * blocks}

    def call(self, call: dict[str, Any], block: int) -> bytes:
        """Balances by the one contract, and what bytes cost; no wallet here is a contract."""
        if call["to"] == ORACLE:
            return DATA_FEE.to_bytes(32)
        if call["to"] != MULTICALL3:
            raise ContractLogicError("execution reverted")
        from eth_abi.abi import decode, encode  # noqa: PLC0415 - slow

        [asked] = decode(["(address,bool,bytes)[]"], bytes.fromhex(call["data"][10:]))
        answers = [(True, self._balance(target, content).to_bytes(32)) for target, _, content in asked]
        return bytes(encode(["(bool,bytes)[]"], [answers]))

    def _balance(self, target: str, content: bytes) -> int:
        holder, token = address_of(content[4:]), address_of(bytes.fromhex(target[2:]))
        return PLENTY if token == MULTICALL3 else self._chain.balance(token, holder)

    def _block(self, which: int | str) -> Block:
        named = {"latest": self._chain.head, "finalized": self._chain.final, "safe": self._chain.final}
        number = named[which] if isinstance(which, str) else which
        if not 0 <= number <= self._chain.head:
            raise EndpointFault("no such block")
        return self._chain.blocks[number]


class Provider:
    def __init__(self, chain: ModelChain) -> None:
        self._chain = chain

    def make_request(self, method: str, parameters: list[Any]) -> dict[str, Any]:
        if method == "eth_sendRawTransaction":
            taken = self._chain.submit(unsealed(parameters[0]))
            return {"result": "0x"} if taken else {"error": {"code": -32000, "message": "nonce too low"}}
        if method == "eth_estimateGas":
            return {"result": hex(GAS)} if self._works(parameters[0]) else {"error": {"code": 3, "message": "reverted"}}
        if method == "eth_simulateV1":
            [block] = parameters[0]["blockStateCalls"]
            return {"result": [{"calls": [self._tried(call) for call in block["calls"]]}]}
        return {"error": {"code": -32601, "message": "no such method"}}

    def _tried(self, call: dict[str, str]) -> dict[str, Any]:
        moved = movement(call["from"], call["to"], bytes.fromhex(call["data"][2:]))
        logs = [
            {
                "address": event.address.lower(),
                "topics": ["0x" + topic.hex() for topic in event.topics],
                "data": "0x" + event.data.hex(),
            }
            for event in moved
        ]
        return {"status": "0x1" if self._works(call) else "0x0", "logs": logs}

    def _works(self, call: dict[str, str]) -> bool:
        moved = movement(call["from"], call["to"], bytes.fromhex(call["data"][2:]))
        return all(self._chain.balance(call["to"], call["from"]) >= int.from_bytes(one.data) for one in moved)


def movement(sender: str, to: str, calldata: bytes) -> list[Any]:
    if calldata[:4] != _TRANSFER:
        return []
    recipient, units = address_of(calldata[4:36]), int.from_bytes(calldata[36:68])
    return [transfer_event(to, sender, recipient, units)]


def sealed(sender: str, nonce: int, to: str, data: bytes, fee: int) -> str:
    facts = {"sender": sender, "nonce": nonce, "to": to, "data": data.hex(), "fee": fee}
    return "0x" + json.dumps(facts, sort_keys=True).encode().hex()


def unsealed(raw: str) -> Sent:
    facts = json.loads(bytes.fromhex(raw[2:]))
    data = bytes.fromhex(facts["data"])
    return Sent(
        tx_hash=hash_of(raw), sender=facts["sender"], nonce=facts["nonce"], to=facts["to"], calldata=data,
        events=tuple(movement(facts["sender"], facts["to"], data)),
    )  # fmt: skip


def hash_of(raw: str) -> str:
    return "0x" + sha256(raw.encode()).hexdigest()


def _transaction(one: Sent) -> dict[str, Any]:
    return {
        "hash": _bytes(one.tx_hash), "from": one.sender, "to": one.to, "value": one.value, "input": one.calldata,
        "nonce": one.nonce, "blockNumber": None if one.block is None else one.block.number,
    }  # fmt: skip


def _logs(block: Block) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for tx in block.transactions:
        for event in tx.events if tx.succeeds else ():
            found.append(
                {
                    "address": event.address,
                    "topics": list(event.topics),
                    "data": event.data,
                    "logIndex": len(found),
                    "transactionHash": _bytes(tx.tx_hash),
                    "blockNumber": block.number,
                    "blockHash": _bytes(block.block_hash),
                }
            )
    return found


def _fits(log: dict[str, Any], wanted: dict[str, Any]) -> bool:
    if log["address"] != wanted["address"] or len(log["topics"]) < len(wanted["topics"]):
        return False
    pairs = zip(wanted["topics"], log["topics"], strict=False)
    return all(asked is None or topic in _any_of(asked) for asked, topic in pairs)


def _any_of(asked: str | list[str]) -> list[bytes]:
    return [bytes.fromhex(one[2:]) for one in ([asked] if isinstance(asked, str) else asked)]


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])
