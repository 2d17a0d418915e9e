"""A refund in two clicks: the preview says what the payer will see; one form makes one refund, however often sent."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from chains.models import Transfer
from merchants.models import Merchant, Role
from payments.models import PaymentIntent
from refunds.models import Refund, RefundPolicy
from tests.conftest import ApiClient
from tests.each import faults
from tests.merchants.people import OWNER, add_member, confirm_identity, field_value, send_form, sign_in, text_of
from tests.payments.world import World, create, pay
from tests.refunds.stories import PAYEE, refund, settled, work
from webhooks.models import Event

pytestmark = pytest.mark.slow


def form_of(intent: dict[str, Any], mode: str = "test") -> str:
    """Where the form of a new refund stands."""
    return f"/dashboard/{mode}/payments/{intent['id']}/refund/"


def send(client: Client, intent: dict[str, Any], step: str = "look", key: str = "", **fields: str) -> Any:
    """Fill the form in and press one of its buttons."""
    path = form_of(intent)
    minted = key or field_value(client.get(path), "key")
    return send_form(client, path, step=step, **({"key": minted, "reason": "", "destination": ""} | fields))


def unchanged() -> tuple[int, int, int]:
    """How many refunds, transfers and events there are."""
    return Refund.objects.count(), Transfer.objects.count(), Event.objects.filter(type__startswith="refund").count()


def test_the_form_offers_all_that_is_left(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    page = owner.get(form_of(intent))
    assert field_value(page, "amount") == "25.00"
    assert "$25.00</strong> can be sent back" in text_of(page)
    refund(api, intent, 10.5, destination=PAYEE)
    assert field_value(owner.get(form_of(intent)), "amount") == "14.50"


def test_looking_makes_nothing_and_says_everything(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    page = text_of(send(owner, intent, amount="12.5", reason="Wrong <size>", destination=PAYEE))
    for words in (
        "12.50 USDC",
        "$12.50 · on Base",
        f"ends in <code>…{PAYEE[-6:]}</code>",
        f'data-testid="full-destination">{PAYEE}<',
        "Wrong &lt;size&gt;",
        "a few seconds, simulated",
        "Your refund is on its way.",
        "Your refund was paid.",
        "Send $12.50 back",
    ):
        assert words in page, words
    assert unchanged() == (0, 0, 0)


def test_without_an_address_the_payer_is_asked(world: World, api: ApiClient, owner: Client) -> None:
    page = text_of(send(owner, settled(world, api), amount="25"))
    assert "We will ask the payer: nothing moves before." in page
    assert "Your refund waits for an address." in page


def test_a_policy_for_the_paying_wallet_is_foretold(
    world: World, api: ApiClient, owner: Client, merchant: Merchant
) -> None:
    RefundPolicy.objects.create(merchant=merchant, mode="test", to_paying_wallet=True)
    page = text_of(send(owner, settled(world, api), amount="25"))
    assert "the wallet that paid, by your refund policy" in page
    assert "…000a11" in page.lower()


def test_the_second_click_sends_and_leads_to_the_refund(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    answer = send(owner, intent, "send", amount="25", reason="Sold out", destination=PAYEE)
    [made] = Refund.objects.all()
    assert answer.headers["Location"] == f"/dashboard/test/refunds/{made.pk}/"
    assert (made.amount_usd, made.reason, made.destination, made.status) == (Decimal(25), "Sold out", PAYEE, "queued")
    assert re.fullmatch(r"user:\d+", made.created_by)
    assert made.history.get(from_status="").actor == made.created_by
    assert "is made and on its way" in text_of(owner.get(answer.headers["Location"]))
    work(world, 20)
    made.refresh_from_db()
    assert made.status == "paid"


def test_parts_can_be_sent_one_after_the_other_until_nothing_is_left(
    world: World, api: ApiClient, owner: Client
) -> None:
    intent = settled(world, api)
    for amount in ("5", "7.25", "12.75"):
        assert send(owner, intent, "send", amount=amount, destination=PAYEE).status_code == 302
    assert sorted((one.amount_usd, one.base_units) for one in Refund.objects.all()) == [
        (5, 5_000_000),
        (Decimal("7.25"), 7_250_000),
        (Decimal("12.75"), 12_750_000),
    ]
    assert "held by refunds that are under way" in text_of(owner.get(form_of(intent)))


def test_a_form_sent_twice_makes_one_refund(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    key = field_value(owner.get(form_of(intent)), "key")
    answers = [send(owner, intent, "send", key, amount="10", destination=PAYEE) for _ in range(3)]
    assert Refund.objects.count() == 1
    assert len({answer.headers["Location"] for answer in answers}) == 1
    looked = send(owner, intent, "look", key, amount="10", destination=PAYEE)
    assert looked.headers["Location"] == answers[0].headers["Location"]


def test_one_key_cannot_stand_for_two_wishes(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    key = field_value(owner.get(form_of(intent)), "key")
    send(owner, intent, "send", key, amount="10", destination=PAYEE)
    before = unchanged()
    answer = send(owner, intent, "send", key, amount="11", destination=PAYEE)
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
    ({"amount": "1", "destination": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}, "own address, not a wallet"),
    ({"amount": "1", "destination": "0x52908400098527886e0F7030069857D2E4169EE7"}, "does not match its checksum"),
    ({"amount": "1", "key": "mine"}, "This form is not complete."),
)
"""What a form may not say, and the words of the answer."""


@pytest.mark.parametrize("step", ["look", "send"])
def test_what_cannot_be_sent_is_said_and_nothing_is_made(
    world: World, api: ApiClient, owner: Client, step: str
) -> None:
    intent = settled(world, api)

    def check(case: tuple[dict[str, str], str]) -> None:
        fields, words = case
        answer = send(owner, intent, step, **fields)
        assert (answer.status_code, words in text_of(answer)) == (400, True)
        assert unchanged() == (0, 0, 0)

    assert faults(check, REFUSED) == {}


def test_a_payment_that_received_nothing_cannot_be_refunded(world: World, api: ApiClient, owner: Client) -> None:
    intent = create(api)
    page = text_of(owner.get(form_of(intent)))
    assert "Nothing has arrived for this payment" in page
    assert 'name="amount"' not in page
    answer = send(owner, intent, "send", "dashboard-" + "0" * 32, amount="1", destination=PAYEE)
    assert (answer.status_code, unchanged()) == (400, (0, 0, 0))


def test_a_payment_under_way_and_one_in_doubt_are_told_apart(world: World, api: ApiClient, owner: Client) -> None:
    intent = create(api)
    pay(api, intent)
    PaymentIntent.objects.filter(pk=intent["id"]).update(status="executing")
    assert "A payment is under way" in text_of(owner.get(form_of(intent)))
    PaymentIntent.objects.filter(pk=intent["id"]).update(in_doubt=True)
    assert "It is in doubt whether this payment arrived" in text_of(owner.get(form_of(intent)))


def test_it_asks_who_it_is_and_whether_they_may(world: World, api: ApiClient, merchant: Merchant) -> None:
    intent = settled(world, api)
    stale = sign_in(OWNER)
    assert "reauthenticate" in stale.get(form_of(intent)).headers["Location"]
    for role in (Role.DEVELOPER, Role.SUPPORT, Role.VIEWER):
        add_member(merchant, f"{role}@shop.example", role)
        other = sign_in(f"{role}@shop.example")
        confirm_identity(other)
        assert other.get(form_of(intent)).status_code == 403
    assert unchanged() == (0, 0, 0)


def test_other_worlds_payments_are_not_there(world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    PaymentIntent.objects.filter(pk=intent["id"]).update(mode="live")
    assert owner.get(form_of(intent)).status_code == 404
