"""A payer's page without a browser: speaks to the payer API as the page's own scripts do."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.test import Client

from payments.services.advance import sweep_due
from tests.conftest import ApiClient, Reply
from tests.payments.world import World

EVM_WALLET = "0x7e57000000000000000000000000000000000001"
SOLANA_WALLET = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9"


def context_of(page: bytes) -> dict[str, Any]:
    [island] = re.findall(r'<script id="checkout-context" type="application/json">(.*?)</script>', page.decode(), re.S)
    read: dict[str, Any] = json.loads(island, parse_float=Decimal)
    return read


@dataclass
class Payer:
    """Somebody who opened the page of one intent."""

    intent_id: str
    token: str
    family: str = "evm"
    address: str = EVM_WALLET
    browser: str = ""

    @classmethod
    def of(cls, intent: dict[str, Any], family: str = "evm", address: str = "", browser: str = "") -> "Payer":
        token = context_of(Client().get(f"/checkout/{intent['id']}").content)["checkout_token"]
        default = EVM_WALLET if family == "evm" else SOLANA_WALLET
        return cls(intent_id=intent["id"], token=token, family=family, address=address or default, browser=browser)

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """A request with the payer's token and no key."""
        own = {"Checkout_Browser": self.browser} if self.browser else {}
        sent = {"Checkout_Token": self.token, **own, **headers}
        return ApiClient("").send(method, f"/checkout/{self.intent_id}{path}", body, **sent)

    def act(self, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        """An action that must be accepted; the state it answers."""
        reply = self.send("POST", f"/{path}", body, **headers)
        assert reply.status == 202, reply.body
        state: dict[str, Any] = reply.body
        return state

    def state(self) -> dict[str, Any]:
        reply = self.send("GET", "/state")
        assert reply.status == 200, reply.body
        state: dict[str, Any] = reply.body
        return state

    def renew(self) -> None:
        reply = self.send("POST", "/session")
        assert reply.status == 200, reply.body
        self.token = reply.body["checkout_token"]

    def connect(self) -> list[dict[str, Any]]:
        """Connect the wallet and let a worker look into it; its tokens."""
        assert self.act("wallet", {"family": self.family, "address": self.address})["wallet"]["status"] == "looking"
        sweep_due()
        wallet = self.state()["wallet"]
        assert (wallet["status"], wallet["address"]) == ("ready", self.address)
        tokens: list[dict[str, Any]] = wallet["tokens"]
        return tokens

    def choose(self, token: dict[str, Any], **more: str) -> dict[str, Any]:
        """Ask for a quote in a token and let a worker make it; the attempt."""
        self.act("quote", {"chain": token["chain"], "token_address": token["token_address"], **more})
        sweep_due()
        attempt: dict[str, Any] = self.state()["attempt"]
        return attempt

    def quote(self, world: World, chain: str = "", symbol: str = "", **more: str) -> dict[str, Any]:
        """Connect and take the best token, or the best on this chain with this symbol; the attempt, quoted."""
        tokens = [
            token
            for token in self.connect()
            if token["sufficient"] and chain in {"", token["chain"]} and symbol in {"", token["symbol"]}
        ]
        attempt = self.choose(tokens[0], **more)
        assert attempt["status"] == "quoted", attempt
        return attempt

    def start(self, world: World, chain: str = "", symbol: str = "", **more: str) -> dict[str, Any]:
        """As ``quote``, then accept it; the attempt with its transactions to sign."""
        quoted = self.quote(world, chain, symbol, **more)
        self.act("start", {"attempt_id": quoted["id"]})
        sweep_due()
        attempt: dict[str, Any] = self.state()["attempt"]
        assert attempt["status"] == "awaiting_signature", attempt
        assert attempt["transactions"]
        return attempt

    def sign(self, attempt: dict[str, Any], sequence: int, behaviour: str | None = None) -> str:
        """Have the simulated wallet send one transaction; its hash, not yet reported."""
        body = {"attempt_id": attempt["id"], "leg_sequence": sequence}
        body |= {} if behaviour is None else {"behaviour": behaviour}
        reply = self.send("POST", "/simulated-wallet/transactions", body)
        assert reply.status == 201, reply.body
        return str(reply.body["tx_hash"])

    def report(self, attempt: dict[str, Any], sequence: int, tx_hash: str) -> dict[str, Any]:
        """Tell the service what the wallet returned."""
        return self.act("submitted", {"attempt_id": attempt["id"], "leg_sequence": sequence, "tx_hash": tx_hash})

    def pay(self, attempt: dict[str, Any], behaviour: str | None = None) -> None:
        for transaction in attempt["transactions"]:
            sequence = transaction["leg_sequence"]
            self.report(attempt, sequence, self.sign(attempt, sequence, behaviour))
