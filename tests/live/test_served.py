"""The service as an operator starts it, with a node of its own: web server, worker and database are real processes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.config.served import KEPT, ROOT, Served, served
from tests.conftest import API
from tests.live.conftest import BASE_USDC, DEEP_ENOUGH
from tests.live.node import DevChain, fresh_wallet
from tests.machine import PATIENCE_SECONDS, wait_until
from tests.payments.payer import context_of

pytestmark = pytest.mark.embedded
POLL_SECONDS = 0.2

PRICES = """
from decimal import Decimal
from core.clock import now
from tokens.models import Token
from tokens.services import record_usd_price
for token in Token.objects.filter(verified=True):
    for source in ("one", "other"):
        record_usd_price(token, Decimal(1 if token.is_usd_stablecoin else 2500), now(), source)
"""


@pytest.fixture
def service(tmp_path: Path, base_node: DevChain) -> Iterator[Served]:
    """The embedded default with a node for Base."""
    with served(tmp_path / "data", NETWORK_PROFILE="localnet", RPC_URLS_BASE=base_node.url) as running:
        yield running


def manage(service: Served, *command: str) -> str:
    """What an operator's command prints."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    settings = {"LOCAL_DIR": str(service.folder), "NETWORK_PROFILE": "localnet"}
    started = [sys.executable, "manage.py", *command]
    ended = subprocess.run(started, cwd=ROOT, env=kept | settings, capture_output=True, text=True, check=True)
    return ended.stdout


@dataclass(frozen=True)
class Visitor:
    """Somebody on the page of one intent of a running service."""

    door: str
    headers: dict[str, str]

    @classmethod
    def of(cls, service: Served, intent_id: str) -> "Visitor":
        """The page was served, and gave its token."""
        origin = f"http://127.0.0.1:{service.port}"
        page = requests.get(f"{origin}/checkout/{intent_id}", timeout=PATIENCE_SECONDS)
        token = context_of(page.content)["checkout_token"]
        return cls(f"{origin}{API}/checkout/{intent_id}", {"Checkout-Token": token})

    def act(self, path: str, body: dict[str, Any]) -> None:
        """An action that must be accepted."""
        reply = requests.post(f"{self.door}/{path}", json=body, headers=self.headers, timeout=PATIENCE_SECONDS)
        assert reply.status_code == 202, reply.text

    def state(self) -> dict[str, Any]:
        """The state as it is now."""
        shown: dict[str, Any] = requests.get(
            f"{self.door}/state", headers=self.headers, timeout=PATIENCE_SECONDS
        ).json()
        return shown

    def attempt(self, status: str) -> dict[str, Any] | None:
        """The attempt, once it is so far."""
        attempt: dict[str, Any] | None = self.state()["attempt"]
        return attempt if attempt is not None and attempt["status"] == status else None

    def unsigned(self, payer: str) -> dict[str, Any]:
        """The whole way to the transaction to sign; the attempt."""
        self.act("wallet", {"family": "evm", "address": payer})
        wait_until(lambda: self.state()["wallet"]["status"] == "ready", "the wallet's tokens", poll=POLL_SECONDS)
        self.act("quote", {"chain": "base", "token_address": BASE_USDC})
        quoted = wait_until(lambda: self.attempt("quoted"), "a quote", poll=POLL_SECONDS)
        assert quoted is not None
        self.act("start", {"attempt_id": quoted["id"]})
        issued = wait_until(lambda: self.attempt("awaiting_signature"), "what to sign", poll=POLL_SECONDS)
        assert issued is not None
        return issued

    def becomes(self, status: str) -> None:
        """Wait until the intent is so far."""
        wait_until(lambda: self.state()["status"] == status, status, poll=POLL_SECONDS)


def test_a_live_payment_through_real_processes(service: Served, base_node: DevChain) -> None:
    keys = json.loads(manage(service, "create_merchant", "--name", "Shop", "--email", "o@shop.example", "--json"))
    manage(service, "shell", "-c", PRICES)
    key, payer, merchant = keys["live_secret_key"], fresh_wallet(), fresh_wallet().address
    base_node.fund(payer.address)
    base_node.mint(BASE_USDC, payer.address, 30_000_000)
    place = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": merchant}
    status, intent = service.ask(f"{API}/payment-intents", {"amount": 25, **place}, key)
    assert status == 201, intent
    visitor = Visitor.of(service, intent["id"])
    issued = visitor.unsigned(payer.address)
    tx_hash = base_node.send(payer, issued["transactions"][0]["request"])
    visitor.act("submitted", {"attempt_id": issued["id"], "leg_sequence": 1, "tx_hash": tx_hash})
    visitor.becomes("executing")
    base_node.mine(DEEP_ENOUGH)
    visitor.becomes("settled")
    assert int(base_node.token(BASE_USDC).functions.balanceOf(merchant).call()) == 25_000_000
    [leg] = service.ask(f"{API}/payment-intents/{intent['id']}/transactions", key=key)[1]["data"]
    assert (leg["status"], leg["tx_hash"], leg["destination_tx_hash"]) == ("confirmed", tx_hash, tx_hash)
