"""What an x402 client signed, on a real node: money goes from payer to merchant, and the service pays gas alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from chains import authorized_calls
from chains.models import AuthorizedCall, GasAccount
from chains.rails.evm.fees import Fees
from chains.signers.base import EvmTransaction
from chains.signers.gas import sign_authorized
from chains.signers.refusal import NotStored, SignerPaused
from core.money import BaseUnits
from core.pauses import pause
from localnet.nodes import fresh_wallet
from payments.models import Credit, Leg, PayerAuthorization, QueuedIntent
from payments.services import authorization_sending
from tests.checkout.programs import Program, read_header
from tests.conftest import Reply
from tests.live.evm_till import BASE_USDC, Till
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD
from tests.payments.world import create

UNITS = 25_000_000


def bought(till: Till, amount: str = "25") -> dict[str, Any]:
    where = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": till.merchant}
    return create(till.api, amount=float(amount), **where)


def signed(till: Till, intent: dict[str, Any]) -> tuple[Program, dict[str, Any]]:
    program = Program(wallet=till.payer)
    asked = program.asks(intent)
    assert asked.status == 402, asked.body
    assert asked.body["accepts"][0]["extra"]["name"] == "USD Coin"
    return program, program.signs(asked)


def goes_on(till: Till, intent: dict[str, Any], rounds: int = 4) -> str:
    """Let workers come round and blocks pass; the payment's status."""
    till.intent = intent
    for _ in range(rounds):
        till.sweep()
        till.pass_time()
    return str(till.sweep()["status"])


def outcome(reply: Reply) -> tuple[int, Any]:
    told = read_header(reply, "PAYMENT-RESPONSE")
    return reply.status, told["transaction"] if told["success"] else told["errorReason"]


def test_the_money_goes_from_payer_to_merchant_and_the_service_pays_gas(till: Till, gas: GasAccount) -> None:
    intent, before = bought(till), till.held(till.payer.address)
    program, payment = signed(till, intent)
    assert program.brings(intent, payment).status == 202
    assert goes_on(till, intent) == "settled"
    [call], [credit] = AuthorizedCall.objects.all(), Credit.objects.filter(intent=intent["id"])
    assert (call.outcome, till.held(), till.held(gas.address), before - till.held(till.payer.address)) == (
        *("landed", UNITS, 0, UNITS),
    )
    assert (credit.base_units, credit.payer, credit.payer_proof, credit.mark) == (
        *(UNITS, till.payer.address, "authorization", "authorization"),
    )
    assert outcome(program.brings(intent, payment)) == (200, call.tx_hashes[0])
    assert len(call.tx_hashes) == 1


def test_who_sends_the_same_call_first_changes_only_who_pays_gas(till: Till, gas: GasAccount) -> None:
    intent = bought(till)
    program, payment = signed(till, intent)
    assert program.brings(intent, payment).status == 202
    [given] = PayerAuthorization.objects.all()
    stranger = till.stranger(0)
    head = till.node.rpc("eth_blockNumber")
    leg = authorization_sending._hand_out_call(given.attempt.intent_id, given.attempt_id, gas, "", int(head, 16))
    assert leg is not None
    calldata = authorization_sending._authorization(given).calldata(given.signature)
    till.node.send(stranger, {"to": BASE_USDC, "value": "0x0", "data": calldata})
    assert goes_on(till, intent) == "settled"
    [call] = AuthorizedCall.objects.all()
    assert (call.outcome, call.tx_hashes, till.held()) == ("authorization_used", [], UNITS)


@pytest.mark.parametrize("why", ["poor", "used"])
def test_what_the_token_would_not_take_is_not_sent(till: Till, gas: GasAccount, why: str) -> None:
    intent = bought(till)
    program, payment = signed(till, intent)
    assert program.brings(intent, payment).status == 202
    if why == "poor":
        till.node.send(till.payer, transfer_of(till, till.held(till.payer.address)))
    else:
        given = PayerAuthorization.objects.get()
        calldata = authorization_sending._authorization(given).calldata(given.signature)
        till.node.send(till.stranger(0), {"to": BASE_USDC, "value": "0x0", "data": calldata})
    before = till.node.rpc("eth_getTransactionCount", gas.address, "latest")
    assert goes_on(till, intent, rounds=2) == "requires_payment"
    reply = program.brings(intent, payment)
    assert outcome(reply) == (402, {"poor": "authorization_refused", "used": "authorization_used"}[why])
    assert (AuthorizedCall.objects.exists(), Credit.objects.exists()) == (False, False)
    assert till.node.rpc("eth_getTransactionCount", gas.address, "latest") == before


def transfer_of(till: Till, units: int) -> dict[str, str]:
    data = till.node.token(BASE_USDC).encode_abi("transfer", args=[fresh_wallet().address, units])
    return {"to": BASE_USDC, "value": "0x0", "data": data}


def test_a_payment_that_is_over_is_refused_and_costs_no_gas(till: Till, gas: GasAccount) -> None:
    """Already paid, and cancelled before a worker came."""
    paid, cancelled = bought(till), bought(till)
    program, first = signed(till, paid)
    _, second = signed(till, paid)
    _, third = signed(till, cancelled)
    assert [program.brings(paid, first).status, program.brings(cancelled, third).status] == [202, 202]
    assert till.api.post(f"/payment-intents/{cancelled['id']}/cancel").status == 200
    assert goes_on(till, paid) == "settled"
    reply = program.brings(paid, second)
    assert (reply.status, reply.body["code"], reply.body["details"]) == (
        *(409, "intent_not_payable", {"status": "settled"}),
    )
    assert (AuthorizedCall.objects.count(), till.held()) == (1, UNITS)


def test_gas_is_spent_three_times_for_a_payment_and_no_more(
    till: Till, gas: GasAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = till.intent = bought(till)
    monkeypatch.setattr(authorization_sending, "_advance", lambda *_: None)  # nothing of it lands
    for number in range(1, 5):
        wallet = fresh_wallet()
        till.node.mint(BASE_USDC, wallet.address, UNITS)
        program = Program(wallet=wallet)
        assert program.brings(intent, program.signs(program.asks(intent))).status == 202
        till.sweep()
        assert AuthorizedCall.objects.count() == min(number, 3)
    assert PayerAuthorization.objects.get(payer_address=wallet.address).refused == "gas_budget"


def handed_out(till: Till, gas: GasAccount) -> tuple[dict[str, Any], PayerAuthorization, Leg]:
    """A payment that a wallet signed, and the call that the account is to send for it."""
    intent = bought(till)
    program, payment = signed(till, intent)
    assert program.brings(intent, payment).status == 202
    [given] = PayerAuthorization.objects.all()
    leg = authorization_sending._hand_out_call(given.attempt.intent_id, given.attempt_id, gas, "", 1)
    assert leg is not None
    return intent, given, leg


def test_the_key_of_gas_signs_the_stored_call_and_nothing_else(till: Till, gas: GasAccount) -> None:
    _, given, leg = handed_out(till, gas)
    AuthorizedCall.objects.update(nonce=0)
    data = bytes.fromhex(authorization_sending._authorization(given).calldata(given.signature)[2:])
    right = EvmTransaction(
        chain_id=8453, nonce=0, to=BASE_USDC, value=0, data=data, gas_limit=200_000, max_fee=10**9, priority_fee=1
    )
    wrong = {
        "chain_id": 1, "nonce": 1, "to": till.merchant, "value": 1, "data": data[:-1], "gas_limit": 300_001,
        "max_fee": 10**12,
    }  # fmt: skip
    for name, value in wrong.items():
        with pytest.raises(NotStored):
            sign_authorized(leg.pk, replace(right, **{name: value}))  # type: ignore[arg-type]  # each its own type
    assert sign_authorized(leg.pk, right).tx_hash.startswith("0x")
    AuthorizedCall.objects.update(ended_at=given.created_at)
    with pytest.raises(NotStored):
        sign_authorized(leg.pk, right)


@contextmanager
def blocks_held(till: Till) -> Iterator[None]:
    """Nothing lands meanwhile, and all of it afterwards."""
    till.node.rpc(*BLOCKS_HELD)
    try:
        yield
    finally:
        till.node.rpc(*BLOCKS_GO)
        till.node.mine()


def test_one_call_at_a_time_and_a_dearer_one_where_it_waits(
    till: Till, gas: GasAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = bought(till), bought(till)
    other = till.stranger(UNITS)
    program, payment = signed(till, first)
    another = Program(wallet=other)
    with blocks_held(till):
        assert program.brings(first, payment).status == 202
        till.intent = first
        till.sweep()
        assert another.brings(second, another.signs(another.asks(second))).status == 202
        till.intent = second
        till.sweep()
        waits = AuthorizedCall.objects.get(intent_id=second["id"])
        assert (waits.nonce, waits.tx_hashes) == (None, [])
        till.intent = first
        with monkeypatch.context() as impatient:
            impatient.setattr("chains.authorized_calls.patience", lambda _: timedelta(0))
            till.sweep()
        call = AuthorizedCall.objects.get(intent_id=first["id"])
        assert (len(call.tx_hashes), call.nonce) == (2, 0)
    assert [goes_on(till, intent) for intent in (first, second)] == ["settled", "settled"]
    assert (till.held(), AuthorizedCall.objects.filter(outcome="landed").count()) == (2 * UNITS, 2)
    assert till.node.rpc("eth_getTransactionCount", gas.address, "latest") == "0x2"


def test_two_workers_with_one_call_send_it_once(till: Till, gas: GasAccount) -> None:
    """Both sign; what the second one signed is neither stored nor sent."""
    intent = bought(till)
    program, payment = signed(till, intent)
    assert program.brings(intent, payment).status == 202
    [given] = PayerAuthorization.objects.all()
    head = int(till.node.rpc("eth_blockNumber"), 16)
    leg = authorization_sending._hand_out_call(given.attempt.intent_id, given.attempt_id, gas, "", head)
    assert leg is not None
    seen = authorized_calls._stored(leg.pk)
    assert authorized_calls._step(seen)
    one, late = authorized_calls._stored(leg.pk), authorized_calls._stored(leg.pk)
    with blocks_held(till):
        authorized_calls._step(one)
        authorized_calls._step(late)
    assert goes_on(till, intent) == "settled"
    assert (len(AuthorizedCall.objects.get().tx_hashes), till.held()) == (1, UNITS)


@pytest.mark.parametrize("left", ["sent", "reserved"])
def test_an_account_is_free_again_although_nobody_looks_at_its_last_call(
    till: Till, gas: GasAccount, left: str
) -> None:
    first, second = bought(till), bought(till)
    program, payment = signed(till, first)
    another = Program(wallet=till.stranger(UNITS))
    assert program.brings(first, payment).status == 202
    [given] = PayerAuthorization.objects.all()
    head = int(till.node.rpc("eth_blockNumber"), 16)
    leg = authorization_sending._hand_out_call(given.attempt.intent_id, given.attempt_id, gas, "", head)
    assert leg is not None
    assert authorized_calls._step(authorized_calls._stored(leg.pk))
    if left == "sent":
        authorized_calls._step(authorized_calls._stored(leg.pk))
    AuthorizedCall.objects.update(acted_at=given.created_at - timedelta(hours=1))
    QueuedIntent.objects.filter(pk=first["id"]).delete()
    assert another.brings(second, another.signs(another.asks(second))).status == 202
    assert goes_on(till, second) == "settled"
    assert AuthorizedCall.objects.get(pk=leg.pk).outcome == {"sent": "landed", "reserved": "lost"}[left]


def test_a_paused_account_sends_nothing_and_what_was_taken_goes_afterwards(till: Till, gas: GasAccount) -> None:
    """What comes meanwhile is refused before it signs; what a worker had not sent yet waits while it is good."""
    intent, later = bought(till), bought(till)
    program, payment = signed(till, intent)
    _, refused = signed(till, later)
    assert program.brings(intent, payment).status == 202
    call_command("pause", "gas:base", "--reason", "the key may have leaked", stdout=StringIO())
    assert goes_on(till, intent, rounds=2) == "awaiting_signature"
    [call] = AuthorizedCall.objects.all()
    assert (call.nonce, call.tx_hashes, call.ended_at) == (None, [], None)
    for reply in (program.asks(later), program.brings(later, refused)):
        assert (reply.status, reply.body["code"], reply.body["details"]) == (
            *(409, "authorization_not_offered", {"reason": "paused"}),
        )
    assert PayerAuthorization.objects.count() == 1
    assert till.node.rpc("eth_getTransactionCount", gas.address, "latest") == "0x0"
    call_command("resume", "gas:base", stdout=StringIO())
    assert goes_on(till, intent) == "settled"
    assert (till.held(), outcome(program.brings(intent, payment))[0]) == (UNITS, 200)


def test_what_is_signed_while_the_account_is_paused_is_not_handed_to_its_key(till: Till, gas: GasAccount) -> None:
    """A worker that had passed every earlier look."""
    _, _, leg = handed_out(till, gas)
    assert authorized_calls._step(authorized_calls._stored(leg.pk))
    pause(gas.pause_kind, reason="the key may have leaked", by="operator")
    reserved = authorized_calls._stored(leg.pk)
    assert reserved.max_fee is not None
    fees = Fees(max_fee=BaseUnits(int(reserved.max_fee)), priority_fee=BaseUnits(1))
    with pytest.raises(SignerPaused):
        sign_authorized(leg.pk, authorized_calls._unsigned(reserved, fees))


def test_what_is_cancelled_before_it_is_signed_is_never_sent(till: Till, gas: GasAccount) -> None:
    intent, _, _ = handed_out(till, gas)
    assert till.api.post(f"/payment-intents/{intent['id']}/cancel").status == 200
    assert goes_on(till, intent, rounds=2) == "cancelled"
    assert (AuthorizedCall.objects.get().outcome, till.held()) == ("given_up", 0)
