"""Refunds on the dashboard: everybody of the team looks, owners and admins act, real money asks for a second factor."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from chains.models import Transfer
from chains.rails.base import RailName
from chains.transfers import TransferOrder, request_transfer
from core.money import BaseUnits, usd
from merchants.models import Merchant, Role
from merchants.services import NewMerchant
from refunds.models import Refund
from refunds.services.transition import apply_trigger
from tests.conftest import ApiClient
from tests.merchants.people import (
    OWNER,
    add_member,
    add_second_factor,
    confirm_identity,
    send_form,
    sign_in,
    text_of,
)
from tests.payments.world import World
from tests.refunds.stories import PAYEE, refund, row, settled, shown, work

pytestmark = pytest.mark.slow
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
SENDER = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
HASH = "0x" + "ab" * 32


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed, with a second factor."""
    client = sign_in(OWNER)
    confirm_identity(client)
    add_second_factor(OWNER)
    return client


def live_wallet_refund(merchant: Merchant, world: World, api: ApiClient) -> Refund:
    """A live refund of 25 USDC on Base that waits for its merchant's wallet."""
    made = row(refund(api, settled(world, api)))
    Refund.objects.filter(pk=made.pk).update(mode="live", status="queued", destination=PAYEE, chain="base")
    made.refresh_from_db()
    order = TransferOrder(
        merchant_id=merchant.pk,
        mode="live",
        network="localnet",
        purpose="refund",
        purpose_id=made.pk,
        rail=RailName.MERCHANT_WALLET,
        chain="base",
        token_address=USDC,
        token_decimals=6,
        recipient=PAYEE,
        base_units=BaseUnits(25_000_000),
        value_usd=usd("25"),
    )
    apply_trigger(made, "dispatch", transfer=request_transfer(order), rail="merchant_wallet")
    return made


@pytest.fixture
def waiting(merchant: Merchant, world: World, api: ApiClient) -> Refund:
    """Such a refund."""
    return live_wallet_refund(merchant, world, api)


def act(client: Client, made: Refund, action: str, mode: str = "live", **told: str) -> Any:
    """What the page's script tells."""
    at = f"/dashboard/{mode}/refunds/{made.pk}/sign/"
    return send_form(client, f"/dashboard/{mode}/refunds/{made.pk}/wallet/{action}/", at=at, **told)


def offered(made: Refund) -> Transfer:
    """As a worker left it."""
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
    for words in ("Refund paid", "Transfer mined", "API key …", "4 May 2026, 12:00"):
        assert words in page
    again = send_form(owner, f"{path}destination/", destination=PAYEE)
    assert "does not wait for a destination" in text_of(again)


def test_a_refund_can_be_cancelled_once(world: World, api: ApiClient, owner: Client) -> None:
    made = refund(api, settled(world, api))
    path = f"/dashboard/test/refunds/{made['id']}/"
    assert "The refund is cancelled." in text_of(_followed(owner, send_form(owner, f"{path}cancel/")))
    assert shown(api, made)["status"] == "cancelled"
    assert "cannot be cancelled" in text_of(_followed(owner, send_form(owner, f"{path}cancel/")))


def _followed(client: Client, answer: Any) -> Any:
    return client.get(answer.headers["Location"])


def test_the_list_and_home_show_them(world: World, api: ApiClient, owner: Client) -> None:
    assert "No refunds yet" in text_of(owner.get("/dashboard/test/refunds/"))
    made = refund(api, settled(world, api))
    page = text_of(owner.get("/dashboard/test/refunds/"))
    assert f"/dashboard/test/refunds/{made['id']}/" in page
    assert "$25.00" in page
    home = text_of(owner.get("/dashboard/test/"))
    assert "Refunds need an address." in home
    assert "/dashboard/test/refunds/?waits=address" in home


def test_the_history_says_when(world: World, api: ApiClient, owner: Client) -> None:
    made = Refund.objects.get(pk=refund(api, settled(world, api))["id"])
    page = text_of(owner.get(f"/dashboard/test/refunds/{made.pk}/"))
    moments = [f"{line.created_at.day} {line.created_at:%b %Y, %H:%M:%S} UTC" for line in made.history.all()]
    assert len(moments) == 1
    assert moments[0] in page


def test_refunds_of_others_and_of_the_other_mode_do_not_exist(
    world: World, api: ApiClient, other_api: ApiClient, owner: Client
) -> None:
    own, foreign = refund(api, settled(world, api)), refund(other_api, settled(world, other_api))
    for mode, made in (("live", own), ("test", foreign)):
        for page in ("", "destination/", "cancel/", "sign/", "unsigned/", "wallet/"):
            assert owner.get(f"/dashboard/{mode}/refunds/{made['id']}/{page}").status_code == 404
    assert owner.get(f"/dashboard/test/refunds/{uuid4()}/").status_code == 404


def test_a_refund_of_another_rail_has_no_signing_page(world: World, api: ApiClient, owner: Client) -> None:
    made = refund(api, settled(world, api))
    for page in ("sign/", "unsigned/", "wallet/"):
        assert owner.get(f"/dashboard/test/refunds/{made['id']}/{page}").status_code == 404


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.SUPPORT, Role.VIEWER])
def test_other_roles_look_and_touch_nothing(merchant: Merchant, waiting: Refund, role: Role) -> None:
    add_member(merchant, "someone@shop.example", role)
    client = sign_in("someone@shop.example")
    confirm_identity(client)
    add_second_factor("someone@shop.example")
    path = f"/dashboard/live/refunds/{waiting.pk}/"
    assert "Owners and admins can" in text_of(client.get(path))
    for page in ("destination/", "cancel/", "sign/", "unsigned/", "wallet/"):
        assert client.get(f"{path}{page}").status_code == 403
    for action in ("offer", "sent", "signed", "authorized"):
        assert send_form(client, f"{path}wallet/{action}/", at=path, sender=SENDER).status_code == 403
    assert Transfer.objects.get(purpose="refund").offer == {}


def test_live_needs_a_second_factor(account: NewMerchant, waiting: Refund) -> None:
    client = sign_in(OWNER)
    confirm_identity(client)
    path = f"/dashboard/live/refunds/{waiting.pk}/"
    for page in ("", "destination/", "cancel/", "sign/", "unsigned/", "wallet/"):
        answer = client.get(f"{path}{page}")
        assert (answer.status_code, "opens with a second factor" in text_of(answer)) == (403, True)
        assert waiting.token not in text_of(answer)


@pytest.mark.spec("Rulings D5.2")
def test_identity_is_asked_for_again(account: NewMerchant, waiting: Refund) -> None:
    client = sign_in(OWNER)
    add_second_factor(OWNER)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    answer = client.get(f"/dashboard/live/refunds/{waiting.pk}/sign/")
    assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, "/accounts/reauthenticate/")


def test_the_page_says_what_will_happen_and_stores_the_wish(owner: Client, waiting: Refund) -> None:
    page = text_of(owner.get(f"/dashboard/live/refunds/{waiting.pk}/sign/"))
    for words in ("25.00 USDC", PAYEE, USDC, "Base", "Connect the wallet that holds the money"):
        assert words in page
    answer = act(owner, waiting, "offer", sender=SENDER.lower())
    assert (answer.status_code, answer.json()["stage"], answer.json()["sender"]) == (200, "preparing", SENDER)
    assert answer.json()["unsigned"] == {}
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_wish_wakes_a_worker(owner: Client, waiting: Refund) -> None:
    Refund.objects.filter(pk=waiting.pk).update(next_attempt_at=None)
    act(owner, waiting, "offer", sender=SENDER)
    waiting.refresh_from_db()
    assert waiting.next_attempt_at is not None


@pytest.mark.parametrize(
    ("action", "told", "status", "code"),
    [
        ("offer", {"sender": "0x12"}, 400, "invalid_request"),
        ("offer", {}, 400, "invalid_request"),
        ("sent", {"tx_hash": HASH}, 409, "wallet_not_awaited"),
        ("signed", {"signed_transaction": "AA=="}, 409, "wallet_not_awaited"),
        ("authorized", {"signature": "0x" + "ab" * 65}, 409, "wallet_not_awaited"),
        ("authorized", {"signature": "0x12"}, 400, "invalid_request"),
    ],
)
def test_what_makes_no_sense_is_refused(
    owner: Client, waiting: Refund, action: str, told: dict[str, str], status: int, code: str
) -> None:
    answer = act(owner, waiting, action, **told)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_unknown_actions_and_forged_forms_are_refused(owner: Client, waiting: Refund) -> None:
    assert act(owner, waiting, "burn").status_code == 404
    assert owner.get(f"/dashboard/live/refunds/{waiting.pk}/wallet/offer/").status_code == 404
    assert owner.post(f"/dashboard/live/refunds/{waiting.pk}/wallet/offer/", {"sender": SENDER}).status_code == 403


@pytest.mark.parametrize("spelled", [PAYEE, PAYEE.lower()])
def test_the_payers_own_wallet_cannot_send_the_refund(owner: Client, waiting: Refund, spelled: str) -> None:
    answer = act(owner, waiting, "offer", sender=spelled)
    assert (answer.status_code, answer.json()["code"]) == (409, "sender_is_recipient")
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


def test_no_word_helps_against_what_was_told(owner: Client, waiting: Refund) -> None:
    offered(waiting)
    told = act(owner, waiting, "sent", tx_hash=HASH)
    assert (told.json()["stage"], told.json()["can_state"]) == ("looking", False)
    path = f"/dashboard/live/refunds/{waiting.pk}/"
    answer = send_form(owner, f"{path}unsigned/", not_signed="on")
    assert "may still be paid by what was signed" in text_of(_followed(owner, answer))


def test_a_refusal_is_told_with_what_to_do(owner: Client, waiting: Refund) -> None:
    transfer = offered(waiting)
    offer = Transfer.objects.get(pk=transfer.pk).offer | {"refused": {"code": "wrong_amount", "tx_hash": HASH}}
    Transfer.objects.filter(pk=transfer.pk).update(offer=offer)
    state = owner.get(f"/dashboard/live/refunds/{waiting.pk}/wallet/").json()
    assert state["refused"]["code"] == "wrong_amount"
    assert "Your wallet sent another amount." in text_of(owner.get(f"/dashboard/live/refunds/{waiting.pk}/sign/"))
