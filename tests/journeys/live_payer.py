"""A payer of one live intent, who speaks to the payer API as the page does, with a wallet that really signs."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from solders.keypair import Keypair

from localnet.devchain import fresh_wallet
from tests.journeys.http_caller import Answer, Caller
from tests.journeys.live_stage import EVM, ORIGIN, LiveStage, Shop, token_of
from tests.machine import wait_until

PLENTY, GAS = 1_000_000_000, 1_000_000
UNITS = 25_000_000
PAGE_POLL_SECONDS = 0.25
"""How often a page asks again here. Why less than the suite does: many pages are open at once."""


@dataclass(kw_only=True)
class LivePayer:
    """One payer on the page of one intent, each step asked for and waited for."""

    stage: LiveStage
    shop: Shop
    chain: str = EVM
    wanted: str = "USDC"
    wallet: Any = None
    settles_at: str = ""
    intent_id: str = ""
    browser: str = field(default_factory=lambda: secrets.token_hex(32))
    issued: dict[str, Any] = field(default_factory=dict)
    """What the wallet was asked to sign."""
    _pass: str = ""

    def __post_init__(self) -> None:
        self.wallet = self.wallet or (fresh_wallet() if self.chain == EVM else Keypair())
        self.settles_at = self.settles_at or self._new_address()

    @property
    def address(self) -> str:
        """The wallet's."""
        return str(self.wallet.address if self.chain == EVM else self.wallet.pubkey())

    @property
    def usdc(self) -> str:
        """What it pays with."""
        return token_of(self.chain, "USDC")

    @property
    def place(self) -> dict[str, str]:
        """Where the merchant is paid, as he says it."""
        where = {"settlement_chain": self.chain, "settlement_token": self.wanted}
        return {**where, "settlement_address": self.settles_at}

    def endow(self) -> None:
        """Give the wallet coins for fees, and dollars."""
        if self.chain == EVM:
            self.stage.node.fund(self.address)
            self.stage.node.mint(self.usdc, self.address, PLENTY)
        else:
            self.stage.ledger.fund(self.address)
            self.stage.ledger.mint(self.usdc, self.address, PLENTY)

    def open(self) -> None:
        """Let the merchant create the intent, unless there is one, and open its page."""
        if not self.intent_id:
            made = self.shop.merchant.post("/payment-intents", {"amount": 25, **self.place})
            assert made.status == 201, made.raw
            self.intent_id = made.body["id"]
        opened = self.shop.page.post(f"/checkout/{self.intent_id}/session", Origin=ORIGIN)
        assert opened.status == 200, opened.raw
        self._pass = opened.body["checkout_token"]

    def send(self, method: str, path: str, body: object = None) -> Answer:
        """A request as the page makes it, whatever is answered."""
        page = Caller(base_url=self.shop.page.base_url)
        said = {"Checkout_Token": self._pass} | ({"Checkout_Browser": self.browser} if self.browser else {})
        return page.send(method, f"/checkout/{self.intent_id}/{path}", body, **said)

    def state(self) -> dict[str, Any]:
        answer = self.send("GET", "state")
        assert answer.status == 200, answer.raw
        state: dict[str, Any] = answer.body
        return state

    def connect(self) -> None:
        """Say which wallet pays, and wait until it was looked into."""
        family = "evm" if self.chain == EVM else "solana"
        self._act("wallet", {"family": family, "address": self.address})
        self._until(lambda state: state["wallet"] and state["wallet"]["status"] == "ready", "the wallet's tokens")

    def choose(self) -> dict[str, Any]:
        """Ask for a quote and wait for it; the attempt."""
        self._act("quote", {"chain": self.chain, "token_address": self.usdc})
        return self._attempt("quoted")

    def issue(self) -> dict[str, Any]:
        """The whole way to what the wallet is asked to sign; the attempt."""
        self.open()
        self.connect()
        self._act("start", {"attempt_id": self.choose()["id"]})
        self.issued = self._attempt("awaiting_signature")
        return self.issued

    def sign(self, attempt: dict[str, Any]) -> str:
        """Sign and send what the wallet is asked to; the hash."""
        [unsigned] = attempt["transactions"]
        if self.chain != EVM:
            return self.stage.ledger.send(self.wallet, unsigned["transaction_base64"])
        for approval in unsigned.get("approvals", []):
            self.stage.node.send(self.wallet, approval)
        return self.stage.node.send(self.wallet, unsigned["request"], gas=GAS)

    def report(self, attempt: dict[str, Any], tx_hash: str, **more: str) -> Answer:
        """Tell the service a transaction, whatever it answers."""
        sequence = attempt["transactions"][0]["leg_sequence"]
        return self.send(
            "POST", "submitted", {"attempt_id": attempt["id"], "leg_sequence": sequence, "tx_hash": tx_hash, **more}
        )

    def pay(self) -> None:
        """From nothing to settled, as a payer does it who reports what he sent."""
        attempt = self.issue()
        assert self.report(attempt, self.sign(attempt)).status == 202
        self.await_settled()

    def await_settled(self) -> None:
        wait_until(
            lambda: self.seen()["status"] == "settled", f"intent {self.intent_id} settled", poll=PAGE_POLL_SECONDS
        )

    def seen(self) -> dict[str, Any]:
        """The intent as its merchant sees it."""
        answer = self.shop.merchant.get(f"/payment-intents/{self.intent_id}")
        assert answer.status == 200, answer.raw
        intent: dict[str, Any] = answer.body
        return intent

    def _act(self, path: str, body: dict[str, Any]) -> None:
        answer = self.send("POST", path, body)
        assert answer.status == 202, answer.raw

    def _attempt(self, status: str) -> dict[str, Any]:
        state = self._until(
            lambda state: state["attempt"] and state["attempt"]["status"] == status, f"an attempt {status}"
        )
        attempt: dict[str, Any] = state["attempt"]
        return attempt

    def _until(self, is_so: Callable[[dict[str, Any]], object], what: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            state = self.state()
            return state if is_so(state) else None

        found = wait_until(look, what, poll=PAGE_POLL_SECONDS)
        assert found is not None
        return found

    def _new_address(self) -> str:
        return fresh_wallet().address if self.chain == EVM else str(Keypair().pubkey())
