"""The claim link: only the wallet that paid says where its refund goes, once, for what it provably paid itself."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from chains.base58 import base58
from chains.registry import Family
from core.clock import now
from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import Credit, PaymentIntent
from refunds.models import Refund, RefundClaim
from refunds.services.cancel import cancel_refund
from refunds.services.claim import MOST_OF_ONE, ClaimRequest, prepare_claim
from refunds.simulated_proof import simulated_signature
from tests.conftest import ApiClient, Reply, read_reply
from tests.factories.refunds import paid_intent
from tests.refunds.claiming import (
    ELSEWHERE,
    ORDER,
    OTHER,
    PAYER,
    SOLANA_ELSEWHERE,
    SOLANA_PAYER,
    ask,
    claim,
    everything,
    paid_by,
    paid_in_parts,
    refused,
    refused_for,
    signed,
    signed_for,
    solana_signed,
    text_for,
    waiting_refund,
)

pytestmark = pytest.mark.usefixtures("db")


@pytest.mark.spec("Contract 3.6; Rulings D4.1")
def test_the_wallet_that_paid_says_where_it_goes(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    told = text_for(refund)
    for line in (
        *("Site: http://localhost:8000", f"Refund: {refund.pk}", "Amount: 25.00 USDC", "Chain: base"),
        *("Token: 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "Base units: 25000000", f"Send to: {ELSEWHERE}"),
        *(f"Paid from: {PAYER.address}", f"Nonce: {told['nonce']}", f"Use before: {told['expires_at']}"),
    ):
        assert line in told["message"].splitlines(), line
    reply = claim(refund, told["nonce"], signed(told["message"]))
    tail = f"…{ELSEWHERE[-6:]}"
    assert (reply.status, reply.body["status"], reply.body["destination_tail"]) == (200, "pending", tail)
    status = ApiClient("").get(f"/api/public/refunds/{refund.pk}/status").raw.decode()
    for secret in (ELSEWHERE, PAYER.address, merchant.name):
        assert secret not in reply.raw.decode()
    assert PAYER.address not in status
    refund.refresh_from_db()
    assert (refund.status, refund.destination, refund.failure_reason) == ("queued", ELSEWHERE, "")
    last = refund.history.latest("pk")
    assert (last.trigger, last.actor, last.reason) == ("address", f"payer:…{PAYER.address[-6:]}", "claimed")
    used = refund.claims.get()
    assert (used.wallet, used.used_at is not None, used.signature[:2]) == (PAYER.address, True, "0x")


def solana_text(merchant: Merchant) -> tuple[Refund, dict[str, str]]:
    intent, wallet = paid_intent(merchant), str(SOLANA_PAYER.pubkey())
    paid_by(intent, wallet, chain="solana", source_nonce=None, signed_transaction="AQ==")
    refund = waiting_refund(merchant, intent=intent)
    return refund, text_for(refund, wallet=wallet, family="solana")


def _text(change: Callable[[str], str]) -> Callable[[dict[str, str]], str]:
    return lambda told: signed(change(told["message"]))


def _bytes_of(told: dict[str, str]) -> bytearray:
    return bytearray.fromhex(signed(told["message"])[2:])


def _malleated(told: dict[str, str]) -> str:
    raw = _bytes_of(told)
    s = ORDER - int.from_bytes(raw[32:64])
    return "0x" + (bytes(raw[:32]) + s.to_bytes(32) + bytes([55 - raw[64]])).hex()


def _with_v(v: int) -> Callable[[dict[str, str]], str]:
    return lambda told: "0x" + (bytes(_bytes_of(told)[:64]) + bytes([v])).hex()


def _other_parity(told: dict[str, str]) -> str:
    raw = _bytes_of(told)
    return "0x" + (bytes(raw[:64]) + bytes([55 - raw[64]])).hex()


FORGED: dict[str, Callable[[dict[str, str]], str]] = {
    "another_destination": _text(lambda text: text.replace(ELSEWHERE, OTHER.address)),
    "another_amount": _text(lambda text: text.replace("Base units: 25000000", "Base units: 250000000")),
    "another_chain": _text(lambda text: text.replace("Chain: base", "Chain: ethereum")),
    "another_token": _text(lambda text: text.replace("Token: 0x8335", "Token: 0x8336")),
    "another_site": _text(lambda text: text.replace("http://localhost:8000", "https://evil.example")),
    "another_nonce": _text(lambda text: text.replace("Nonce: ", "Nonce: 0")),
    "later_end": _text(lambda text: text.replace("Use before: 20", "Use before: 21")),
    "one_more_line": _text(lambda text: text + "\n"),
    "other_line_ends": _text(lambda text: text.replace("\n", "\r\n")),
    "another_signer": lambda told: signed(told["message"], OTHER),
    "high_s": _malleated,
    "other_parity": _other_parity,
    "v_0": _with_v(0),
    "v_1": _with_v(1),
    "v_29": _with_v(29),
    "v_of_a_chain": _with_v(37),
    "v_255": _with_v(255),
    "zero_r": lambda told: "0x" + (bytes(32) + bytes(_bytes_of(told)[32:])).hex(),
    "zero_s": lambda told: "0x" + (bytes(_bytes_of(told)[:32]) + bytes(32) + b"\x1b").hex(),
    "r_is_the_order": lambda told: "0x" + (ORDER.to_bytes(32) + bytes(_bytes_of(told)[32:])).hex(),
    "all_zero": lambda told: "0x" + "00" * 65,
    "all_ff": lambda told: "0x" + "ff" * 65,
    "no_prefix": lambda told: signed(told["message"])[2:],
    "odd_hex": lambda told: signed(told["message"]) + "0",
    "no_hex": lambda told: "0x" + "zz" * 65,
    "solana_form": lambda told: base58(bytes(64)),
    "full_width_digits": lambda told: signed(told["message"]).replace("1", "１", 1),
    "of_a_hash": lambda told: signed("0x" + "00" * 32),
}


@pytest.mark.spec("Rulings D4.1")
def test_no_forged_signature_moves_anything(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    told = text_for(refund)
    answers = {name: refused(refund, told["nonce"], forge(told)) for name, forge in FORGED.items()}
    assert answers == dict.fromkeys(FORGED, (400, "refund_claim_signature_invalid"))
    for length in (1, 64, 66, 97, 260, 4000):
        assert refused(refund, told["nonce"], "0x" + "ab" * length) == (400, "refund_claim_contract_wallet"), length
    assert claim(refund, told["nonce"], signed(told["message"])).status == 200  # the honest one still counts


def test_no_forged_signature_of_a_solana_wallet_moves_anything(merchant: Merchant) -> None:
    refund, told = solana_text(merchant)
    good = bytes(SOLANA_PAYER.sign_message(told["message"].encode()))
    forged = {
        "text": solana_signed(told["message"] + " "),
        "bytes": base58(bytes([good[0] ^ 1]) + good[1:]),
        "length": base58(good + b"\1"),
        "other_key": solana_signed(told["message"], type(SOLANA_PAYER).from_seed(bytes([8]) * 32)),
        "letters": "0OIl" * 22,
        "long": base58(good) * 100,
        "hex": "0x" + good.hex(),
    }
    answers = {name: refused(refund, told["nonce"], signature) for name, signature in forged.items()}
    assert answers == dict.fromkeys(forged, (400, "refund_claim_signature_invalid"))
    assert claim(refund, told["nonce"], solana_signed(told["message"])).status == 200


@pytest.mark.spec("Rulings D4.2")
def test_a_signature_counts_once(merchant: Merchant) -> None:
    """For ten minutes, for its refund, under a nonce that was given out, while an address is waited for.

    It may go to the wallet that paid.
    """
    intent = paid_intent(merchant)
    paid_by(intent, PAYER.address)
    first, second, third = (waiting_refund(merchant, "5", intent=intent) for _ in range(3))
    told = text_for(first, destination=PAYER.address)
    signature = signed(told["message"])
    with time_machine.travel(now() + timedelta(minutes=10), tick=False):
        assert refused(first, told["nonce"], signature) == (409, "refund_claim_expired")
    assert refused(second, told["nonce"], signature) == (404, "refund_claim_unknown")
    assert refused(first, "0" * 48, signature) == (404, "refund_claim_unknown")
    assert {refused(first, nonce, signature) for nonce in ("", "x" * 64)} <= {
        (404, "refund_claim_unknown"),
        (400, "invalid_request"),
    }
    assert claim(first, told["nonce"], signature).status == 200
    assert refused(first, told["nonce"], signature) == (409, "refund_claim_used")
    told = text_for(third)
    cancel_refund(Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:1"), third)
    assert refused(third, told["nonce"], signed(told["message"])) == (409, "refund_destination_not_needed")
    reply = ask(third)
    assert (reply.status, reply.body["code"]) == (409, "refund_destination_not_needed")


def test_play_signatures_are_worth_nothing_for_real_money(merchant: Merchant) -> None:
    wallet = "0x7E57000000000000000000000000000000000a11"
    for mode, status in (("live", 400), ("test", 200)):
        intent = paid_intent(merchant, mode=mode)
        paid_by(intent, wallet.lower())
        refund = waiting_refund(merchant, intent=intent)
        told = text_for(refund, wallet=wallet.lower())
        play = "0x" + simulated_signature(Family.EVM, wallet, told["message"]).hex()
        assert claim(refund, told["nonce"], play).status == status, mode
    refund = waiting_refund(merchant, mode="test")
    told = text_for(refund)
    play = "0x" + simulated_signature(Family.EVM, PAYER.address, told["message"]).hex()
    assert refused(refund, told["nonce"], play) == (400, "refund_claim_signature_invalid")
    assert claim(refund, told["nonce"], signed(told["message"])).status == 200


WRONG_WISHES: dict[str, tuple[dict[str, str], str]] = {
    "wallet_of_another_family": ({"wallet": SOLANA_ELSEWHERE}, "wallet"),
    "wallet_with_a_wrong_checksum": ({"wallet": "0x52908400098527886e0F7030069857D2E4169EE7"}, "wallet"),
    "unknown_family": ({"family": "bitcoin"}, "family"),
    "destination_of_another_family": ({"destination": SOLANA_ELSEWHERE}, "destination"),
    "destination_with_a_wrong_checksum": ({"destination": "0x52908400098527886e0F7030069857D2E4169EE7"}, "destination"),
    "a_token_as_destination": ({"destination": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}, "destination"),
    "two_lines": ({"destination": f"{ELSEWHERE}\nNonce: 1"}, "destination"),
    "no_destination": ({"destination": ""}, "destination"),
}


def test_no_text_is_written_for_what_could_not_be_paid(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    for name, (wish, field) in WRONG_WISHES.items():
        reply = ask(refund, **wish)
        assert (reply.status, reply.body["code"]) == (400, "invalid_request"), name
        assert [one["field"] for one in reply.body["details"]["fields"]] == [field], name
    assert not RefundClaim.objects.exists()
    unknown = Refund(pk="00000000-0000-4000-8000-000000000000")
    assert (ask(unknown).status, claim(unknown, "0" * 48, "0x00").status) == (404, 404)


def test_nothing_else_is_in_the_text_on_a_chain_that_takes_any_address(merchant: Merchant) -> None:
    refund = waiting_refund(merchant, mode="test")
    Refund.objects.filter(pk=refund.pk).update(chain="testchain")
    assert ask(refund, destination="me\nSite: https://evil.example").status == 400
    assert ask(refund, destination="me").status == 201


def test_old_and_many_texts_are_forgotten(merchant: Merchant, settings: Any) -> None:
    refund = waiting_refund(merchant)
    first = text_for(refund)["nonce"]
    with time_machine.travel(now() + timedelta(minutes=11), tick=False):
        text_for(refund)
        assert not RefundClaim.objects.filter(nonce=first).exists()
    wish = ClaimRequest(family=Family.EVM, wallet=PAYER.address, destination=ELSEWHERE)
    for _ in range(MOST_OF_ONE + 5):
        prepare_claim(refund, wish)
    assert RefundClaim.objects.filter(refund=refund).count() == MOST_OF_ONE + 1  # the first came from elsewhere
    settings.RATE_LIMIT_SCALE = 1
    assert [ask(refund).status for _ in range(21)] == [201] * 20 + [429]


def asked_from(address: str, refund: Refund) -> Reply:
    """Have a text written that names the payer's wallet, from another address of the network."""
    body = {"family": "evm", "wallet": PAYER.address, "destination": ELSEWHERE}
    path = f"/api/public/refunds/{refund.pk}/claim/nonce"
    return read_reply(Client(REMOTE_ADDR=address).post(path, body, content_type="application/json"))


def test_nobody_throws_out_anothers_text(merchant: Merchant, monkeypatch: Any) -> None:
    refund = waiting_refund(merchant)
    told = text_for(refund)
    assert {asked_from("203.0.113.7", refund).status for _ in range(55)} == {201}
    assert claim(refund, told["nonce"], "0x00").body["code"] != "refund_claim_unknown"
    assert RefundClaim.objects.filter(refund=refund).count() == MOST_OF_ONE + 1
    monkeypatch.setattr("refunds.services.claim.MOST_OPEN", MOST_OF_ONE + 2)
    assert asked_from("203.0.113.8", refund).status == 201
    rows = everything()
    full = asked_from("203.0.113.9", refund)
    assert (full.status, full.body["details"]["scope"]) == (429, "refund_claim_texts")
    assert (full.headers["Retry-After"], everything()) == ("600", rows)
    assert claim(refund, told["nonce"], signed(told["message"])).status == 200


PAID_OTHERWISE: dict[str, tuple[dict[str, Any], str]] = {
    "only_named_at_the_checkout": ({"payer": OTHER.address}, "refund_claim_not_payer"),
    "only_carried_into_the_block": ({"payer": "", "sender": PAYER.address}, "refund_claim_not_payer"),
    "reversed": ({"reversed_at": now()}, "refund_claim_not_payer"),
    "vanished": ({"vanished_at": now()}, "refund_claim_not_payer"),
    "stray": ({"purpose": "stray"}, "refund_claim_not_payer"),
    "too_little": ({"base_units": 24_999_999}, "refund_claim_exceeds_payment"),
    "not_final": ({"finalized_at": None}, "refund_claim_not_final"),
}


@pytest.mark.parametrize("name", sorted(PAID_OTHERWISE))
def test_only_what_the_wallet_provably_paid_for_good_counts(merchant: Merchant, name: str) -> None:
    credit, code = PAID_OTHERWISE[name]
    refund = waiting_refund(merchant)
    Credit.objects.filter(intent=refund.intent).update(**credit)
    assert refused_for(refund)[1] == code


@pytest.fixture
def shared(merchant: Merchant) -> PaymentIntent:
    return paid_in_parts(merchant, (10, PAYER.address), (15, OTHER.address))


@pytest.mark.spec("Rulings D4.3")
def test_two_payers_each_get_their_own_part(shared: PaymentIntent, merchant: Merchant) -> None:
    ten, fifteen = (waiting_refund(merchant, amount, intent=shared) for amount in ("10", "15"))
    assert refused_for(fifteen) == (403, "refund_claim_exceeds_payment")
    assert (signed_for(fifteen, OTHER).status, signed_for(ten).status) == (200, 200)


def test_nobody_gets_twice_what_it_paid(shared: PaymentIntent, merchant: Merchant) -> None:
    """By a claim, nor after what the merchant sent to the wallet itself."""
    first, second = (waiting_refund(merchant, "10", intent=shared) for _ in range(2))
    Refund.objects.filter(pk=first.pk).update(status="queued", destination=PAYER.address.lower())
    assert refused_for(second) == (403, "refund_claim_exceeds_payment")
    Refund.objects.filter(pk=first.pk).update(status="cancelled")
    assert signed_for(second).status == 200
    assert refused_for(waiting_refund(merchant, "10", intent=shared)) == (403, "refund_claim_exceeds_payment")


@pytest.mark.spec("Rulings D4.3")
def test_who_did_not_pay_gets_nothing(merchant: Merchant) -> None:
    """Nor does who paid another intent."""
    refund = waiting_refund(merchant)
    assert refused_for(refund, OTHER) == (403, "refund_claim_not_payer")
    paid_by(paid_intent(merchant), OTHER.address)
    assert refused_for(refund, OTHER) == (403, "refund_claim_not_payer")
