"""What the tests of claims need: payers with keys, refunds of live money that wait, and their two requests."""

from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct
from solders.keypair import Keypair

from chains.base58 import base58
from core.clock import now
from core.modes import Mode
from core.money import BaseUnits, usd
from merchants.models import Merchant
from merchants.principal import Principal
from payments.amounts import value_at_frozen_rate
from payments.models import Credit, Leg, PaymentIntent
from refunds.models import Refund, RefundClaim, RefundTransition
from refunds.services.create import NewRefund, create_refund
from tests.conftest import ApiClient, Reply
from tests.factories.payments import credit
from tests.factories.refunds import paid_intent, paid_leg
from webhooks.models import Event

PAYER = Account.from_key("0x" + "11" * 32)
OTHER = Account.from_key("0x" + "22" * 32)
SOLANA_PAYER = Keypair.from_seed(bytes([7]) * 32)
ELSEWHERE = "0x52908400098527886E0F7030069857D2E4169EE7"
SOLANA_ELSEWHERE = "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg"
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def paid_by(intent: PaymentIntent, wallet: str, **fields: Any) -> Leg:
    """Let the newest credit that has no leg have come by a leg of this wallet's, in its own transaction."""
    leg = paid_leg(intent, payer_address=wallet, **{"source_nonce": 3} | fields)
    value = value_at_frozen_rate(
        intent, BaseUnits(sum(intent.credits.filter(leg=None).values_list("base_units", flat=True)))
    )
    intent.credits.filter(leg=None).update(leg=leg, sender=wallet, payer=wallet, payer_proof="sender", value_usd=value)
    return leg


def more(intent: PaymentIntent, units: int, wallet: str) -> None:
    network = "simulated" if intent.mode == "test" else "localnet"
    credit(intent, units, block_time=now(), final_at=now(), finalized_at=now(), network=network)
    paid_by(intent, wallet)


def paid_in_parts(merchant: Merchant, *parts: tuple[int, str], mode: str = "live") -> PaymentIntent:
    """An intent over 25 dollars that several wallets paid, each so many of them."""
    (first, wallet), *others = parts
    intent = paid_intent(merchant, mode=mode, units=first * 1_000_000, target_base_units=25_000_000)
    paid_by(intent, wallet)
    for dollars, other in others:
        more(intent, dollars * 1_000_000, other)
    PaymentIntent.objects.filter(pk=intent.pk).update(received_usd=25)
    intent.refresh_from_db()
    return intent


def waiting_refund(
    merchant: Merchant, amount: str = "25", *, intent: PaymentIntent | None = None, mode: str = "live"
) -> Refund:
    """A refund that waits for its address, of 25 USDC on Base that the payer's wallet paid."""
    if intent is None:
        intent = paid_intent(merchant, mode=mode)
        paid_by(intent, PAYER.address)
    principal = Principal(merchant_id=merchant.pk, mode=Mode(intent.mode), actor="key:1")
    made: Refund = create_refund(principal, NewRefund(intent_id=intent.pk, amount_usd=usd(amount)))
    return made


def ask(refund: Refund, wallet: str = PAYER.address, destination: str = ELSEWHERE, family: str = "evm") -> Reply:
    body = {"family": family, "wallet": wallet, "destination": destination}
    return ApiClient("").post(f"/api/public/refunds/{refund.pk}/claim/nonce", body)


def text_for(refund: Refund, **wish: str) -> dict[str, str]:
    reply = ask(refund, **wish)
    assert reply.status == 201, reply.body
    body: dict[str, str] = reply.body
    return body


def signed(text: str, by: Any = PAYER) -> str:
    return "0x" + bytes(by.sign_message(encode_defunct(text=text)).signature).hex()


def solana_signed(text: str, by: Keypair = SOLANA_PAYER) -> str:
    return base58(bytes(by.sign_message(text.encode())))


def claim(refund: Refund, nonce: str, signature: str) -> Reply:
    path = f"/api/public/refunds/{refund.pk}/claim"
    return ApiClient("").post(path, {"nonce": nonce, "signature": signature})


def everything() -> list[Any]:
    tables = (Refund, RefundClaim, RefundTransition, Event, Credit)
    return [list(table.objects.order_by("pk").values_list()) for table in tables]


def signed_for(refund: Refund, by: Any = PAYER) -> Reply:
    told = text_for(refund, wallet=by.address)
    return claim(refund, told["nonce"], signed(told["message"], by))


def refused(refund: Refund, nonce: str, signature: str) -> tuple[int, str]:
    before = everything()
    reply = claim(refund, nonce, signature)
    assert everything() == before
    return reply.status, reply.body["code"]


def refused_for(refund: Refund, by: Any = PAYER) -> tuple[int, str]:
    told = text_for(refund, wallet=by.address)
    return refused(refund, told["nonce"], signed(told["message"], by))
