"""The model chain done on a real node too: its hashes are the node's own, and one of its two nodes is that node.

So a history judges what a real node says of logs, calls, receipts and branches. The other node stays a model of the
same blocks, for no real one is odd on command. Only a transfer of coin to a wallet never fails here.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from eth_utils.crypto import keccak

from chains.clients.channel import Channel
from localnet.devchain import Call, DevChain, code, slot
from localnet.nodes import running
from tests.confluence.chain import COIN, FINAL_AFTER, Block, ModelChain, Moved, Sent
from tests.confluence.node import CHAIN_ID, ModelNode
from tests.confluence.wallets import keeper_of, wallet

GAS, GAS_PRICE = 1_000_000, 2 * 10**9
PLENTY = 10**30
BALANCES = 2
"""The storage slot of a token's balances, as localnet/contracts/Tokens.sol has it."""
_EXCHANGE = Channel.exchange
"""The real one: while histories are told, the model's stands in its place."""


@contextmanager
def real_node(began: int) -> Iterator[DevChain]:
    """A node whose first block is of this time, and which calls final what the model does."""
    slots = ("--slots-in-an-epoch", str(FINAL_AFTER // 2))
    with running(CHAIN_ID, "--no-mining", "--order", "fifo", *slots, "--timestamp", str(began)) as node:
        yield node


@dataclass(kw_only=True)
class MirroredChain(ModelChain):
    """The chain of one history, on a node that begins anew with it."""

    node: DevChain
    raw: dict[str, str] = field(default_factory=dict)
    """What wallets signed, by its hash."""

    def send(self, sender: str, to: str, content: bytes, moved: tuple[Moved, ...], *, succeeds: bool = True) -> Sent:
        """Sign it too, and give it to the node."""
        is_bare_coin = moved[0].token == COIN and (moved[0].to, moved[0].content) == (to, content)
        made = self._signed(super().send(sender, to, content, moved, succeeds=succeeds or is_bare_coin))
        self.waiting[-1] = made
        self._post(made)
        return made

    def branch(self, depth: int, fates: Sequence[int], beside: Sequence[Sequence[Sent]], timestamp: int) -> None:
        """The same on the node, where what waits still waits."""
        super().branch(depth, fates, beside, timestamp)
        for one in self.waiting:
            self._post(one)

    def stray(self, moved: Moved) -> Sent:
        """The same, from a wallet of its own: nobody's next number depends on it."""
        self._made += 1
        sender = wallet(f"passer-by {self._made}")
        return self._signed(replace(super().stray(replace(moved, sender=sender)), nonce=0))

    def _other(self, one: Sent) -> Sent:
        other = super()._other(one)
        return other if other.tx_hash in self.raw else self._signed(other)

    def _make(self, timestamp: int, transactions: tuple[Sent, ...]) -> Block:
        """Have the node make it, in place of what it had at this height."""
        number = len(self.blocks)
        if number:
            beyond = self.node.head() - number + 1
            self.node.rpc("anvil_dropAllTransactions")
            if beyond > 0:
                self.node.rpc("anvil_rollback", beyond)
            for one in transactions:
                self._post(one)
            self.node.rpc("evm_setNextBlockTimestamp", timestamp)
            self.node.rpc("evm_mine")
        made = self.node.rpc("eth_getBlockByNumber", hex(number), False)  # noqa: FBT003 - as nodes have it
        assert made["transactions"] == [one.tx_hash for one in transactions], "the node made another block"
        for one in transactions:
            self._check(one)
        return Block(
            number=number,
            block_hash=made["hash"],
            parent_hash=made["parentHash"],
            timestamp=int(made["timestamp"], 16),
            transactions=transactions,
        )

    def _signed(self, one: Sent) -> Sent:
        """The same with its hash on the node, and with calls inside as a wallet that is a contract has them."""
        content = self._batch(one.inner) if one.inner else one.content
        gas = GAS if one.succeeds else _too_little(content)
        words: dict[str, Any] = {"to": one.to, "value": one.value, "data": content, "nonce": one.nonce}
        made = keeper_of(one.sender).sign_transaction(words | {"gas": gas, "gasPrice": GAS_PRICE, "chainId": CHAIN_ID})
        tx_hash = "0x" + bytes(made.hash).hex()
        self.raw[tx_hash] = "0x" + bytes(made.raw_transaction).hex()
        return replace(one, tx_hash=tx_hash, content=content)

    def _check(self, one: Sent) -> None:
        """The node did with it what the model says."""
        receipt = self.node.rpc("eth_getTransactionReceipt", one.tx_hash)
        written = [moved for moved in one.moved if moved.token != COIN] if one.succeeds else []
        assert (int(receipt["status"], 16), len(receipt["logs"])) == (one.succeeds, len(written)), receipt

    def _batch(self, calls: Sequence[Moved]) -> bytes:
        account = self.node.contract("SmartAccount", calls[0].sender)
        given = [(one.to, one.value, one.content) for one in calls]
        return bytes.fromhex(account.encode_abi("execute", args=[given])[2:])

    def _post(self, one: Sent) -> None:
        """Give the node a transaction, and whoever pays in it what that takes.

        Why the token too: a node that goes back far may have lost what was put there from outside.
        """
        owners = {one.sender, *(moved.sender for moved in one.moved)}
        wanted: list[Call] = [("anvil_setBalance", [owner, hex(PLENTY)]) for owner in owners]
        for moved in one.moved:
            if moved.token != COIN:
                balance = keccak(int(moved.sender, 16).to_bytes(32) + BALANCES.to_bytes(32))
                wanted += [code("TestToken", moved.token), slot(moved.token, int.from_bytes(balance), PLENTY)]
        if one.inner:
            wanted.append(code("SmartAccount", one.to))
        self.node.rpc_all([*wanted, ("eth_sendRawTransaction", [self.raw[one.tx_hash]])])


@dataclass(kw_only=True)
class RealNode(ModelNode):
    """The node itself, as the service asks it."""

    channel: Channel

    def exchange(self, body: bytes, number: int) -> dict[str, Any]:
        """Its own answer, over the real transport."""
        said: dict[str, Any] = _EXCHANGE(self.channel, body, number)
        asked = json.loads(body)
        if asked["method"] == "eth_getTransactionReceipt" and said.get("result"):
            self.shown.add((asked["params"][0], said["result"]["blockHash"]))
        return said


def _too_little(content: bytes) -> int:
    """Gas for which a transaction with these bytes is taken, and fails: what the bytes alone take (EIP-7623)."""
    zeros = content.count(0)
    return 21_000 + 10 * (zeros + 4 * (len(content) - zeros))
