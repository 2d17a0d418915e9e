"""Across's relayers on the local network: they pay on one chain what was deposited on another, or do not."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import requests
from web3 import Web3

from localnet.addresses import CHAIN_NAMES, SPOKE_POOLS, WRAPPED_COINS
from localnet.devchain import DevChain
from localnet.solana.spoke import CHAIN_ID as SOLANA_CHAIN_ID
from localnet.solana.spoke import SvmSpoke

SOLANA = "solana"
POLL_SECONDS = 0.2
LESS_BPS = 9_000
BPS = 10_000
RELAY_FIELDS = (
    "depositor",
    "recipient",
    "exclusiveRelayer",
    "inputToken",
    "outputToken",
    "inputAmount",
    "outputAmount",
    "depositId",
    "fillDeadline",
    "exclusivityDeadline",
    "message",
)


class Conduct(StrEnum):
    """What a relayer does with a deposit."""

    FILL = "fill"
    HOLD = "hold"
    REFUND = "refund"
    LESS = "less"
    """Nine tenths, as if the depositor had agreed to less."""
    ELSEWHERE = "elsewhere"
    """All of it, to ``Relayer.other_recipient``."""
    INVENTED = "invented"
    """A fill of the same id with other contents; the deposit itself stays open."""


@dataclass
class Delivery:
    """One deposit and what became of it. ``fill_hash`` and ``refund_hash`` are empty until then."""

    source: str
    deposit: Mapping[str, Any]
    source_hash: str
    seen_at: float
    fill_hash: str = ""
    refund_hash: str = ""
    paid_units: int = 0

    @property
    def destination(self) -> str:
        """The chain on which it is to be paid; empty for one that is not here."""
        return CHAIN_NAMES.get(self.deposit["destinationChainId"], "")

    @property
    def is_open(self) -> bool:
        """Whether nothing became of it yet."""
        return not (self.fill_hash or self.refund_hash)


@dataclass
class Relayer:
    """Watches every pool. A test sets its conduct, and calls ``work`` itself or lets ``working`` do it."""

    nodes: Mapping[str, DevChain]
    svm: SvmSpoke | None = None
    conduct: Conduct = Conduct.FILL
    delay_seconds: float = 0
    other_recipient: str = "0x00000000000000000000000000000000000E15e5"
    deliveries: list[Delivery] = field(default_factory=list)
    _read_to: dict[str, int] = field(default_factory=dict)
    _one_at_a_time: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        """Why: what others deposited before is none of its business."""
        self._read_to = {chain: node.head() for chain, node in self.nodes.items()}

    def work(self) -> None:
        """Take notice of new deposits, and settle those whose time has come."""
        with self._one_at_a_time:
            for chain, node in self.nodes.items():
                self._notice(chain, node)
            for signature, fields in [] if self.svm is None else self.svm.taken():
                self.deliveries.append(Delivery(SOLANA, fields, signature, time.monotonic()))
            for delivery in self.deliveries:
                if delivery.is_open and time.monotonic() >= delivery.seen_at + self.delay_seconds:
                    self._settle(delivery)

    def of(self, source_hash: str) -> Delivery | None:
        """What belongs to a transaction on the source chain."""
        names = {source_hash, source_hash.lower()}
        return next((one for one in self.deliveries if one.source_hash in names), None)

    def _notice(self, chain: str, node: DevChain) -> None:
        head, first = node.head(), self._read_to[chain] + 1
        if head < first:
            return
        logs = node.spoke_pool().events.FundsDeposited().get_logs(from_block=first, to_block=head)
        for log in logs:
            tx_hash = "0x" + bytes(log["transactionHash"]).hex()
            self.deliveries.append(Delivery(chain, dict(log["args"]), tx_hash, time.monotonic()))
        self._read_to[chain] = head

    def _settle(self, delivery: Delivery) -> None:
        if self.conduct is Conduct.REFUND:
            self._refund(delivery)
        elif self.conduct is not Conduct.HOLD and delivery.destination in self.nodes:
            self._fill(delivery)

    def _refund(self, delivery: Delivery) -> None:
        if delivery.source == SOLANA:
            assert self.svm is not None
            delivery.refund_hash = self.svm.refund(delivery.deposit)
            return
        node, deposit = self.nodes[delivery.source], delivery.deposit
        receiver, token = (_address(deposit[name]) for name in ("depositor", "inputToken"))
        refund = node.spoke_pool().functions.refund(token, receiver, deposit["inputAmount"])
        delivery.refund_hash = _transacted(node, refund)

    def _fill(self, delivery: Delivery) -> None:
        node, deposit = self.nodes[delivery.destination], delivery.deposit
        relay = {name: deposit[name] for name in RELAY_FIELDS} | {"originChainId": self._origin(delivery)}
        if self.conduct is Conduct.INVENTED:
            relay |= {"outputAmount": deposit["outputAmount"] // 2, "depositor": _word(self.other_recipient)}
        units = relay["outputAmount"] * (LESS_BPS if self.conduct is Conduct.LESS else BPS) // BPS
        self._provide(node, _address(relay["outputToken"]), units)
        repayment = (self._origin(delivery), _word(node.web3.eth.accounts[0]))
        pool = node.spoke_pool().functions
        if self.conduct in {Conduct.LESS, Conduct.ELSEWHERE}:
            to = _word(self.other_recipient) if self.conduct is Conduct.ELSEWHERE else relay["recipient"]
            call = pool.fillRelayWithUpdatedDeposit(relay, *repayment, units, to, b"", b"")
        else:
            call = pool.fillRelay(relay, *repayment)
        delivery.fill_hash, delivery.paid_units = _transacted(node, call), units

    def _origin(self, delivery: Delivery) -> int:
        if delivery.source == SOLANA:
            return SOLANA_CHAIN_ID
        return int(self.nodes[delivery.source].web3.eth.chain_id)

    def _provide(self, node: DevChain, token: str, units: int) -> None:
        """Give the relayer what it is about to pay, and let the pool take it."""
        relayer = node.web3.eth.accounts[0]
        contract = node.contract("WrappedCoin" if token == WRAPPED_COINS[node.chain] else "TestToken", token)
        pool = Web3.to_checksum_address(SPOKE_POOLS[node.chain])
        _transacted(node, contract.functions.mint(relayer, units))
        if contract.functions.allowance(relayer, pool).call() < units:
            _transacted(node, contract.functions.approve(pool, 2**256 - 1))


@contextmanager
def working(relayer: Relayer) -> Iterator[Relayer]:
    """The relayer at work until the end, in a thread of its own."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(POLL_SECONDS):
            with suppress(requests.ConnectionError):  # a node that was stopped
                relayer.work()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield relayer
    finally:
        ended.set()
        thread.join()


def _transacted(node: DevChain, call: Any) -> str:
    receipt = node.await_receipt(call.transact({"from": node.web3.eth.accounts[0]}))
    assert receipt["status"] == 1, call
    return "0x" + bytes(receipt["transactionHash"]).hex()


def _address(word: bytes) -> str:
    return str(Web3.to_checksum_address(bytes(word)[-20:]))


def _word(address: str) -> bytes:
    return int(address, 16).to_bytes(32)
