"""Wallets of Solana that only sign, or that scanned a code and never see a page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings
from solders.keypair import Keypair

from checkout.views import solana_pay
from localnet.jupiter import LocalJupiter
from localnet.solana.money import USDC, USDT
from localnet.solana.server import signed
from payments.models import PaymentAttempt, PaymentIntent
from payments.services.advance import sweep_due
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.live.solana_till import SolanaTill
from tests.payments.payer import Payer
from tests.payments.world import create

TARGET = 25_000_000
NO_SIGNATURE = "1" * 88


@dataclass
class Signer:
    """A payer on Solana who was asked to sign the exact transfer of one intent."""

    till: SolanaTill
    page: Payer
    attempt_id: str
    issued: str

    @classmethod
    def of(cls, till: SolanaTill) -> "Signer":
        """He pressed pay."""
        attempt = till.issue("25")
        assert till.page is not None
        return cls(till, till.page, attempt["id"], till.unsigned(attempt))

    def signed(self) -> str:
        """What a wallet makes of it."""
        return signed(self.till.payer, self.issued)

    def tell(self, signed_transaction: str) -> Reply:
        """Report what was signed, as the page does."""
        body = {"attempt_id": self.attempt_id, "leg_sequence": 1, "tx_hash": NO_SIGNATURE}
        return self.page.send("POST", "/submitted", body | {"signed_transaction": signed_transaction})


@pytest.fixture
def signer(solana_till: SolanaTill) -> Signer:
    """One such payer."""
    return Signer.of(solana_till)


@pytest.mark.spec("Rulings C2.1")
def test_what_a_wallet_only_signed_is_sent_and_settles(signer: Signer) -> None:
    till = signer.till
    reply = signer.tell(signer.signed())
    assert (reply.status, reply.body["status"], till.held()) == (202, "executing", 0)
    assert (till.sweep()["status"], till.held()) == ("executing", TARGET)
    till.node.finalize()
    assert till.sweep()["status"] == "settled"
    assert till.node.rpc("getSignatureStatuses", [till.leg().tx_hash])["value"][0]["err"] is None


def test_the_same_bytes_are_sent_again_until_they_land(signer: Signer) -> None:
    till, text = signer.till, signer.signed()
    till.node.drop_next()
    assert [signer.tell(text).status, signer.tell(text).status] == [202, 202]
    till.sweep()
    assert (till.held(), till.leg().status) == (0, "submitted")
    till.sweep()
    assert till.held() == TARGET
    till.node.finalize()
    assert till.sweep()["amount_received"] == "25.00"


@pytest.mark.spec("Rulings C14.2")
def test_what_can_land_no_more_lets_the_payer_try_again(signer: Signer) -> None:
    till = signer.till
    till.node.drop_next(3)
    signer.tell(signer.signed())
    till.sweep()
    assert signer.page.send("POST", "/quote", {"chain": "solana", "token_address": USDC}).status == 409
    till.node.advance(400)
    assert till.sweep()["status"] == "requires_payment"
    till.node.drop_next(0)
    assert (till.leg().status, till.leg().error, till.held()) == ("failed", "replaced", 0)


def altered(one: Signer, other: Signer) -> dict[str, str]:
    """Signed texts that are not this payer's own transaction, as it was given, by name."""
    own = one.signed()
    return {
        "another payment of another payer": other.signed(),
        "unsigned": one.issued,
        "a flipped byte": own[:-8] + ("B" if own[-8] != "B" else "C") + own[-7:],
        "cut short": own[: len(own) // 8 * 4],
        "something behind it": own.rstrip("=") + "AAAA",
        "no transaction": "AAAA",
    }


@pytest.mark.spec("Rulings C14.1")
def test_only_the_issued_message_is_taken(signer: Signer) -> None:
    till = SolanaTill(api=signer.till.api, node=signer.till.node)
    till.endow()
    for name, text in altered(signer, Signer.of(till)).items():
        reply = signer.tell(text)
        assert (name, reply.status, reply.body["code"]) == (name, 409, "transaction_altered")
    for text in ("", "not base64!", "A" * 1645):
        reply = signer.tell(text)
        assert (text, reply.status, reply.body["code"]) == (text, 400, "invalid_request")
    leg = signer.till.leg()
    assert (leg.status, leg.signed_transaction, leg.tx_hash) == ("awaiting_signature", "", "")
    assert (signer.till.sweep()["status"], signer.tell(signer.signed()).status) == ("awaiting_signature", 202)


def test_what_was_given_up_is_not_sent_any_more(signer: Signer) -> None:
    signer.page.act("rejected", {"attempt_id": signer.attempt_id, "reason": "abandoned"})
    reply = signer.tell(signer.signed())
    assert (reply.status, reply.body["code"]) == (409, "transaction_not_awaited")
    signer.till.sweep()
    assert (signer.till.held(), signer.till.leg().signed_transaction) == (0, "")


class Scanner:
    """A wallet that scanned the code of an intent."""

    def __init__(self, till: SolanaTill, wallet: Keypair | None = None) -> None:
        self.till, self.wallet = till, wallet or till.payer

    def ask(self, **fields: Any) -> Reply:
        """Ask for the transaction."""
        body = {"account": str(self.wallet.pubkey()), **fields}
        return ApiClient("").send("POST", f"/checkout/{self.till.intent['id']}/solana-pay", body)

    def pay(self) -> str:
        """Ask, sign and send; the signature."""
        reply = self.ask()
        assert reply.status == 200, reply.body
        return self.till.node.send(self.wallet, reply.body["transaction"])


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a request waits, a worker comes round."""
    monkeypatch.setattr("checkout.views.solana_pay.sleep", lambda _seconds: sweep_due())


@pytest.fixture
def till(solana_till: SolanaTill) -> SolanaTill:
    """An open intent over 25 USDC."""
    place = {"settlement_chain": "solana", "settlement_token": "USDC", "settlement_address": solana_till.merchant}
    solana_till.intent = create(solana_till.api, amount=25, **place)
    return solana_till


def attempts(till: SolanaTill) -> list[str]:
    """The status of each try, in order."""
    found = PaymentAttempt.objects.filter(intent_id=till.intent["id"]).order_by("number")
    return list(found.values_list("status", flat=True))


def test_a_wallet_learns_who_asks(till: SolanaTill, settings: Settings) -> None:
    settings.BASE_URL = "https://pay.example"
    reply = ApiClient("").get(f"/checkout/{till.intent['id']}/solana-pay")
    merchant = PaymentIntent.objects.get(pk=till.intent["id"]).merchant.name
    assert (reply.status, reply.body["label"], set(reply.body)) == (200, merchant, {"label", "icon"})
    assert reply.body["icon"].startswith("https://pay.example/static/")
    assert attempts(till) == []
    for text in ("", "x", "0x" + "ab" * 20, "1" * 31, 7, None):
        assert_refused(Scanner(till).ask(account=text), 400, "invalid_request")
    assert attempts(till) == []


@pytest.mark.usefixtures("working")
def test_scan_sign_settled(till: SolanaTill) -> None:
    reply = Scanner(till).ask()
    assert set(reply.body) == {"transaction", "message"}
    assert "at most 25.00 USDC" in reply.body["message"]
    signature = till.node.send(till.payer, reply.body["transaction"])
    assert till.finish()["status"] == "settled"
    assert (till.held(), till.leg().tx_hash, till.leg().provider) == (25_000_000, signature, "direct")


@pytest.mark.usefixtures("working")
def test_a_wallet_with_another_token_swaps(till: SolanaTill, jupiter: LocalJupiter) -> None:
    payer = Keypair()
    till.node.fund(str(payer.pubkey()))
    till.node.mint(USDT, str(payer.pubkey()), 100_000_000)
    Scanner(till, payer).pay()
    assert (till.finish()["status"], till.held(), till.leg().provider) == ("settled", 25_000_000, "jupiter")
    assert jupiter.asked


@pytest.mark.usefixtures("working")
def test_asked_again_it_is_the_same_transaction_until_that_is_old(
    till: SolanaTill, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Scanner(till).ask()
    assert (Scanner(till).ask().body, attempts(till)) == (first.body, ["awaiting_signature"])
    monkeypatch.setattr("payments.services.wallet_request.SAME_TRANSACTION_FOR", timedelta(seconds=-1))
    till.node.advance()
    second = Scanner(till).ask()
    assert first.body["transaction"] != second.body["transaction"]
    assert attempts(till) == ["abandoned", "awaiting_signature"]
    till.node.send(till.payer, second.body["transaction"])
    assert till.finish()["status"] == "settled"


@pytest.mark.usefixtures("working")
def test_another_wallet_begins_beside(till: SolanaTill) -> None:
    first, other = Scanner(till), Scanner(till, Keypair())
    till.node.fund(str(other.wallet.pubkey()))
    till.node.mint(USDC, str(other.wallet.pubkey()), 100_000_000)
    asked = first.ask()
    assert (other.ask().status, attempts(till)) == (200, ["awaiting_signature", "awaiting_signature"])
    till.node.send(first.wallet, asked.body["transaction"])
    assert (till.finish()["status"], attempts(till)) == ("settled", ["confirmed", "abandoned"])


@pytest.mark.usefixtures("working")
def test_a_page_that_showed_the_code_follows_and_cannot_act(till: SolanaTill) -> None:
    page = Payer.of(till.intent, browser="a" * 43)
    Scanner(till).ask()
    attempt = PaymentAttempt.objects.get()
    reply = page.send("POST", "/rejected", {"attempt_id": str(attempt.pk)})
    assert_refused(reply, 403, "attempt_of_another_browser")
    state = page.state()
    assert (state["status"], state["attempt"], state["wallet"]) == ("awaiting_signature", None, None)
    assert state["others"] == {"open": 1, "furthest": "awaiting_signature"}
    assert attempts(till) == ["awaiting_signature"]


@pytest.mark.usefixtures("working")
def test_a_wallet_takes_over_before_anything_is_to_be_signed(till: SolanaTill) -> None:
    other = Keypair()
    till.node.fund(str(other.pubkey()))
    till.node.mint(USDC, str(other.pubkey()), 100_000_000)
    page = Payer.of(till.intent, "solana", str(other.pubkey()))
    [usdc] = [token for token in page.connect() if token["token_address"] == USDC]
    assert page.choose(usdc)["status"] == "quoted"
    Scanner(till).pay()
    assert (till.finish()["status"], attempts(till)) == ("settled", ["abandoned", "confirmed"])


@pytest.mark.usefixtures("working")
def test_an_empty_wallet_is_told_so(till: SolanaTill) -> None:
    """Another one may pay, once."""
    assert_refused(Scanner(till, Keypair()).ask(), 409, "route_unavailable")
    assert attempts(till) == ["failed"]
    Scanner(till).pay()
    till.sweep()
    assert_refused(Scanner(till).ask(), 409, "intent_not_payable")
    assert till.finish()["status"] == "settled"
    assert_refused(Scanner(till).ask(), 409, "intent_not_payable")


@pytest.mark.usefixtures("working")
def test_several_transactions_are_for_the_page(till: SolanaTill, jupiter: LocalJupiter) -> None:
    payer = Keypair()
    till.node.fund(str(payer.pubkey()), 9_000_000)
    till.node.mint(USDT, str(payer.pubkey()), 15_000_000)
    till.node.mint(USDC, str(payer.pubkey()), 15_000_000)
    refused = Scanner(till, payer).ask()
    assert_refused(refused, 409, "route_unavailable")
    assert "Several transactions" in refused.body["error"]
    assert attempts(till) == ["abandoned"]
    assert jupiter.asked


def test_a_slow_worker_is_asked_about_again(till: SolanaTill, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkout.views.solana_pay.WAIT_SECONDS", 0)
    refused = Scanner(till).ask()
    assert_refused(refused, 503, "transaction_not_ready")
    assert refused.headers["Retry-After"] == "2"
    sweep_due()
    assert Scanner(till).ask().status == 503
    sweep_due()
    assert (Scanner(till).ask().status, attempts(till)) == (200, ["awaiting_signature"])


def test_only_a_few_wait_at_once(till: SolanaTill) -> None:
    """Why: each holds a thread of the web server. The wish is stored all the same."""
    for _ in range(solana_pay.MOST_WAITING):
        assert solana_pay._WAITING.acquire(blocking=False)
    try:
        assert_refused(Scanner(till).ask(), 503, "transaction_not_ready")
    finally:
        for _ in range(solana_pay.MOST_WAITING):
            solana_pay._WAITING.release()
    assert attempts(till) == ["quoting"]


def test_test_mode_and_strangers_see_nothing(till: SolanaTill, api: ApiClient, nodes: Callable[..., None]) -> None:
    played = create(api, settlement_chain="solana", settlement_token="USDC", settlement_address=till.merchant)
    for intent_id in (played["id"], "0b0b0b0b-0000-4000-8000-000000000000", "nonsense"):
        path = f"/checkout/{intent_id}/solana-pay"
        assert_refused(ApiClient("").get(path), 404, "not_found")
        assert_refused(ApiClient("").send("POST", path, {"account": till.wallet[1]}), 404, "not_found")
    nodes("solana")
    assert_refused(Scanner(till).ask(), 404, "not_found")
