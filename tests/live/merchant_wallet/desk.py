"""A merchant who sends a refund from its own wallet, without the dashboard around it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from eth_account.signers.local import LocalAccount

from chains.models import Transfer, TransferProof
from chains.rails.merchant_wallet.commands import offer_transfer, report_hint
from chains.rails.merchant_wallet.facts import refused_of, unsigned_of
from chains.transfers import RailName, TransferOrder, advance_transfer, request_transfer
from core.money import BaseUnits, usd
from localnet.nodes import DevChain, fresh_wallet
from merchants.models import Merchant
from tests.live.evm_till import BASE_USDC, DEEP_ENOUGH

UNITS = 25_000_000
Request = dict[str, Any]


def ordered(merchant: Merchant, chain: str, token: str, recipient: str, units: int = UNITS) -> Transfer:
    decimals = 18 if token.startswith("0x00000") else 6
    order = TransferOrder(
        merchant_id=merchant.pk, mode="live", network="localnet", purpose="refund", purpose_id=uuid4(),
        rail=RailName.MERCHANT_WALLET, chain=chain, token_address=token, token_decimals=decimals,
        recipient=recipient, base_units=BaseUnits(units), value_usd=usd("25"),
    )  # fmt: skip
    return request_transfer(order)


@dataclass(kw_only=True)
class AnyDesk(ABC):
    """One refund, and the wallet that is to send it, on a chain of either family."""

    node: Any
    merchant: Merchant
    chain: str
    token: str
    wallet: Any
    payer: str
    transfer: Transfer = field(init=False)

    def __post_init__(self) -> None:
        self.endow(self.wallet)
        self.transfer = ordered(self.merchant, self.chain, self.token, self.payer)

    @abstractmethod
    def endow(self, wallet: Any) -> None:
        """Give a wallet coins and 1,000 USDC."""

    @abstractmethod
    def pass_time(self) -> None:
        """Let the chain go on until all that is on it is final."""

    @abstractmethod
    def held(self) -> int:
        """What the payer holds on the chain."""

    def shown_to(self, address: str) -> dict[str, Any]:
        """The wallet connects, and a worker makes what it is asked to sign."""
        offer_transfer(self.transfer.pk, address)
        assert self.work() == "signed", self.transfer.offer
        return unsigned_of(self.transfer)

    def tell(self, tx_hash: str) -> None:
        report_hint(self.transfer.pk, tx_hash)

    def work(self, times: int = 1) -> str:
        """Let workers come round; the status then."""
        for _ in range(times):
            Transfer.objects.filter(pk=self.transfer.pk).update(updated_at="2020-01-01T00:00:00Z")
            self.transfer = advance_transfer(self.transfer.pk)
        return self.transfer.status

    def finish(self) -> str:
        """Let the chain go on until all is final, with workers at work; the status then."""
        self.work()
        self.pass_time()
        return self.work(2)

    def refused(self) -> str:
        """Why what was told is not this refund."""
        found = refused_of(Transfer.objects.get(pk=self.transfer.pk))
        return "" if found is None else found.code.value

    def passed(self) -> list[str]:
        return list(self.transfer.history.order_by("pk").values_list("to_status", flat=True))

    def proof(self) -> TransferProof | None:
        return TransferProof.objects.filter(transfer=self.transfer).first()


@dataclass(kw_only=True)
class Desk(AnyDesk):
    node: DevChain
    chain: str = "base"
    token: str = BASE_USDC
    wallet: LocalAccount = field(default_factory=fresh_wallet)
    payer: str = field(default_factory=lambda: fresh_wallet().address)

    def endow(self, wallet: LocalAccount) -> None:
        self.node.fund(wallet.address)
        self.node.mint(BASE_USDC, wallet.address, 1_000_000_000)

    def pass_time(self) -> None:
        self.node.mine(DEEP_ENOUGH)

    def held(self) -> int:
        return self.node.balance(self.token, self.payer)

    def another(self, **fields: Any) -> "Desk":
        return Desk(node=self.node, merchant=self.merchant, wallet=self.wallet, **fields)

    def stranger(self) -> LocalAccount:
        """Somebody else's wallet with as much in it."""
        wallet = fresh_wallet()
        self.endow(wallet)
        return wallet

    def offer(self, wallet: LocalAccount | None = None) -> Request:
        """What the wallet that connects is asked to send."""
        request: Request = self.shown_to((wallet or self.wallet).address).get("request", {})
        return request

    def send(self, request: Request, wallet: LocalAccount | None = None, **more: Any) -> str:
        return self.node.send(wallet or self.wallet, request, **more)
