"""Refunds go back to the wallet that provably paid, and to nobody who paid a unit beside it."""

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from solders.transaction import VersionedTransaction

from core.clock import now
from localnet.lifi import Lifi
from localnet.nodes import fresh_wallet
from localnet.solana.server import signed
from merchants.models import Merchant
from payments.models import Credit, PaymentIntent, PaymentPolicy
from payments.services.advance import sweep_due
from payments.services.payers import sweep_unknown_payers
from refunds.models import Refund, RefundPolicy
from refunds.services.late import send_late_money_back
from tests.conftest import ApiClient
from tests.live.buyer import Buyer, asset
from tests.live.conftest import BASE_USDC, Till
from tests.live.proxy import proxied
from tests.live.solana_till import SolanaTill, rewritten
from tests.live.test_evm_pays import _call, _delegate
from tests.live.test_solana_forged import cut_to as cut_solana_to
from tests.live.test_unlucky_payments import cut_to
from tests.live.till import LiveTill
from tests.payments.payer import Payer


@pytest.fixture
def back_by_policy(merchant: Merchant) -> None:
    """The merchant's refunds go to the paying wallet by themselves."""
    RefundPolicy.objects.create(merchant=merchant, mode="live", to_paying_wallet=True)


def another_try(till: Till, units: int | None = None) -> LocalAccount:
    """Somebody else with the link pays under a try of its own: all that is asked, or only so many units; its wallet."""
    wallet = till.stranger()
    page = Payer.of(till.intent, "evm", wallet.address)
    [usdc] = [one for one in page.connect() if one["token_address"] == BASE_USDC]
    own = page.choose(usdc)
    page.act("start", {"attempt_id": own["id"]})
    sweep_due()
    own = page.state()["attempt"]
    [wanted] = own["transactions"]
    request = wanted["request"] if units is None else cut_to(wanted["request"], units)
    page.report(own, wanted["leg_sequence"], till.node.send(wallet, request))
    return wallet


def hijacked(till: Till) -> tuple[dict[str, Any], LocalAccount]:
    """A payer has a payment in its wallet; a stranger with the link pays one unit by a later try of its own."""
    attempt = till.issue("25")
    assert till.page is not None
    till.page.act("rejected", {"attempt_id": attempt["id"]})
    return attempt, another_try(till, 1)


def paid_by(till: Till) -> tuple[str, int | None, str]:
    """Who paid the one credit, by which of its transactions, and what proves it."""
    credit = till.leg().credits.get()
    return credit.payer, credit.payer_nonce, credit.payer_proof


def paid_beside_a_stranger(till: Till) -> LocalAccount:
    """The same, and then the payer pays what it has in its wallet; the stranger's wallet."""
    attempt, stranger = hijacked(till)
    till.node.send(till.payer, attempt["transactions"][0]["request"])
    till.sweep()
    till.pass_time()
    assert (till.sweep(4)["status"], sorted(till.credited())) == ("settled", [1, 25_000_000])
    return stranger


def asked(till: Till, amount: str = "25") -> dict[str, Any]:
    """A refund without a destination; its body."""
    reply = till.api.post("/refunds", {"intent_id": till.intent["id"], "amount_usd": float(amount)})
    assert reply.status == 201, reply.body
    body: dict[str, Any] = reply.body
    return body


def test_a_stranger_who_paid_one_unit_gets_nothing_of_a_refund(till: Till, merchant: Merchant) -> None:
    """What no single wallet paid goes to nobody by itself, and without the policy the payer is but suggested."""
    stranger = paid_beside_a_stranger(till)
    made = asked(till)
    assert (made["destination"], made["suggested_destination"]) == ("", till.payer.address)
    assert till.api.post(f"/refunds/{made['id']}/cancel").status == 200
    RefundPolicy.objects.create(merchant=merchant, mode="live", to_paying_wallet=True)
    made = asked(till, "25.000001")
    assert (made["destination"], made["failure_reason"]) == ("", "missing_destination")
    payers = [(one["wallet"], one["paid_usd"]) for one in made["payers"]]
    assert (made["suggested_destination"], payers) == (
        None,
        [(till.payer.address, 25), (stranger.address, 0.000001)],
    )
    assert till.api.post(f"/refunds/{made['id']}/cancel").status == 200
    made = asked(till)
    assert (made["destination"], made["failure_reason"]) == (till.payer.address, None)
    assert Refund.objects.get(pk=made["id"]).base_units == 25_000_000


@pytest.mark.usefixtures("back_by_policy")
def test_late_money_goes_to_each_who_sent_it(till: Till, merchant: Merchant) -> None:
    PaymentPolicy.objects.create(merchant=merchant, mode="live", late="refund", late_since=now() - timedelta(days=1))
    attempt, stranger = hijacked(till)
    till.sweep()
    till.pass_time()
    till.sweep(2)
    ago = now() - timedelta(minutes=5)
    PaymentIntent.objects.filter(pk=till.intent["id"]).update(expires_at=ago, expires_due_at=ago)
    assert till.sweep(2)["status"] == "expired"
    till.node.send(till.payer, attempt["transactions"][0]["request"])
    till.sweep()
    till.pass_time()
    assert till.sweep(3)["amount_received"] == "25.000001"
    send_late_money_back()
    sent = {one.destination: one.base_units for one in Refund.objects.all()}
    assert sent[till.payer.address] == 25_000_000
    assert sent.get(stranger.address, 0) <= 1


@pytest.mark.usefixtures("back_by_policy")
def test_two_honest_payers_are_both_shown_and_repaid(till: Till) -> None:
    attempt = till.issue("25")
    till.report(attempt, till.node.send(till.payer, cut_to(attempt["transactions"][0]["request"], 24_000_000)))
    assert till.finish()["status"] == "partially_filled"
    second = another_try(till)
    till.sweep()
    till.pass_time()
    assert till.sweep(3)["status"] == "settled"
    made = asked(till)
    assert (made["destination"], made["failure_reason"]) == ("", "missing_destination")
    assert till.api.post(f"/refunds/{made['id']}/cancel").status == 200
    reply = till.api.post("/refunds/to-payers", {"intent_id": till.intent["id"]}, Idempotency_Key="all-back")
    assert reply.status == 201, reply.body
    assert {(one["destination"], one["amount_usd"]) for one in reply.body["data"]} == {
        (till.payer.address, 24),
        (second.address, 1),
    }


@pytest.mark.usefixtures("back_by_policy")
def test_on_solana_a_signed_message_that_failed_proves_nothing(solana_till: SolanaTill) -> None:
    """The stranger signs the whole message and empties its account before it is sent, then pays one unit."""
    till = solana_till
    attempt = till.issue("25")
    stranger = SolanaTill(api=till.api, node=till.node, merchant=till.merchant)
    stranger.endow(25_000_000)
    assert till.page is not None
    page = Payer.of(till.intent, *stranger.wallet)
    page.act("rejected", {"attempt_id": attempt["id"]})
    [usdc] = [one for one in page.connect() if one["token_address"] == till.token]
    own = page.choose(usdc)
    page.act("start", {"attempt_id": own["id"]})
    sweep_due()
    own = page.state()["attempt"]
    [wanted] = own["transactions"]
    whole = signed(stranger.payer, wanted["transaction_base64"])
    till.node.send(stranger.payer, rewritten(wanted["transaction_base64"], cut_solana_to(1)))
    signature = str(VersionedTransaction.from_bytes(base64.b64decode(whole)).signatures[0])
    told = {"attempt_id": own["id"], "leg_sequence": wanted["leg_sequence"], "tx_hash": signature}
    page.send("POST", "/submitted", {**told, "signed_transaction": whole})
    till.sweep()
    till.node.finalize()
    till.sweep(2)
    till.node.send(till.payer, till.unsigned(attempt))
    till.sweep()
    till.node.finalize()
    assert till.sweep(4)["status"] == "settled"
    made = till.api.post("/refunds", {"intent_id": till.intent["id"], "amount_usd": 25}).body
    assert (made["destination"], made["failure_reason"]) == (till.wallet[1], None)


def test_who_sends_the_issued_call_is_who_paid(till: Till) -> None:
    """A stranger signs what another wallet was given: the money was the stranger's."""
    attempt, stranger = till.issue("25"), till.stranger()
    till.report(attempt, till.node.send(stranger, attempt["transactions"][0]["request"]))
    assert (till.finish()["status"], paid_by(till)) == ("settled", (stranger.address, 0, "sender"))


def test_a_bundler_is_nobodys_payer(till: Till) -> None:
    """Somebody else's transaction brings the wallet's own call: the wallet paid, as the call's trace shows."""
    attempt, bundler = till.issue("25"), till.stranger(0)
    call = _call(attempt["transactions"][0]["request"])
    data = _delegate(till, till.payer.address).encode_abi("execute", args=[[call]])
    till.report(attempt, till.node.send(bundler, {"to": till.payer.address, "value": "0x0", "data": data}, gas=500_000))
    assert (till.finish()["status"], paid_by(till)) == ("settled", (till.payer.address, None, "call"))


def test_a_contract_that_anybody_can_use_is_nobodys_payer(till: Till) -> None:
    """The call comes out of another contract than the wallet that it was issued to."""
    attempt = till.issue("25")
    shared = fresh_wallet().address
    till.node.mint(BASE_USDC, shared, 25_000_000)
    call = _call(attempt["transactions"][0]["request"])
    data = _delegate(till, shared).encode_abi("execute", args=[[call]])
    till.report(attempt, till.node.send(till.payer, {"to": shared, "value": "0x0", "data": data}, gas=500_000))
    assert (till.finish()["status"], paid_by(till)) == ("settled", ("", None, ""))
    assert asked(till)["suggested_destination"] is None


def test_over_a_bridge_the_payer_sent_the_deposit(live_api: ApiClient, lifi: Lifi) -> None:
    buyer = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    buyer.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000)
    buyer.issue_and_pay()
    buyer.sweep()
    assert buyer.arrive()["status"] == "settled"
    credit = Credit.objects.get(intent_id=buyer.intent["id"])
    assert (credit.payer, credit.payer_proof) == (buyer.payer.address, "sender")
    assert credit.sender != buyer.payer.address


@pytest.mark.parametrize("is_known", [True, False], ids=["kept by its chain", "pruned"])
def test_a_payment_of_before_is_read_again(any_till: LiveTill, is_known: bool) -> None:
    """Whose payer nobody kept; a node that keeps no such transaction is not at fault."""
    till = any_till
    till.issue_and_pay()
    assert till.finish()["status"] == "settled"
    paid = till.leg().credits.get()
    known = (paid.payer, paid.payer_nonce, paid.payer_proof)
    assert known[0] == till.wallet[1]
    forgotten = {"payer": "", "payer_nonce": None, "payer_proof": "", "payer_due_at": now()}
    Credit.objects.update(
        **forgotten, **({} if is_known else {"tx_hash": paid.tx_hash[:-1] + ("2" if paid.tx_hash[-1] == "1" else "1")})
    )
    assert sweep_unknown_payers() == 1
    paid.refresh_from_db()
    assert (paid.payer, paid.payer_nonce, paid.payer_proof) == (known if is_known else ("", None, ""))
    assert paid.payer_due_at is None
    assert till.issue("1")["status"] == "awaiting_signature"


def test_of_two_nodes_that_name_different_senders_none_is_believed(
    till: Till, nodes: Callable[..., None], impatient: None
) -> None:
    other = fresh_wallet().address

    def bent(method: str, result: Any) -> Any:
        return {**result, "from": other.lower()} if method == "eth_getTransactionByHash" and result else result

    with proxied(till.node.url) as liar:
        nodes("base", till.node.url, liar.url)
        attempt = till.issue("25")
        straight, liar.bend = liar.bend, bent
        till.report(attempt, till.pay(attempt))
        assert till.finish()["status"] == "settled"
        liar.bend = straight
    credit = till.leg().credits.get()
    assert (credit.payer, credit.payer_proof) == ("", "")
