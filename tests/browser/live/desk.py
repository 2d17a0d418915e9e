"""A merchant at its dashboard, who sends refunds from a wallet in the browser."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect
from solders.keypair import Keypair

from localnet.devchain import DevChain, fresh_wallet
from localnet.solana.server import DevSolana
from tests.browser.conftest import Visit, visit_in
from tests.browser.live.conftest import NAMES, RICH, asset
from tests.browser.live.wallets import EvmWallet, SolanaWallet
from tests.browser.payer import LOOK_SECONDS, part
from tests.browser.people import confirm
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until


@dataclass
class Desk:
    """One refund, and the wallets in the browser of its merchant."""

    merchant: Caller
    service: Embedded
    nodes: Mapping[str, DevChain]
    ledger: DevSolana
    context: BrowserContext
    evm: EvmWallet
    solana: SolanaWallet = field(default_factory=SolanaWallet)
    refund: dict[str, Any] = field(default_factory=dict)
    visit: Visit | None = None

    @property
    def page(self) -> Page:
        """The open page."""
        assert self.visit is not None
        return self.visit.page

    @property
    def chain(self) -> str:
        """Where the refund is sent."""
        name: str = self.refund["chain"]
        return name

    def order(self, intent: dict[str, Any], amount_usd: int = 2, *, addressed: bool = True) -> None:
        """Make a refund to a payer whose address nobody used before."""
        chain = intent["settlement_chain"]
        self.destination = str(Keypair().pubkey()) if chain == "solana" else fresh_wallet().address
        body = {"intent_id": intent["id"], "amount_usd": amount_usd}
        made = self.merchant.post("/refunds", body | ({"destination": self.destination} if addressed else {}))
        assert made.status == 201, made.raw
        self.refund = made.body

    def endow(self) -> None:
        """Give the merchant's wallet the token, and coins for fees."""
        token = asset(self.chain, self.refund["token"])
        if self.chain == "solana":
            self.ledger.fund(self.solana.address, 10**10)
            self.ledger.mint(token.address, self.solana.address, RICH)
            return
        self.nodes[self.chain].fund(self.evm.address, 10**18)
        if not token.is_native:
            self.nodes[self.chain].mint(token.address, self.evm.address, RICH)

    def read(self) -> dict[str, Any]:
        """The refund as the merchant's programs see it."""
        body: dict[str, Any] = self.merchant.get(f"/refunds/{self.refund['id']}").body
        return body

    def open(self, page: str = "") -> Page:
        """Go to the refund's own page, or one below it."""
        if self.visit is None:
            self.visit = visit_in(self.context)
        url = f"{self.service.base_url}/dashboard/live/refunds/{self.refund['id']}/{page}"
        self.visit.open(url)
        confirm(self.page, self.service)
        return self.page

    def open_signing(self) -> Page:
        """Wait until a worker ordered the transfer, then go where it is signed."""
        page = self.open()

        def is_ordered() -> bool:
            page.reload()
            return page.get_by_role("link", name="Send from your wallet", exact=True).count() > 0

        wait_until(is_ordered, "the order", poll=LOOK_SECONDS)
        return self.open("sign/")

    def connect(self) -> None:
        """Choose the wallet, and wait until there is something to sign."""
        family = "solana" if self.chain == "solana" else "evm"
        self.page.get_by_role("button", name=NAMES[family], exact=True).click()
        expect(part(self.page, "sign")).to_be_visible()

    def press_send(self) -> None:
        """Have the wallet asked."""
        part(self.page, "sign").click()

    def stage(self, words: str) -> None:
        """Wait until the page says this."""
        expect(part(self.page, "stage-title")).to_have_text(words)

    def refused(self, words: str) -> None:
        """Wait until the page warns of this."""
        expect(part(self.page, "refused")).to_contain_text(words)

    def held(self) -> int:
        """What the payer has got."""
        token = asset(self.chain, self.refund["token"]).address
        if self.chain == "solana":
            return self.ledger.held(token, self.destination)
        return self.nodes[self.chain].balance(token, self.destination)

    def complaints(self) -> list[str]:
        """All that the browser complained about."""
        assert self.visit is not None
        return [*self.visit.complaints, *self.visit.violations()]

    destination: str = ""
