"""The payment's address for programs: x402 asks for exactly this payment, and takes what was signed for it once."""

import base64
import copy
from typing import Any

import pytest
from eth_account import Account
from pytest_django import Settings

from chains.models import GasAccount, SimulatedTransaction
from core.later import PLACE, Later
from core.pauses import Paused, pause, resume
from merchants.models import Merchant
from payments.models import Credit, Leg, PayerAuthorization, PaymentAttempt, PaymentIntent
from tests.checkout.programs import Program, read_header, written
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, events, history, pay, read

USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
ON_BASE = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}


def bought(api: ApiClient, **more: Any) -> dict[str, Any]:
    return create(api, **(ON_BASE | more))


def refused(reply: Reply, status: int, code: str) -> dict[str, Any]:
    """The details of a refusal."""
    assert (reply.status, reply.body["code"]) == (status, code), reply.body
    assert "PAYMENT-RESPONSE" not in reply.headers
    details: dict[str, Any] = reply.body["details"]
    return details


def nothing_sent(intent: dict[str, Any]) -> bool:
    return not SimulatedTransaction.objects.exists() and not Leg.objects.filter(intent=intent["id"]).exists()


def test_a_program_is_asked_for_exactly_this_payment(world: World, api: ApiClient) -> None:
    intent = bought(api, amount=12.34)
    reply = Program().asks(intent)
    asked = read_header(reply, "PAYMENT-REQUIRED")
    assert (reply.status, reply.body, reply.headers["Cache-Control"]) == (402, asked, "no-store")
    assert asked == {
        "x402Version": 2,
        "error": "This payment is to be made.",
        "resource": {
            "url": intent["checkout_url"],
            "description": "A payment intent",
            "mimeType": "application/json",
        },
        "accepts": [
            {
                "scheme": "exact",
                "network": "eip155:8453",
                "asset": USDC_ON_BASE,
                "amount": "12340000",
                "payTo": ANNS_EVM,
                "maxTimeoutSeconds": 600,
                "extra": {"name": "Causeway test money", "version": "2", "assetTransferMethod": "eip3009"},
            }
        ],
    }
    assert (history(intent), PaymentAttempt.objects.count()) == (["created", "requires_payment"], 0)


@pytest.mark.parametrize("accept", ["", "*/*", "text/html,application/xhtml+xml,application/json;q=0.9"])
def test_browsers_get_the_page(api: ApiClient, accept: str) -> None:
    reply = Program().asks(bought(api), **{"Accept": accept})
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "Accept" in reply.headers["Vary"]


def test_what_was_signed_settles_the_payment_like_any_other(world: World, api: ApiClient) -> None:
    intent, program = bought(api), Program()
    payment = program.signs(program.asks(intent))
    taken = program.brings(intent, payment)
    assert (taken.status, taken.body["id"], taken.headers["Retry-After"]) == (202, intent["id"], "2")
    assert ("PAYMENT-RESPONSE" in taken.headers, nothing_sent(intent)) == (False, False)
    assert not SimulatedTransaction.objects.exists()
    world.run(10)
    [leg] = Leg.objects.filter(intent=intent["id"])
    [credit] = Credit.objects.filter(intent=intent["id"])
    made = program.brings(intent, payment)
    assert (made.status, made.body["status"]) == (200, "settled")
    assert read_header(made, "PAYMENT-RESPONSE") == {
        "success": True,
        "payer": program.wallet.address,
        "transaction": leg.tx_hash,
        "network": "eip155:8453",
        "amount": "25000000",
    }
    assert (credit.base_units, credit.recipient, credit.payer) == (25_000_000, ANNS_EVM, program.wallet.address)
    assert history(intent) == [*("created", "requires_payment", "quoted", "awaiting_signature", "executing", "settled")]
    assert events(intent) == ["created", "quoted", "executing", "settled"]


def test_the_answer_comes_when_the_payment_is_made(world: World, api: ApiClient) -> None:
    intent, later = bought(api), Later()
    program = Program(more={PLACE: later})
    payment = program.signs(program.asks(intent))
    assert program.brings(intent, payment, "?wait=20").status == 202
    assert later.look is not None
    assert (later.seconds, later.look(), later.rooms[0]) == (20, None, ("x402", 50))
    world.run(10)
    answer = later.look()
    assert answer is not None
    assert (answer.status_code, "PAYMENT-RESPONSE" in answer.headers) == (200, True)


def test_the_same_again_is_the_same_payment(world: World, api: ApiClient) -> None:
    intent, program = bought(api), Program()
    payment = program.signs(program.asks(intent))
    assert [program.brings(intent, payment).status for _ in range(3)] == [202, 202, 202]
    assert (PayerAuthorization.objects.count(), PaymentAttempt.objects.count()) == (1, 1)
    world.run(10)
    before = all_rows()
    again = [program.brings(intent, payment) for _ in range(3)]
    assert [reply.status for reply in again] == [200, 200, 200]
    assert (all_rows() == before, SimulatedTransaction.objects.count()) == (True, 1)


def test_what_was_signed_for_one_payment_pays_no_other(world: World, api: ApiClient, other_api: ApiClient) -> None:
    first, second, elsewhere = bought(api), bought(api), bought(other_api)
    program = Program()
    payment = program.signs(program.asks(first))
    assert program.brings(first, payment).status == 202
    world.run(10)
    for intent in (second, elsewhere):
        program.asks(intent)
        payment["resource"]["url"] = intent["checkout_url"]
        refused(program.brings(intent, payment), 409, "authorization_already_used")
        assert (read(api if intent is second else other_api, intent)["status"]) == "requires_payment"
    other_terms = program.signs(program.asks(second), nonce=payment["payload"]["authorization"]["nonce"])
    refused(program.brings(second, other_terms), 409, "authorization_already_used")
    assert (PayerAuthorization.objects.count(), Credit.objects.count()) == (1, 1)


UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "less": ({"base_units": 24_999_999}, "amount"),
    "more": ({"base_units": 25_000_001}, "amount"),
    "another recipient": ({"recipient": "0xde709f2102306220921060314715629080e2fb77"}, "payTo"),
    "another token": ({"token": "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"}, "asset"),
    "another chain": ({"chain_id": 1}, "network"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_was_signed_for_something_else_is_not_taken(world: World, api: ApiClient, case: str) -> None:
    changes, field = UNFIT[case]
    intent, program = bought(api), Program()
    asked = program.asks(intent)
    payment, before = program.signs(asked, **changes), all_rows()
    reply = program.brings(intent, payment)
    assert refused(reply, 402, "authorization_unfit") == {"field": field}
    offered = read_header(reply, "PAYMENT-REQUIRED")
    assert (offered["error"], offered["accepts"]) == ("authorization_unfit", asked.body["accepts"])
    assert (all_rows() == before, nothing_sent(intent)) == (True, True)


TIMES = {
    "over": {"valid_before": -1},
    "over in a moment": {"valid_before": 19},
    "yet to begin": {"valid_after": 1},
}


@pytest.mark.parametrize("case", TIMES)
def test_an_authorization_is_good_now_and_long_enough_or_not_taken(world: World, api: ApiClient, case: str) -> None:
    intent, program = bought(api), Program()
    asked, moment = program.asks(intent), int(PaymentIntent.objects.get(pk=intent["id"]).created_at.timestamp())
    times: dict[str, Any] = {name: moment + seconds for name, seconds in TIMES[case].items()}
    payment = program.signs(asked, **times)
    refused(program.brings(intent, payment), 402, "authorization_untimely")
    assert nothing_sent(intent)


def test_only_the_key_of_who_pays_signs(world: World, api: ApiClient) -> None:
    intent, program = bought(api), Program()
    asked, stranger = program.asks(intent), Program(wallet=Account.from_key("0x" + "66" * 32))
    foreign = stranger.signs(asked, holder=program.wallet.address)
    real = program.signs(asked, domain_name="USD Coin")
    altered = program.signs(asked)
    altered["payload"]["authorization"]["validBefore"] = str(
        int(altered["payload"]["authorization"]["validBefore"]) - 1
    )
    high = program.signs(asked)
    signature = bytes.fromhex(high["payload"]["signature"][2:])
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    upper = (order - int.from_bytes(signature[32:64])).to_bytes(32) + bytes([27 + 28 - signature[64]])
    high["payload"]["signature"] = "0x" + (signature[:32] + upper).hex()
    for payment in (foreign, real, altered, high):
        refused(program.brings(intent, payment), 402, "authorization_unsigned")
    assert nothing_sent(intent)


def test_the_merchant_pays_itself_nothing(world: World, api: ApiClient) -> None:
    program = Program()
    intent = bought(api, settlement_address=program.wallet.address)
    payment = program.signs(program.asks(intent))
    assert refused(program.brings(intent, payment), 402, "authorization_unfit") == {"field": "from"}


@pytest.mark.parametrize("status", ["settled", "expired", "cancelled", "failed", "refunded"])
def test_what_is_over_is_neither_asked_for_nor_taken(world: World, api: ApiClient, status: str) -> None:
    program, open_one = Program(), bought(api)
    payment = program.signs(program.asks(open_one))
    intent = intent_in(world, api, status)
    PaymentIntent.objects.filter(pk=intent["id"]).update(
        settlement_chain="base", settlement_token_address=USDC_ON_BASE, settlement_address=ANNS_EVM
    )
    payment["resource"]["url"] = intent["checkout_url"]
    before = all_rows()
    assert refused(program.asks(intent), 409, "intent_not_payable") == {"status": status}
    assert refused(program.brings(intent, payment), 409, "intent_not_payable") == {"status": status}
    assert all_rows() == before


def test_what_ends_before_it_was_sent_is_not_sent(world: World, api: ApiClient) -> None:
    program = Program()
    ends, cancelled = bought(api, expires_in_seconds=60), bought(api)
    later = int(PaymentIntent.objects.get(pk=ends["id"]).created_at.timestamp()) + 600
    payments = [program.signs(program.asks(intent), valid_before=later) for intent in (ends, cancelled)]
    assert [program.brings(*pair).status for pair in zip((ends, cancelled), payments, strict=True)] == [202, 202]
    assert api.post(f"/payment-intents/{cancelled['id']}/cancel").status == 200
    world.wait(61)
    world.run(10)
    assert [read(api, intent)["status"] for intent in (ends, cancelled)] == ["expired", "cancelled"]
    assert not SimulatedTransaction.objects.exists()
    for intent, payment in zip((ends, cancelled), payments, strict=True):
        reply = program.brings(intent, payment)
        assert (reply.status, reply.body["code"]) == (402, "authorization_unused")
        assert read_header(reply, "PAYMENT-RESPONSE")["success"] is False


def test_an_authorization_that_lapsed_before_a_worker_came_is_not_sent(world: World, api: ApiClient) -> None:
    intent, program = bought(api), Program()
    payment = program.signs(program.asks(intent))
    assert program.brings(intent, payment).status == 202
    world.wait(601)
    world.run(2)
    assert (read(api, intent)["status"], SimulatedTransaction.objects.exists()) == ("requires_payment", False)
    reply = program.brings(intent, payment)
    assert reply.body["details"] == {"reason": "authorization_untimely"}
    assert program.brings(intent, program.signs(program.asks(intent))).status == 202
    world.run(10)
    assert read(api, intent)["status"] == "settled"


def test_a_payment_that_fails_on_its_chain_may_be_signed_again(world: World, api: ApiClient) -> None:
    intent, program = bought(api, metadata={"simulate": "fail_execution"}), Program()
    payment = program.signs(program.asks(intent))
    assert program.brings(intent, payment).status == 202
    world.run(10)
    reply = program.brings(intent, payment)
    assert (reply.status, read_header(reply, "PAYMENT-RESPONSE")["errorReason"]) == (402, "reverted")
    assert (read(api, intent)["status"], program.asks(intent).status) == ("requires_payment", 402)


def test_while_a_payment_is_on_its_way_no_other_is_asked_for(world: World, api: ApiClient) -> None:
    intent, program = bought(api, metadata={"simulate": "stuck"}), Program()
    assert program.brings(intent, program.signs(program.asks(intent))).status == 202
    world.run(4)
    other = Program(wallet=Account.from_key("0x" + "66" * 32))
    assert refused(other.asks(intent), 409, "intent_not_payable") == {"status": "executing"}


def test_the_rest_of_a_short_payment_is_asked_for(world: World, api: ApiClient) -> None:
    intent, program = bought(api), Program()
    pay(api, intent, "partial")
    world.run(10)
    asked = program.asks(intent)
    assert asked.body["accepts"][0]["amount"] == "10000000"
    assert program.brings(intent, program.signs(asked)).status == 202
    world.run(10)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.parametrize(
    ("settles", "reason"),
    [
        ({"settlement_chain": "solana", "settlement_token": "USDC", "settlement_address": None}, "token"),
        ({"settlement_chain": "base", "settlement_token": "USDT"}, "token"),
        ({"settlement_chain": "base", "settlement_token": "ETH"}, "token"),
        ({"settlement_chain": "atlantis", "settlement_token": "SHELL"}, "token"),
    ],
)
def test_a_token_that_takes_no_authorizations_is_not_asked_for(
    world: World, api: ApiClient, settles: dict[str, Any], reason: str
) -> None:
    intent = bought(api, **settles)
    assert refused(Program().asks(intent), 409, "authorization_not_offered") == {"reason": reason}


def _malformed(payment: dict[str, Any]) -> list[tuple[str, str]]:
    """Headers that cannot be read, each with the field that is named."""
    made: list[tuple[str, str]] = [
        ("", "PAYMENT-SIGNATURE"),
        ("%%%", "PAYMENT-SIGNATURE"),
        (base64.b64encode(b"[" * 5000).decode(), "PAYMENT-SIGNATURE"),
        (base64.b64encode(b"[]").decode(), "PAYMENT-SIGNATURE"),
        ("A" * 8_193, "PAYMENT-SIGNATURE"),
    ]
    for path, value in (
        (("x402Version",), 1),
        (("accepted",), None),
        (("payload",), []),
        (("accepted", "network"), "solana:mainnet"),
        (("accepted", "asset"), "USDC"),
        (("payload", "signature"), "0x12"),
        (("payload", "authorization", "value"), "-1"),
        (("payload", "authorization", "value"), str(2**256)),
        (("payload", "authorization", "nonce"), "0x1"),
        (("payload", "authorization", "from"), 5),
        (("payload", "authorization", "validBefore"), str(2**60)),
    ):
        changed: Any = copy.deepcopy(payment)
        place = changed
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        if path[-1] == "value":
            changed["accepted"]["amount"] = value
        made.append((written(changed), path[-1]))
    return made


def test_what_cannot_be_read_changes_nothing(world: World, api: ApiClient) -> None:
    intent, program = bought(api), Program()
    payment = program.signs(program.asks(intent))
    before = all_rows()
    for header, field in _malformed(payment):
        assert refused(program.brings(intent, header), 400, "payment_malformed") == {"field": field}, field
    assert all_rows() == before


def test_two_words_about_one_payment_are_none(world: World, api: ApiClient) -> None:
    intent, program = bought(api), Program()
    asked = program.asks(intent)
    for path, value, field in (
        (("accepted", "amount"), "1", "amount"),
        (("accepted", "payTo"), USDC_ON_BASE, "payTo"),
        (("accepted", "scheme"), "upto", "scheme"),
        (("resource", "url"), "https://elsewhere.example/", "resource"),
    ):
        payment: Any = program.signs(asked)
        payment[path[0]][path[1]] = value
        assert refused(program.brings(intent, payment), 402, "authorization_unfit") == {"field": field}


def test_one_address_brings_so_many_and_no_more(world: World, api: ApiClient, settings: Settings) -> None:
    intent, settings.RATE_LIMIT_SCALE = bought(api), 1
    asked = Program().asks(intent)
    wallets = [Program(wallet=Account.from_key(f"0x{number:064x}")) for number in range(1, 12)]
    replies = [one.brings(intent, one.signs(asked)) for one in wallets]
    assert [reply.status for reply in replies] == [202] * 10 + [429]


def test_a_stopped_merchant_asks_for_nothing(world: World, api: ApiClient, merchant: Merchant) -> None:
    intent, program = bought(api), Program()
    payment = program.signs(program.asks(intent))
    Merchant.objects.filter(pk=merchant.pk).update(suspended_at=PaymentIntent.objects.get(pk=intent["id"]).created_at)
    for reply in (program.asks(intent), program.brings(intent, payment)):
        refused(reply, 403, "merchant_suspended")


def test_a_paused_gas_account_asks_for_nothing_while_others_go_on(live_api: ApiClient, settings: Settings) -> None:
    """Why a price is what the others lack: nobody priced anything here, and that is looked for last."""
    base, polygon = bought(live_api), bought(live_api, settlement_chain="polygon")

    def reasons() -> list[str]:
        replies = [Program().asks(intent) for intent in (base, polygon)]
        return [refused(reply, 409, "authorization_not_offered")["reason"] for reply in replies]

    assert reasons() == ["gas", "gas"]
    for chain in ("base", "polygon"):
        GasAccount.objects.create(network=settings.NETWORK_PROFILE, chain=chain, address=chain, backend="keystore")
    assert reasons() == ["price", "price"]
    pause("gas:base", reason="the key may have leaked", by="operator")
    assert reasons() == ["paused", "price"]
    pause(Paused.SIGNING, reason="all keys", by="operator")
    assert reasons() == ["paused", "paused"]
    for kind in ("gas:base", Paused.SIGNING):
        resume(kind, by="operator")
    assert reasons() == ["price", "price"]


def test_live_payments_need_a_gas_account_and_no_stranger_learns_what_is_there(
    live_api: ApiClient, anonymous: ApiClient
) -> None:
    program = Program()
    assert refused(program.asks(bought(live_api)), 409, "authorization_not_offered") == {"reason": "gas"}
    nothing = program.asks({"id": "5b1f6bb8-43bc-4e6e-9d3a-000000000000"})
    assert_refused(nothing, 404, "not_found")
