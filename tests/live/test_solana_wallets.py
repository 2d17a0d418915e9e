"""Wallets of Solana that only sign, or that scanned a code and never see a page."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.test import Client
from pytest_django import Settings
from solders.keypair import Keypair

from checkout.views.solana_pay import TransactionNotReady
from core.later import PLACE, Later
from localnet.jupiter import LocalJupiter
from localnet.solana.money import USDC, USDT
from localnet.solana.server import signed
from payments.models import PaymentAttempt, PaymentIntent
from payments.services.advance import sweep_due
from tests.conftest import API, ApiClient, Reply, read_reply
from tests.core.error_form import assert_refused
from tests.live.solana_till import SolanaTill
from tests.payments.payer import Payer
from tests.payments.world import create

TARGET = 25_000_000
NO_SIGNATURE = "1" * 88
MOST_LOOKS = 12


def tell(till: SolanaTill, attempt: dict[str, Any], text: str) -> Reply:
    """Report what the wallet signed, as the page does."""
    body = {"attempt_id": attempt["id"], "leg_sequence": 1, "tx_hash": NO_SIGNATURE, "signed_transaction": text}
    return till.page.send("POST", "/submitted", body)


def signed_by(till: SolanaTill, attempt: dict[str, Any]) -> str:
    """What its wallet makes of what it is asked to sign."""
    return signed(till.payer, till.unsigned(attempt))


@pytest.mark.spec("Rulings C2.1")
def test_what_a_wallet_only_signed_is_sent_until_it_lands_and_settles(solana_till: SolanaTill) -> None:
    till, attempt = solana_till, solana_till.issue("25")
    text = signed_by(till, attempt)
    till.node.drop_next()
    reply = tell(till, attempt, text)
    assert (reply.status, reply.body["status"], tell(till, attempt, text).status) == (202, "executing", 202)
    assert (till.sweep()["status"], till.held(), till.leg().status) == ("executing", 0, "submitted")
    assert (till.sweep()["status"], till.held()) == ("executing", TARGET)
    till.node.finalize()
    settled = till.sweep()
    assert (settled["status"], settled["amount_received"]) == ("settled", "25.00")
    assert till.node.rpc("getSignatureStatuses", [till.leg().tx_hash])["value"][0]["err"] is None


@pytest.mark.spec("Rulings C14.2")
def test_what_can_land_no_more_lets_the_payer_try_again(solana_till: SolanaTill) -> None:
    till, attempt = solana_till, solana_till.issue("25")
    till.node.drop_next(3)
    tell(till, attempt, signed_by(till, attempt))
    till.sweep()
    assert till.page.send("POST", "/quote", {"chain": "solana", "token_address": USDC}).status == 409
    till.node.advance(400)
    assert till.sweep()["status"] == "requires_payment"
    till.node.drop_next(0)
    assert (till.leg().status, till.leg().error, till.held()) == ("failed", "replaced", 0)


@pytest.mark.spec("Rulings C14.1")
def test_only_the_issued_message_is_taken(solana_till: SolanaTill) -> None:
    till, attempt = solana_till, solana_till.issue("25")
    other = SolanaTill(api=till.api, node=till.node)
    other.endow()
    own = signed_by(till, attempt)
    altered = {
        "another payment of another payer": signed_by(other, other.issue("25")),
        "unsigned": till.unsigned(attempt),
        "a flipped byte": own[:-8] + ("B" if own[-8] != "B" else "C") + own[-7:],
        "cut short": own[: len(own) // 8 * 4],
        "something behind it": own.rstrip("=") + "AAAA",
        "no transaction": "AAAA",
    }
    for name, text in altered.items():
        reply = tell(till, attempt, text)
        assert (name, reply.status, reply.body["code"]) == (name, 409, "transaction_altered")
    for text in ("", "not base64!", "A" * 1645):
        reply = tell(till, attempt, text)
        assert (text, reply.status, reply.body["code"]) == (text, 400, "invalid_request")
    leg = till.leg()
    assert (leg.status, leg.signed_transaction, leg.tx_hash) == ("awaiting_signature", "", "")
    assert (till.sweep()["status"], tell(till, attempt, own).status) == ("awaiting_signature", 202)


def test_what_was_given_up_is_not_sent_any_more(solana_till: SolanaTill) -> None:
    till, attempt = solana_till, solana_till.issue("25")
    till.page.act("rejected", {"attempt_id": attempt["id"], "reason": "abandoned"})
    reply = tell(till, attempt, signed_by(till, attempt))
    assert (reply.status, reply.body["code"]) == (409, "transaction_not_awaited")
    till.sweep()
    assert (till.held(), till.leg().signed_transaction) == (0, "")


def ask(till: SolanaTill, wallet: Keypair | None = None, **fields: Any) -> Reply:
    """A wallet that scanned the code of the intent asks for the transaction, and does not wait for it."""
    body = {"account": str((wallet or till.payer).pubkey()), **fields}
    return ApiClient("").send("POST", f"/checkout/{till.intent['id']}/solana-pay", body)


def served(till: SolanaTill, wallet: Keypair | None = None) -> Reply:
    """The same, and waits while a worker comes round, as the web server's entry has it wait."""
    later, body = Later(), orjson.dumps({"account": str((wallet or till.payer).pubkey())})
    path = f"{API}/checkout/{till.intent['id']}/solana-pay"
    place: dict[str, Any] = {PLACE: later}
    first = Client(**place).generic("POST", path, body, content_type="application/json")
    found: Any = first
    assert (later.look is None) is (found.status_code != TransactionNotReady.http_status)
    for _ in range(MOST_LOOKS):
        if later.look is None or found.status_code != TransactionNotReady.http_status:
            break
        sweep_due()
        found = later.look() or found
        found.headers["Request-Id"] = first.headers["Request-Id"]
    return read_reply(found)


def scan_and_pay(till: SolanaTill, wallet: Keypair | None = None) -> None:
    """It asks, signs and sends."""
    reply = served(till, wallet)
    assert reply.status == 200, reply.body
    till.node.send(wallet or till.payer, reply.body["transaction"])


@pytest.fixture
def till(solana_till: SolanaTill) -> SolanaTill:
    """An open intent over 25 USDC."""
    place = {"settlement_chain": "solana", "settlement_token": "USDC", "settlement_address": solana_till.merchant}
    solana_till.intent = create(solana_till.api, amount=25, **place)
    return solana_till


def attempts(till: SolanaTill) -> list[str]:
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
        assert_refused(ask(till, account=text), 400, "invalid_request")
    assert attempts(till) == []


def test_scan_sign_settled(till: SolanaTill) -> None:
    reply = served(till)
    assert set(reply.body) == {"transaction", "message"}
    assert "at most 25.00 USDC" in reply.body["message"]
    signature = till.node.send(till.payer, reply.body["transaction"])
    assert till.finish()["status"] == "settled"
    assert (till.held(), till.leg().tx_hash, till.leg().provider) == (25_000_000, signature, "direct")


def test_a_wallet_with_another_token_swaps(till: SolanaTill, jupiter: LocalJupiter) -> None:
    scan_and_pay(till, till.stranger(token=USDT))
    assert (till.finish()["status"], till.held(), till.leg().provider) == ("settled", 25_000_000, "jupiter")
    assert jupiter.asked


def test_asked_again_it_is_the_same_transaction_until_that_is_old(
    till: SolanaTill, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = served(till)
    assert (served(till).body, attempts(till)) == (first.body, ["awaiting_signature"])
    monkeypatch.setattr("payments.services.wallet_request.SAME_TRANSACTION_FOR", timedelta(seconds=-1))
    till.node.advance()
    second = served(till)
    assert first.body["transaction"] != second.body["transaction"]
    assert attempts(till) == ["abandoned", "awaiting_signature"]
    till.node.send(till.payer, second.body["transaction"])
    assert till.finish()["status"] == "settled"


def test_another_wallet_begins_beside(till: SolanaTill) -> None:
    asked = served(till)
    assert served(till, till.stranger()).status == 200
    assert attempts(till) == ["awaiting_signature", "awaiting_signature"]
    till.node.send(till.payer, asked.body["transaction"])
    assert (till.finish()["status"], attempts(till)) == ("settled", ["confirmed", "abandoned"])


def test_a_page_that_showed_the_code_follows_and_cannot_act(till: SolanaTill) -> None:
    page = Payer.of(till.intent, browser="a" * 43)
    served(till)
    attempt = PaymentAttempt.objects.get()
    reply = page.send("POST", "/rejected", {"attempt_id": str(attempt.pk)})
    assert_refused(reply, 403, "attempt_of_another_browser")
    state = page.state()
    assert (state["status"], state["attempt"], state["wallet"]) == ("awaiting_signature", None, None)
    assert state["others"] == {"open": 1, "furthest": "awaiting_signature"}
    assert attempts(till) == ["awaiting_signature"]


def test_a_wallet_takes_over_before_anything_is_to_be_signed(till: SolanaTill) -> None:
    other = till.stranger()
    page = Payer.of(till.intent, "solana", str(other.pubkey()))
    [usdc] = [token for token in page.connect() if token["token_address"] == USDC]
    assert page.choose(usdc)["status"] == "quoted"
    scan_and_pay(till)
    assert (till.finish()["status"], attempts(till)) == ("settled", ["abandoned", "confirmed"])


def test_an_empty_wallet_is_told_so(till: SolanaTill) -> None:
    """Another one may pay, once."""
    assert_refused(served(till, Keypair()), 409, "route_unavailable")
    assert attempts(till) == ["failed"]
    scan_and_pay(till)
    till.sweep()
    assert_refused(served(till), 409, "intent_not_payable")
    assert till.finish()["status"] == "settled"
    assert_refused(served(till), 409, "intent_not_payable")


def test_several_transactions_are_for_the_page(till: SolanaTill, jupiter: LocalJupiter) -> None:
    payer = till.stranger(15_000_000)
    till.node.mint(USDT, str(payer.pubkey()), 15_000_000)
    till.node.fund(str(payer.pubkey()), 9_000_000)
    refused = served(till, payer)
    assert_refused(refused, 409, "route_unavailable")
    assert "Several transactions" in refused.body["error"]
    assert attempts(till) == ["abandoned"]
    assert jupiter.asked


def test_a_slow_worker_is_asked_about_again(till: SolanaTill) -> None:
    refused = ask(till)
    assert_refused(refused, 503, "transaction_not_ready")
    assert refused.headers["Retry-After"] == "2"
    sweep_due()
    assert ask(till).status == 503
    sweep_due()
    assert (ask(till).status, attempts(till)) == (200, ["awaiting_signature"])


def test_test_mode_and_strangers_see_nothing(till: SolanaTill, api: ApiClient, nodes: Callable[..., None]) -> None:
    played = create(api, settlement_chain="solana", settlement_token="USDC", settlement_address=till.merchant)
    for intent_id in (played["id"], "0b0b0b0b-0000-4000-8000-000000000000", "nonsense"):
        path = f"/checkout/{intent_id}/solana-pay"
        assert_refused(ApiClient("").get(path), 404, "not_found")
        assert_refused(ApiClient("").send("POST", path, {"account": till.wallet[1]}), 404, "not_found")
    nodes("solana")
    assert_refused(ask(till), 404, "not_found")
