"""A stray goes back in kind: the very token and units, to the wallet that provably sent it, once, and no dollars."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from pytest_django import Settings

from chains.clients.base import Mark, ObservedTransfer, TransferKind
from chains.models import SigningAccount, Transfer
from core.clock import now
from core.money import BaseUnits, usd
from merchants.models import Merchant
from payments.models import Credit, PaymentIntent, stray_id_of
from payments.services.credits import record_transfers, what_is_known
from payments.services.transition import locked_intent
from refunds.models import Refund
from refunds.services.advance import sweep_due
from refunds.shares import shares
from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM, credit
from tests.factories.refunds import paid_intent, paid_leg
from tests.invariants import violations
from tests.mcp.agents import connected_agent
from tests.payments.world import World, read
from tests.refunds.claiming import OTHER, PAYER, paid_by
from tests.refunds.stories import NOWHERE, PAYEE, last_event, public, refund, row, shown, steps, told, work
from tokens.models import Token
from tokens.services import record_usd_price

WETH = "0x4200000000000000000000000000000000000006"
LEFT_OVER = 3 * 10**15


@pytest.fixture(autouse=True)
def _live_network(settings: Settings) -> None:
    settings.NETWORK_PROFILE = "localnet"


def stray_of(intent: PaymentIntent, **changes: Any) -> Credit:
    """0.003 WETH that came beside, in the payer's own transaction."""
    facts = {"purpose": "stray", "mark": "stray", "token_address": WETH, "payer": PAYER.address}
    deep = {"payer_proof": "sender", "block_time": now(), "final_at": now(), "finalized_at": now()}
    network = {"network": "simulated" if intent.mode == "test" else "localnet"}
    return credit(intent, LEFT_OVER, **facts | deep | network | changes)


def give_back(api: ApiClient, stray: Credit, *, key: str = "", **fields: Any) -> Reply:
    assert stray.intent_id is not None
    body = {"intent_id": str(stray.intent_id), "stray_id": str(stray_id_of(stray.intent_id, stray.pk)), **fields}
    return api.post("/refunds", body, **({"Idempotency_Key": key} if key else {}))


def given(api: ApiClient, stray: Credit, **fields: Any) -> dict[str, Any]:
    reply = give_back(api, stray, **fields)
    assert reply.status == 201, reply.body
    body: dict[str, Any] = reply.body
    return body


def refused(api: ApiClient, stray: Credit) -> str:
    """The code of a refusal that made nothing."""
    before = Refund.objects.count()
    reply = give_back(api, stray)
    assert (reply.status, Refund.objects.count()) == (409, before), reply.body
    code: str = reply.body["code"]
    return code


@pytest.mark.spec("Rulings C11.2")
def test_it_goes_back_whole_and_no_dollars_move(world: World, merchant: Merchant, api: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test")
    paid_by(intent, PAYER.address)
    stray = stray_of(intent)
    before, payers = read(api, {"id": str(intent.pk)}), shares(intent.pk)
    made = given(api, stray, reason="Left over.")
    expected = {"amount_usd": 0, "chain": "base", "token": "WETH", "token_amount": "0.003", "status": "pending"}
    expected |= {
        "destination": PAYER.address,
        "stray_id": str(stray_id_of(intent.pk, stray.pk)),
        "reason": "Left over.",
    }
    assert {name: made[name] for name in expected} == expected
    work(world)
    assert (shown(api, made)["status"], steps(made)) == ("paid", ["waiting", "queued", "processing", "paid"])
    assert told(made) == ["created", "processing", "paid"]
    sent = Transfer.objects.get()
    assert (sent.token_address, sent.base_units, sent.recipient) == (WETH, LEFT_OVER, PAYER.address)
    assert last_event(made)["data"]["stray_id"] == made["stray_id"]
    assert public(made)["status"] == "succeeded"
    assert (read(api, {"id": str(intent.pk)}), shares(intent.pk)) == (before, payers)
    refund(api, {"id": str(intent.pk)}, 25)
    assert [one for one in violations() if one.startswith(("I1 ", "I18", "I19"))] == []


def test_a_payment_that_received_nothing_else_is_not_refunded_by_it(
    world: World, merchant: Merchant, api: ApiClient
) -> None:
    intent = paid_intent(merchant, mode="test", status="expired", settled_at=None)
    intent.credits.all().delete()
    PaymentIntent.objects.filter(pk=intent.pk).update(received_usd=0, net_settlement_usd=None)
    made = given(api, stray_of(intent))
    work(world)
    assert (shown(api, made)["status"], read(api, {"id": str(intent.pk)})["status"]) == ("paid", "expired")


def test_it_goes_back_once(world: World, merchant: Merchant, api: ApiClient) -> None:
    """While a refund of it is not over unpaid; a repeat under the key gets the same one."""
    stray = stray_of(paid_intent(merchant, mode="test"))
    made = given(api, stray, key="back")
    assert given(api, stray, key="back")["id"] == made["id"]
    assert refused(api, stray) == "stray_given_back"
    assert api.post(f"/refunds/{made['id']}/cancel").status == 200
    again = given(api, stray)
    work(world)
    assert (shown(api, again)["status"], refused(api, stray)) == ("paid", "stray_given_back")
    assert [one.purpose_id for one in Transfer.objects.all()] == [row(again).pk]


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "not deep": ({"final_at": None, "finalized_at": None}, "stray_not_final"),
    "taken back": ({"reversed_at": "2026-05-04T12:00:00Z", "final_at": None}, "stray_not_final"),
    "vanished": ({"vanished_at": "2026-05-04T12:00:00Z"}, "stray_not_final"),
    "nobody's": ({"payer": "", "payer_proof": ""}, "stray_payer_unknown"),
    "on no list": ({"token_address": PAYEE}, "stray_not_sendable"),
    "elsewhere": ({"recipient": OTHER.address}, "stray_not_sendable"),
}


@pytest.mark.parametrize(("changes", "code"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_go_back(changes: dict[str, Any], code: str, merchant: Merchant, api: ApiClient) -> None:
    stray = stray_of(paid_intent(merchant, mode="test"), **changes)
    assert refused(api, stray) == code
    stray.refresh_from_db()
    assert stray.promised_at is None


def test_only_strays_of_the_own_payment_are_named(
    merchant: Merchant, api: ApiClient, live_api: ApiClient, other_api: ApiClient
) -> None:
    intent = paid_intent(merchant, mode="test")
    stray, settled = stray_of(intent), intent.credits.get(purpose="settlement")
    assert [give_back(caller, stray).status for caller in (live_api, other_api)] == [404, 404]
    for stray_id in (NOWHERE, str(stray_id_of(intent.pk, settled.pk))):
        reply = api.post("/refunds", {"intent_id": str(intent.pk), "stray_id": stray_id})
        assert (reply.status, reply.body["details"]) == (404, {"resource": "stray"})
    for beside in ({"amount_usd": 1}, {"destination": PAYEE}, {"from_other_funds": True}):
        reply = give_back(api, stray, **beside)
        fields = [(one["field"], one["code"]) for one in reply.body["details"]["fields"]]
        assert (reply.status, fields) == (400, [(*beside, "unknown_field")])
    assert Refund.objects.count() == 0


def test_it_waits_until_its_chain_calls_it_final(world: World, merchant: Merchant, api: ApiClient) -> None:
    """And does not leave where a reorganisation takes it, or brings another amount."""
    stray = stray_of(paid_intent(merchant, mode="test"), finalized_at=None)
    made = given(api, stray)
    work(world, 15)
    assert (row(made).status, row(made).failure_reason, Transfer.objects.count()) == ("queued", "", 0)
    doubts: list[dict[str, Any]] = [{"reversed_at": now(), "final_at": None}, {"base_units": LEFT_OVER - 1}]
    for doubt in (*doubts, {"payer": OTHER.address}):
        kept = {name: getattr(stray, name) for name in doubt}
        Credit.objects.filter(pk=stray.pk).update(finalized_at=now(), **doubt)
        work(world, 15)
        assert (shown(api, made)["failure_reason"], Transfer.objects.count()) == ("stray_changed", 0)
        Credit.objects.filter(pk=stray.pk).update(**kept)
    work(world, 15)
    assert (shown(api, made)["status"], shown(api, made)["failure_reason"]) == ("paid", None)


@pytest.mark.parametrize("is_promised", [True, False])
def test_what_is_given_back_counts_for_nobody_else(is_promised: bool, merchant: Merchant, api: ApiClient) -> None:
    """A stray gives way to any mark; once a refund gave it back, it settles nothing, also where that was cancelled."""
    stray = stray_of(paid_intent(merchant, mode="test"))
    if is_promised:
        made = given(api, stray)
        assert api.post(f"/refunds/{made['id']}/cancel").status == 200
    other = paid_intent(merchant, mode="test", settlement_token_address=WETH, settlement_decimals=18)
    leg, facts = paid_leg(other), ("chain", "tx_hash", "token_address", "sender", "recipient", "block_number")
    marked = ObservedTransfer(
        **{name: getattr(stray, name) for name in (*facts, "block_hash", "block_time", "position")},
        kind=TransferKind.LOG,
        base_units=BaseUnits(LEFT_OVER),
        confirmations=99,
        mark=Mark.TAG,
    )
    with transaction.atomic():
        locked = locked_intent(other.pk)
        record_transfers(locked, leg, [marked], what_is_known(locked, [marked]))
    stray.refresh_from_db()
    assert (stray.purpose, stray.intent_id == other.pk) == (("stray", False) if is_promised else ("settlement", True))


@pytest.mark.parametrize(
    ("is_verified", "price", "rail", "worth"),
    [(True, "2500", "evm", "7.500000"), (True, "", "merchant_wallet", "0"), (False, "2500", "merchant_wallet", "0")],
    ids=["priced", "without a price", "unverified"],
)
def test_who_sends_it(
    is_verified: bool, price: str, rail: str, worth: str, merchant: Merchant, live_api: ApiClient
) -> None:
    """By itself only what caps can be held to, at today's price; else a person's wallet. A key needs nobody's word."""
    facts = {"mode": "live", "network": "localnet", "backend": "keystore", "key_reference": "k"}
    SigningAccount.objects.create(merchant=merchant, chain="base", address=ANNS_EVM, **facts)
    Token.objects.filter(chain="base", address=WETH).update(verified=is_verified)
    if price:
        for source in ("one", "other"):
            record_usd_price(Token.objects.get(chain="base", address=WETH), Decimal(price), now(), source)
    made = given(live_api, stray_of(paid_intent(merchant)))
    sweep_due()
    transfer = Transfer.objects.get()
    assert (transfer.rail, transfer.value_usd, transfer.recipient) == (rail, usd(worth), PAYER.address)
    assert row(made).failure_reason != "destination_unconfirmed"


def test_an_agent_gives_none_back(merchant: Merchant) -> None:
    """Its limits are in dollars, and a stray has none."""
    stray = stray_of(paid_intent(merchant, mode="test"))
    arguments = {"payment_intent_id": str(stray.intent_id), "idempotency_key": "k", "amount_usd": "1"}
    reply = connected_agent(merchant).call("create_refund", arguments | {"stray_id": NOWHERE})
    assert (reply.is_error, reply.code, reply.error["details"]["fields"][0]["code"]) == (
        *(True, "invalid_request"),
        "unknown_field",
    )
    assert Refund.objects.count() == 0
