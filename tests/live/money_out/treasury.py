"""A merchant's account on a real node, what is ordered from it, and what the chain itself says was moved.

What landed is counted from blocks, receipts and logs by the test's own connection, never by the service's reading.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import F
from eth_account.signers.local import LocalAccount
from hexbytes import HexBytes

from chains.models import SigningAccount, Transfer, TransferAttempt
from chains.rails.base import RailName
from chains.rails.evm.rail import EvmRail
from chains.transfers import TransferOrder, advance_transfer, request_transfer, withdraw_transfer
from core.money import BaseUnits, usd
from localnet.addresses import NATIVE
from localnet.nodes import DevChain, fresh_wallet
from merchants.models import Merchant
from tests.machine import PATIENCE_SECONDS

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
FINAL_AFTER, TO_BE_FINAL = 16, 20
"""Blocks. Why fewer than the 64 of a node by itself: each costs it more than all that these tests send."""
SLOTS = ("--slots-in-an-epoch", str(FINAL_AFTER // 2), "--max-persisted-states", "1000000")
"""What tells a node so; and to keep the states of all blocks, as the nodes do that these tests stand for.

Why: it forgets those of before its last 4,000 blocks, which all tests together make, and without them the chain is
searched block by block for what an older database paid (``chains.clients.evm_past``): in several looks, not in one.
"""
BLOCKS_HELD, BLOCKS_GO = ("evm_setAutomine", False), ("evm_setAutomine", True)
"""Whether the node puts what it is sent into a block at once, or when it is told to."""
STOPPED, GOING = True, False
"""What a token's contract is told."""
_NAMES = count(1)


@dataclass(kw_only=True)
class Treasury:
    """One account with its key, and one recipient."""

    node: DevChain
    chain: str
    token: str
    decimals: int
    merchant: Merchant
    key: LocalAccount = field(default_factory=fresh_wallet)
    recipient: str = field(default_factory=lambda: fresh_wallet().address)
    name: str = field(default_factory=lambda: f"treasury{next(_NAMES)}")
    start: int = 0
    account: SigningAccount = field(init=False)

    def __post_init__(self) -> None:
        self.start = self.node.head() + 1
        self.account = SigningAccount.objects.create(
            merchant=self.merchant, mode="live", network="localnet", chain=self.chain,
            address=self.key.address, backend="secret", key_reference=self.name,
            cap_per_transfer_usd=usd("100000"), cap_per_day_usd=usd("1000000"),
        )  # fmt: skip

    def units(self, whole: int) -> int:
        return whole * int(10**self.decimals)

    def endow(self, whole: int = 1_000) -> None:
        if self.token != NATIVE:
            self.node.mint(self.token, self.key.address, self.units(whole))
        self.node.fund(self.key.address, self.units(whole) + 10**18 if self.token == NATIVE else 10**18)

    def order(self, whole: int = 25, **changes: Any) -> Transfer:
        wanted: dict[str, Any] = {
            "merchant_id": self.merchant.pk, "mode": "live", "network": "localnet", "purpose": "refund",
            "purpose_id": uuid4(), "rail": RailName.EVM, "chain": self.chain, "token_address": self.token,
            "token_decimals": self.decimals, "recipient": self.recipient,
            "base_units": BaseUnits(self.units(whole)), "value_usd": usd(str(whole)),
            "account_id": self.account.pk,
        }  # fmt: skip
        with transaction.atomic():
            return request_transfer(TransferOrder(**(wanted | changes)))

    def advance(self, transfer: Transfer) -> Transfer:
        """Let a worker come round; the account's nonces stay a row of numbers without a gap."""
        return advance_transfer(transfer.pk)

    def step(self, transfer: Transfer, times: int = 1) -> str:
        for _ in range(times):
            EvmRail().step(read(transfer))
        return Transfer.objects.get(pk=transfer.pk).status

    def land(self, transfer: Transfer) -> Transfer:
        """Let a worker send it, the node put it into a block a moment later, and a worker see it there."""
        sent = self.advance(transfer)
        self.node.web3.eth.wait_for_transaction_receipt(HexBytes(sent.tx_hash), timeout=PATIENCE_SECONDS)
        return self.advance(transfer)

    def finish(self, transfer: Transfer) -> Transfer:
        """Let the chain go on until all is final, with workers at work."""
        self.advance(transfer)
        self.settle()
        return self.advance(transfer)

    def settle(self) -> None:
        self.node.mine(TO_BE_FINAL)

    def withdraw(self, transfer: Transfer) -> bool:
        with transaction.atomic():
            return withdraw_transfer(transfer.pk, actor="test")

    def resume(self) -> None:
        """A person lets the account send again."""
        SigningAccount.objects.filter(pk=self.account.pk).update(paused_at=None, paused_reason="")

    def wait(self, seconds: int = 3600) -> None:
        earlier = timedelta(seconds=seconds)
        mine = TransferAttempt.objects.filter(transfer__account=self.account)
        mine.filter(first_broadcast_at__isnull=False).update(first_broadcast_at=F("first_broadcast_at") - earlier)
        mine.update(created_at=F("created_at") - earlier)

    def attempts(self, transfer: Transfer) -> list[TransferAttempt]:
        return list(transfer.attempts.order_by("sequence"))

    def passed(self, transfer: Transfer) -> list[str]:
        return list(transfer.history.order_by("id").values_list("to_status", flat=True))

    def landed(self) -> list[int]:
        """What the recipient got from the account, by the chain's own logs, or the coin's transactions."""
        if self.token == NATIVE:
            return [int(sent["value"]) for sent in self.sent() if sent["to"] == self.recipient and self._stood(sent)]
        parties = ["0x" + int(address, 16).to_bytes(32).hex() for address in (self.key.address, self.recipient)]
        wanted: Any = {"address": self.token, "fromBlock": self.start, "topics": [TRANSFER, *parties]}
        return [int.from_bytes(log["data"]) for log in self.node.web3.eth.get_logs(wanted)]

    def sent(self) -> list[Any]:
        """Every transaction of the account in a block since the beginning, whoever signed it."""
        numbers = range(self.start, self.node.head() + 1)
        counts = self.node.web3.eth.get_transaction_count
        if counts(self.key.address) == 0:
            return []
        blocks = [self.node.web3.eth.get_block(number, full_transactions=True) for number in numbers]
        found: list[Any] = [sent for block in blocks for sent in block["transactions"]]
        return [sent for sent in found if sent["from"] == self.key.address]

    def used_nonces(self) -> list[int]:
        return [int(sent["nonce"]) for sent in self.sent()]

    def held(self) -> int:
        return self.node.balance(self.token, self.recipient)

    def _stood(self, sent: Any) -> bool:
        return bool(self.node.web3.eth.get_transaction_receipt(HexBytes(sent["hash"]))["status"] == 1)


def read(transfer: Transfer) -> Transfer:
    """The transfer as a worker reads it now."""
    return Transfer.objects.select_related("account").get(pk=transfer.pk)


def fees(attempts: list[TransferAttempt]) -> list[tuple[int, int]]:
    return [(int(one.max_fee or 0), int(one.priority_fee or 0)) for one in attempts]


def once(treasury: Treasury, transfer: Transfer, whole: int = 25) -> bool:
    """Whether it is paid, and landed exactly once by the chain's own word."""
    units = treasury.units(whole)
    return (transfer.status, treasury.landed(), treasury.held()) == ("paid", [units], units)


def never(treasury: Treasury) -> bool:
    """Whether nothing landed by the chain's own word."""
    return (treasury.landed(), treasury.held()) == ([], 0)
