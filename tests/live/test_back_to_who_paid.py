"""Refunds go back to the wallet that provably paid, and to nobody who paid a unit beside it."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from solders.transaction import VersionedTransaction

from core.clock import now
from localnet.nodes import fresh_wallet
from localnet.solana.server import signed
from merchants.models import Merchant
from payments.models import Credit
from payments.services.payers import sweep_unknown_payers
from refunds.models import Refund, RefundPolicy
from tests.live.buyer import Buyer
from tests.live.evm_till import BASE_USDC, Till
from tests.live.proxy import lying, proxied
from tests.live.solana_till import SolanaTill, rewritten
from tests.live.test_evm_pays import _call, _delegate
from tests.live.test_solana_forged import cut_to as cut_solana_to
from tests.live.test_unlucky_payments import cut_to
from tests.live.till import LiveTill, tried
from tests.payments.payer import Payer


def paid_by(till: Till) -> tuple[str, int | None, str]:
    """Who paid the one credit, by which of its transactions, and what proves it."""
    credit = till.leg().credits.get()
    return credit.payer, credit.payer_nonce, credit.payer_proof


def asked(till: LiveTill, amount: str = "25") -> dict[str, Any]:
    """A refund without a destination; its body."""
    reply = till.api.post("/refunds", {"intent_id": till.intent["id"], "amount_usd": float(amount)})
    assert reply.status == 201, reply.body
    body: dict[str, Any] = reply.body
    return body


def test_a_stranger_who_paid_one_unit_gets_nothing_of_a_refund(till: Till, merchant: Merchant) -> None:
    """By a later try of its own. What no single wallet paid goes to nobody by itself, and without the policy the payer
    is but suggested."""
    attempt, stranger = till.issue("25"), till.stranger()
    till.decline(attempt)
    page = Payer.of(till.intent, "evm", stranger.address)
    own = tried(page, BASE_USDC)
    [wanted] = own["transactions"]
    page.report(own, wanted["leg_sequence"], till.node.send(stranger, cut_to(wanted["request"], 1)))
    till.node.send(till.payer, attempt["transactions"][0]["request"])
    till.sweep()
    till.pass_time()
    assert (till.sweep(4)["status"], sorted(till.credited())) == ("settled", [1, 25_000_000])
    made = asked(till)
    assert (made["destination"], made["suggested_destination"]) == ("", till.payer.address)
    assert till.api.post(f"/refunds/{made['id']}/cancel").status == 200
    RefundPolicy.objects.create(merchant=merchant, mode="live", to_paying_wallet=True)
    made = asked(till, "25.000001")
    assert (made["destination"], made["failure_reason"]) == ("", "missing_destination")
    payers = [(one["wallet"], one["paid_usd"]) for one in made["payers"]]
    assert payers == [(till.payer.address, 25), (stranger.address, 0.000001)]
    assert made["suggested_destination"] is None
    assert till.api.post(f"/refunds/{made['id']}/cancel").status == 200
    made = asked(till)
    assert (made["destination"], made["failure_reason"]) == (till.payer.address, None)
    assert Refund.objects.get(pk=made["id"]).base_units == 25_000_000


def test_on_solana_a_signed_message_that_failed_proves_nothing(solana_till: SolanaTill, merchant: Merchant) -> None:
    """The stranger signs the whole message and empties its account before it is sent, then pays one unit."""
    RefundPolicy.objects.create(merchant=merchant, mode="live", to_paying_wallet=True)
    till = solana_till
    attempt = till.issue("25")
    stranger = SolanaTill(api=till.api, node=till.node, merchant=till.merchant)
    stranger.endow(25_000_000)
    till.decline(attempt)
    page = Payer.of(till.intent, *stranger.wallet)
    own = tried(page, till.token)
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
    made = asked(till)
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


def test_over_a_bridge_the_payer_sent_the_deposit(buyer: Buyer) -> None:
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
    other = fresh_wallet().address.lower()
    with proxied(till.node.url) as liar:
        nodes("base", till.node.url, liar.url)
        attempt = till.issue("25")
        liar.bend = lying("eth_getTransactionByHash", lambda found: {**found, "from": other})
        till.report(attempt, till.pay(attempt))
        assert till.finish()["status"] == "settled"
        liar.bend = None
    credit = till.leg().credits.get()
    assert (credit.payer, credit.payer_proof) == ("", "")
