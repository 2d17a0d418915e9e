"""A wallet that only signs: what it signed is checked to the byte, stored, and sent by a worker until it has landed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pytest_django import Settings
from solders.keypair import Keypair

from chains.clients.registry import SOLANA
from core.clock import now
from localnet.solana.money import USDC
from localnet.solana.server import DevSolana, running, signed
from payments.models import Leg, PaymentIntent
from payments.services.advance import sweep_due
from tests.conftest import ApiClient, Reply
from tests.payments.payer import Payer
from tests.payments.world import create, read

TARGET = 25_000_000
NO_SIGNATURE = "1" * 88


@pytest.fixture
def ledger(settings: Settings) -> Iterator[DevSolana]:
    """A Solana node whose slots pass only when told to, known to the service."""
    with running(ticking=False) as node:
        settings.NETWORK_PROFILE = "localnet"
        settings.RPC_URLS = {**settings.RPC_URLS, "solana": [node.url]}
        SOLANA.forget()
        yield node
    SOLANA.forget()


@dataclass
class Signer:
    """A payer on Solana who was asked to sign the exact transfer of one intent."""

    api: ApiClient
    node: DevSolana
    keys: Keypair
    merchant: str
    intent: dict[str, Any]
    page: Payer
    attempt: dict[str, Any]

    @property
    def issued(self) -> str:
        """What the wallet was given."""
        text: str = self.attempt["transactions"][0]["transaction_base64"]
        return text

    def tell(self, signed_transaction: str, tx_hash: str = NO_SIGNATURE) -> Reply:
        """Report what was signed, as the page does."""
        body = {"attempt_id": self.attempt["id"], "leg_sequence": 1, "tx_hash": tx_hash}
        return self.page.send("POST", "/submitted", body | {"signed_transaction": signed_transaction})

    def sweep(self) -> dict[str, Any]:
        """Let a worker come round; the intent then."""
        PaymentIntent.objects.filter(pk=self.intent["id"]).update(next_attempt_at=now())
        sweep_due()
        return read(self.api, self.intent)

    def leg(self) -> Leg:
        """The one leg."""
        return Leg.objects.get(intent_id=self.intent["id"])


@pytest.fixture
def make_signer(live_api: ApiClient, ledger: DevSolana, prices: None) -> Callable[[], Signer]:
    """Makes payers with money who pressed pay."""

    def make() -> Signer:
        keys, merchant = Keypair(), str(Keypair().pubkey())
        payer = str(keys.pubkey())
        ledger.fund(payer)
        ledger.mint(USDC, payer, 100_000_000)
        place = {"settlement_chain": "solana", "settlement_token": "USDC", "settlement_address": merchant}
        intent = create(live_api, amount=25, **place)
        page = Payer.of(intent, "solana", payer)
        [wanted] = [token for token in page.connect() if token["token_address"] == USDC]
        quoted = page.choose(wanted)
        page.act("start", {"attempt_id": quoted["id"]})
        sweep_due()
        attempt = page.state()["attempt"]
        assert attempt["status"] == "awaiting_signature", page.state()
        return Signer(live_api, ledger, keys, merchant, intent, page, attempt)

    return make


@pytest.fixture
def signer(make_signer: Callable[[], Signer]) -> Signer:
    """One such payer."""
    return make_signer()


def test_what_a_wallet_only_signed_is_sent_and_settles(signer: Signer) -> None:
    reply = signer.tell(signed(signer.keys, signer.issued))
    assert (reply.status, reply.body["status"]) == (202, "executing")
    assert signer.node.held(USDC, signer.merchant) == 0
    assert signer.sweep()["status"] == "executing"
    assert signer.node.held(USDC, signer.merchant) == TARGET
    signer.node.finalize()
    assert signer.sweep()["status"] == "settled"
    signature = signer.leg().tx_hash
    assert signer.node.rpc("getSignatureStatuses", [signature])["value"][0]["err"] is None


def test_the_same_bytes_are_sent_again_until_they_land(signer: Signer) -> None:
    text = signed(signer.keys, signer.issued)
    signer.node.drop_next()
    assert [signer.tell(text).status, signer.tell(text).status] == [202, 202]
    signer.sweep()
    assert (signer.node.held(USDC, signer.merchant), signer.leg().status) == (0, "submitted")
    signer.sweep()
    assert signer.node.held(USDC, signer.merchant) == TARGET
    signer.node.finalize()
    assert signer.sweep()["amount_received"] == "25.00"


def test_what_can_land_no_more_lets_the_payer_try_again(signer: Signer) -> None:
    text = signed(signer.keys, signer.issued)
    signer.node.drop_next(1000)
    signer.tell(text)
    signer.sweep()
    assert signer.page.send("POST", "/quote", {"chain": "solana", "token_address": USDC}).status == 409
    signer.node.advance(400)
    assert signer.sweep()["status"] == "requires_payment"
    assert (signer.leg().status, signer.leg().error, signer.node.held(USDC, signer.merchant)) == (
        "failed",
        "replaced",
        0,
    )


def altered(one: Signer, other: Signer) -> dict[str, str]:
    """Signed texts that are not this payer's own transaction, as it was given, by name."""
    own = signed(one.keys, one.issued)
    return {
        "another payment of another payer": signed(other.keys, other.issued),
        "unsigned": one.issued,
        "a flipped byte": own[:-8] + ("B" if own[-8] != "B" else "C") + own[-7:],
        "cut short": own[: len(own) // 8 * 4],
        "something behind it": own.rstrip("=") + "AAAA",
        "no transaction": "AAAA",
    }


def test_only_the_issued_message_is_taken(make_signer: Callable[[], Signer]) -> None:
    one, other = make_signer(), make_signer()
    for name, text in altered(one, other).items():
        reply = one.tell(text)
        assert (name, reply.status, reply.body["code"]) == (name, 409, "transaction_altered")
    leg = one.leg()
    assert (leg.status, leg.signed_transaction, leg.tx_hash) == ("awaiting_signature", "", "")
    assert one.sweep()["status"] == "awaiting_signature"
    assert one.tell(signed(one.keys, one.issued)).status == 202


@pytest.mark.parametrize("text", ["", "not base64!", "A" * 1645], ids=["empty", "letters", "long"])
def test_text_that_cannot_be_a_transaction_is_refused(signer: Signer, text: str) -> None:
    reply = signer.tell(text)
    assert (reply.status, reply.body["code"]) == (400, "invalid_request")


def test_what_was_given_up_is_not_sent_any_more(signer: Signer) -> None:
    signer.page.act("rejected", {"attempt_id": signer.attempt["id"], "reason": "abandoned"})
    reply = signer.tell(signed(signer.keys, signer.issued))
    assert (reply.status, reply.body["code"]) == (409, "transaction_not_awaited")
    signer.sweep()
    assert (signer.node.held(USDC, signer.merchant), signer.leg().signed_transaction) == (0, "")
