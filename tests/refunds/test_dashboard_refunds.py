"""Refunds on the dashboard: made in two clicks and once, told where to go, cancelled, sent by the merchant's wallet."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from chains.models import Transfer
from merchants.models import Merchant
from payments.models import PaymentIntent
from refunds.models import Refund, RefundPolicy
from tests.conftest import ApiClient
from tests.dashboard.places import give_to_own_wallet
from tests.each import faults
from tests.factories.rows import all_rows
from tests.merchants.people import OWNER, field_value, send_form, text_of
from tests.payments.world import World, create, pay
from tests.refunds.stories import PAYEE, refund, row, settled, shown, work
from webhooks.models import Event

pytestmark = pytest.mark.slow
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
SENDER = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
HASH = "0x" + "ab" * 32


@pytest.fixture
def waiting(merchant: Merchant, world: World, api: ApiClient) -> Refund:
    """A live refund of 25 USDC on Base that waits for its merchant's wallet."""
    made = row(refund(api, settled(world, api)))
    Refund.objects.filter(pk=made.pk).update(mode="live", status="queued", destination=PAYEE, chain="base")
    made.refresh_from_db()
    give_to_own_wallet(made, PAYEE, "25")
    return made


def act(client: Client, made: Refund, action: str, mode: str = "live", **told: str) -> Any:
    at = f"/dashboard/{mode}/refunds/{made.pk}/sign/"
    return send_form(client, f"/dashboard/{mode}/refunds/{made.pk}/wallet/{action}/", at=at, **told)


def offered(made: Refund) -> Transfer:
    assert made.transfer is not None
    transfer: Transfer = made.transfer
    request = {"from": SENDER, "to": USDC, "value": "0x0", "data": "0x"}
    unsigned = {"family": "evm", "chain": "base", "chain_id": 8453, "request": request}
    Transfer.objects.filter(pk=transfer.pk).update(
        status="signed", sender=SENDER, start_block=1, offer={"senders": [SENDER], "unsigned": unsigned}
    )
    return transfer


def test_a_refund_without_an_address_is_given_one(world: World, api: ApiClient, owner: Client) -> None:
    made = refund(api, settled(world, api))
    path = f"/dashboard/test/refunds/{made['id']}/"
    page = text_of(owner.get(path))
    assert "Needs an address" in page
    assert "Say where it goes" in page
    wrong = send_form(owner, f"{path}destination/", destination="0x12")
    assert wrong.status_code == 400
    assert "40 hexadecimal digits" in text_of(wrong)
    assert send_form(owner, f"{path}destination/", destination=PAYEE).headers["Location"] == path
    work(world, 20)
    assert (shown(api, made)["status"], shown(api, made)["destination"]) == ("paid", PAYEE)
    page = text_of(owner.get(path))
    moments = [f"{line.created_at.day} {line.created_at:%b %Y, %H:%M:%S} UTC" for line in row(made).history.all()]
    assert len(moments) == 4
    for words in ("Refund paid", "Transfer mined", "API key …", "4 May 2026, 12:00", *moments):
        assert words in page
    again = send_form(owner, f"{path}destination/", destination=PAYEE)
    assert "does not wait for a destination" in text_of(again)


def test_a_refund_is_listed_and_can_be_cancelled_once(world: World, api: ApiClient, owner: Client) -> None:
    assert "No refunds yet" in text_of(owner.get("/dashboard/test/refunds/"))
    made = refund(api, settled(world, api))
    path = f"/dashboard/test/refunds/{made['id']}/"
    page = text_of(owner.get("/dashboard/test/refunds/"))
    assert path in page
    assert "$25.00" in page
    home = text_of(owner.get("/dashboard/test/"))
    assert "Refunds need an address." in home
    assert "/dashboard/test/refunds/?waits=address" in home
    for page in ("sign/", "unsigned/", "wallet/"):  # of another rail
        assert owner.get(f"{path}{page}").status_code == 404
    assert "The refund is cancelled." in text_of(_followed(owner, send_form(owner, f"{path}cancel/")))
    assert shown(api, made)["status"] == "cancelled"
    assert "cannot be cancelled" in text_of(_followed(owner, send_form(owner, f"{path}cancel/")))


def _followed(client: Client, answer: Any) -> Any:
    return client.get(answer.headers["Location"])


def test_the_page_says_what_will_happen_stores_the_wish_and_wakes_a_worker(owner: Client, waiting: Refund) -> None:
    page = text_of(owner.get(f"/dashboard/live/refunds/{waiting.pk}/sign/"))
    for words in ("25.00 USDC", PAYEE, USDC, "Base", "Connect the wallet that holds the money"):
        assert words in page
    Refund.objects.filter(pk=waiting.pk).update(next_attempt_at=None)
    answer = act(owner, waiting, "offer", sender=SENDER.lower())
    assert (answer.status_code, answer.json()["stage"], answer.json()["sender"]) == (200, "preparing", SENDER)
    assert answer.json()["unsigned"] == {}
    assert "no-store" in answer.headers["Cache-Control"]
    waiting.refresh_from_db()
    assert waiting.next_attempt_at is not None


def test_what_makes_no_sense_is_refused(owner: Client, waiting: Refund) -> None:
    """An unknown action or form too; and the payer's own wallet cannot send the refund, however it is spelled."""
    for action, told, status, code in (
        ("offer", {"sender": "0x12"}, 400, "invalid_request"),
        ("offer", {}, 400, "invalid_request"),
        ("sent", {"tx_hash": HASH}, 409, "wallet_not_awaited"),
        ("signed", {"signed_transaction": "AA=="}, 409, "wallet_not_awaited"),
        ("authorized", {"signature": "0x" + "ab" * 65}, 409, "wallet_not_awaited"),
        ("authorized", {"signature": "0x12"}, 400, "invalid_request"),
        ("offer", {"sender": PAYEE}, 409, "sender_is_recipient"),
        ("offer", {"sender": PAYEE.lower()}, 409, "sender_is_recipient"),
    ):
        answer = act(owner, waiting, action, **told)
        assert (answer.status_code, answer.json()["code"]) == (status, code), (action, told)
    assert act(owner, waiting, "burn").status_code == 404
    assert owner.get(f"/dashboard/live/refunds/{waiting.pk}/wallet/offer/").status_code == 404
    assert owner.post(f"/dashboard/live/refunds/{waiting.pk}/wallet/offer/", {"sender": SENDER}).status_code == 403
    assert Transfer.objects.get(purpose_id=waiting.pk).offer == {}


@pytest.mark.spec("Rulings D5.2")
def test_the_statement_takes_back_what_was_shown(owner: Client, waiting: Refund) -> None:
    transfer = offered(waiting)
    path = f"/dashboard/live/refunds/{waiting.pk}/"
    assert act(owner, waiting, "offer", sender=SENDER).status_code == 200
    assert "State that nothing was signed" in text_of(owner.get(f"{path}sign/"))
    assert "cannot be cancelled" in text_of(_followed(owner, send_form(owner, f"{path}cancel/")))
    send_form(owner, f"{path}unsigned/")
    assert Transfer.objects.get(pk=transfer.pk).status == "signed"
    answer = send_form(owner, f"{path}unsigned/", not_signed="on")
    assert "Taken back" in text_of(_followed(owner, answer))
    line = transfer.history.order_by("-pk").first()
    assert line is not None
    assert (line.to_status, line.reason) == ("new", "stated_unsigned")
    assert line.actor.startswith("user:")
    story = text_of(owner.get(path))
    assert "Stated that nothing was signed" in story
    assert OWNER in story
    assert "The refund is cancelled" in text_of(_followed(owner, send_form(owner, f"{path}cancel/")))


def test_what_was_told_and_what_was_refused_count(owner: Client, waiting: Refund) -> None:
    """No word helps against a transaction that was told; a wrong one is told with what to do."""
    transfer = offered(waiting)
    path = f"/dashboard/live/refunds/{waiting.pk}/"
    offer = Transfer.objects.get(pk=transfer.pk).offer
    refused = offer | {"refused": {"code": "wrong_amount", "tx_hash": HASH}}
    Transfer.objects.filter(pk=transfer.pk).update(offer=refused)
    assert owner.get(f"{path}wallet/").json()["refused"]["code"] == "wrong_amount"
    assert "Your wallet sent another amount." in text_of(owner.get(f"{path}sign/"))
    Transfer.objects.filter(pk=transfer.pk).update(offer=offer)
    told = act(owner, waiting, "sent", tx_hash=HASH)
    assert (told.json()["stage"], told.json()["can_state"]) == ("looking", False)
    answer = send_form(owner, f"{path}unsigned/", not_signed="on")
    assert "may still be paid by what was signed" in text_of(_followed(owner, answer))


def test_a_hash_that_was_found_before_the_page_told_it_needs_no_telling(owner: Client, waiting: Refund) -> None:
    """A worker may see what a wallet sent before the wallet's page has said so; any other hash is still refused."""
    transfer = offered(waiting)
    Transfer.objects.filter(pk=transfer.pk).update(status="paid", tx_hash=HASH)
    Refund.objects.filter(pk=waiting.pk).update(status="paid", tx_hash=HASH, next_attempt_at=None)
    before = all_rows()
    told = act(owner, waiting, "sent", tx_hash=HASH.upper().replace("0X", "0x"))
    assert (told.status_code, told.json()["stage"], told.json()["tx_hash"]) == (200, "paid", HASH)
    other = act(owner, waiting, "sent", tx_hash="0x" + "cd" * 32)
    assert (other.status_code, other.json()["code"]) == (409, "refund_not_for_wallet")
    assert all_rows() == before


def form_of(intent: dict[str, Any], mode: str = "test") -> str:
    return f"/dashboard/{mode}/payments/{intent['id']}/refund/"


def fill_in(client: Client, intent: dict[str, Any], step: str = "look", key: str = "", **fields: str) -> Any:
    path = form_of(intent)
    minted = key or field_value(client.get(path), "key")
    return send_form(client, path, step=step, **({"key": minted, "reason": "", "destination": ""} | fields))


def unchanged() -> tuple[int, int, int]:
    return Refund.objects.count(), Transfer.objects.count(), Event.objects.filter(type__startswith="refund").count()


def test_looking_says_all_and_makes_nothing(world: World, api: ApiClient, owner: Client, merchant: Merchant) -> None:
    intent = settled(world, api)
    form = owner.get(form_of(intent))
    assert field_value(form, "amount") == "25.00"
    assert "which received $25.00." in text_of(form)
    assert "$25.00</strong> can be sent back" in text_of(form)
    page = text_of(fill_in(owner, intent, amount="12.5", reason="Wrong <size>", destination=PAYEE))
    for words in (
        *("12.50 USDC", "$12.50 · on Base", f"ends in <code>…{PAYEE[-6:]}</code>", "Wrong &lt;size&gt;"),
        *(f'data-testid="full-destination">{PAYEE}<', "a few seconds, simulated", "Your refund is on its way."),
        *("Your refund was paid.", "Send $12.50 back"),
    ):
        assert words in page, words
    asking = text_of(fill_in(owner, intent, amount="25"))
    assert "We will ask the payer: nothing moves before." in asking
    assert "Your refund waits for an address." in asking
    RefundPolicy.objects.create(merchant=merchant, mode="test", to_paying_wallet=True)
    foretold = text_of(fill_in(owner, intent, amount="25"))
    assert "the wallet that paid, by your refund policy" in foretold
    assert "…000a11" in foretold.lower()
    assert unchanged() == (0, 0, 0)
    refund(api, intent, 10.5, destination=PAYEE)
    assert field_value(owner.get(form_of(intent)), "amount") == "14.50"


def test_the_second_click_sends_and_leads_to_the_refund(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    answer = fill_in(owner, intent, "send", amount="25", reason="Sold out", destination=PAYEE)
    [made] = Refund.objects.all()
    assert answer.headers["Location"] == f"/dashboard/test/refunds/{made.pk}/"
    assert (made.amount_usd, made.reason, made.destination, made.status) == (Decimal(25), "Sold out", PAYEE, "queued")
    assert re.fullmatch(r"user:\d+", made.created_by)
    assert made.history.get(from_status="").actor == made.created_by
    assert "is made and on its way" in text_of(owner.get(answer.headers["Location"]))
    work(world, 20)
    made.refresh_from_db()
    assert made.status == "paid"


def test_a_form_sent_twice_makes_one_refund_and_no_other(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    key = field_value(owner.get(form_of(intent)), "key")
    answers = [fill_in(owner, intent, "send", key, amount="10", destination=PAYEE) for _ in range(3)]
    assert Refund.objects.count() == 1
    assert len({answer.headers["Location"] for answer in answers}) == 1
    looked = fill_in(owner, intent, "look", key, amount="10", destination=PAYEE)
    assert looked.headers["Location"] == answers[0].headers["Location"]
    before = unchanged()
    answer = fill_in(owner, intent, "send", key, amount="11", destination=PAYEE)
    assert answer.status_code == 400
    assert unchanged() == before


REFUSED: tuple[tuple[dict[str, str], str], ...] = (
    ({"amount": "25.01"}, "25.01 USD is more than the 25.00 USD that can be refunded."),
    *(
        ({"amount": amount}, "Write the amount in dollars")
        for amount in ("0", "-1", "1e2", "NaN", "٣", "0.0000001", "99999999999", "")
    ),
    ({"amount": "1", "reason": "x" * 281}, "A reason is at most 280 characters."),
    ({"amount": "1", "destination": "0x12"}, "40 hexadecimal digits"),
    ({"amount": "1", "destination": "0x" + "1" * 200}, "An address is at most 128"),
    ({"amount": "1", "key": "mine"}, "This form is not complete."),
)
"""What a form may not say, and the words of the answer."""


@pytest.mark.parametrize("step", ["look", "send"])
def test_what_cannot_be_sent_is_said_and_not_made(world: World, api: ApiClient, owner: Client, step: str) -> None:
    intent = settled(world, api)

    def check(case: tuple[dict[str, str], str]) -> None:
        fields, words = case
        answer = fill_in(owner, intent, step, **fields)
        assert (answer.status_code, words in text_of(answer)) == (400, True)
        assert unchanged() == (0, 0, 0)

    assert faults(check, REFUSED) == {}


def test_a_payment_of_which_nothing_can_go_back_says_why(world: World, api: ApiClient, owner: Client) -> None:
    intent = create(api)
    page = text_of(owner.get(form_of(intent)))
    assert "Nothing has arrived for this payment" in page
    assert 'name="amount"' not in page
    answer = fill_in(owner, intent, "send", "dashboard-" + "0" * 32, amount="1", destination=PAYEE)
    assert (answer.status_code, unchanged()) == (400, (0, 0, 0))
    pay(api, intent)
    PaymentIntent.objects.filter(pk=intent["id"]).update(status="executing")
    assert "A payment is under way" in text_of(owner.get(form_of(intent)))
    PaymentIntent.objects.filter(pk=intent["id"]).update(in_doubt=True)
    assert "It is in doubt whether this payment arrived" in text_of(owner.get(form_of(intent)))
