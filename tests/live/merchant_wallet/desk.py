"""A merchant who sends a refund from its own wallet, without the dashboard around it."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from eth_account.signers.local import LocalAccount

from chains.models import Transfer, TransferProof
from chains.rails.merchant_wallet.facts import refused_of, unsigned_of
from chains.rails.merchant_wallet.wishes import offer_transfer, report_hint
from chains.transfers import RailName, TransferOrder, advance_transfer, request_transfer
from core.money import BaseUnits, usd
from localnet.nodes import DevChain, fresh_wallet
from merchants.models import Merchant
from tests.live.conftest import BASE_USDC, DEEP_ENOUGH

UNITS = 25_000_000
Request = dict[str, Any]


def ordered(merchant: Merchant, chain: str, token: str, recipient: str, units: int = UNITS) -> Transfer:
    """A transfer that waits for the merchant's wallet."""
    decimals = 18 if token.startswith("0x00000") else 6
    order = TransferOrder(
        merchant_id=merchant.pk, mode="live", network="localnet", purpose="refund", purpose_id=uuid4(),
        rail=RailName.MERCHANT_WALLET, chain=chain, token_address=token, token_decimals=decimals,
        recipient=recipient, base_units=BaseUnits(units), value_usd=usd("25"),
    )  # fmt: skip
    return request_transfer(order)


@dataclass(kw_only=True)
class Desk:
    """One refund on Base, and the wallet that is to send it."""

    node: DevChain
    merchant: Merchant
    token: str = BASE_USDC
    wallet: LocalAccount = field(default_factory=fresh_wallet)
    payer: str = field(default_factory=lambda: fresh_wallet().address)
    transfer: Transfer = field(init=False)

    def __post_init__(self) -> None:
        """Fill the wallet, and order the transfer."""
        self.endow(self.wallet)
        self.transfer = ordered(self.merchant, "base", self.token, self.payer)

    def endow(self, wallet: LocalAccount) -> None:
        """Give a wallet ether and 1,000 USDC."""
        self.node.fund(wallet.address)
        self.node.mint(BASE_USDC, wallet.address, 1_000_000_000)

    def another(self, **fields: Any) -> "Desk":
        """Another refund from the same wallet."""
        return Desk(node=self.node, merchant=self.merchant, wallet=self.wallet, **fields)

    def offer(self, wallet: LocalAccount | None = None) -> Request:
        """The wallet connects, and a worker makes what it is asked to send."""
        offer_transfer(self.transfer.pk, (wallet or self.wallet).address)
        self.work()
        assert self.transfer.status == "signed", self.transfer.offer
        request: Request = unsigned_of(self.transfer).get("request", {})
        return request

    def tell(self, tx_hash: str) -> None:
        """The wallet's page tells a hash."""
        report_hint(self.transfer.pk, tx_hash)

    def send(self, request: Request, wallet: LocalAccount | None = None, **more: Any) -> str:
        """Sign and send, as a wallet does; its hash."""
        return self.node.send(wallet or self.wallet, request, **more)

    def work(self, times: int = 1) -> str:
        """Let workers come round; the status then."""
        for _ in range(times):
            Transfer.objects.filter(pk=self.transfer.pk).update(updated_at="2020-01-01T00:00:00Z")
            self.transfer = advance_transfer(self.transfer.pk)
        return self.transfer.status

    def finish(self) -> str:
        """Let the chain go on until all is final, with workers at work; the status then."""
        self.work()
        self.node.mine(DEEP_ENOUGH)
        return self.work(2)

    def refused(self) -> str:
        """Why what was told is not this refund."""
        found = refused_of(Transfer.objects.get(pk=self.transfer.pk))
        return "" if found is None else found.code.value

    def passed(self) -> list[str]:
        """The statuses that it was in."""
        return list(self.transfer.history.order_by("pk").values_list("to_status", flat=True))

    def proof(self) -> TransferProof | None:
        """What proved it."""
        return TransferProof.objects.filter(transfer=self.transfer).first()

    def held(self) -> int:
        """What the payer holds on the chain."""
        return self.node.balance(self.token, self.payer)
