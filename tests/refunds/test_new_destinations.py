"""A live key's refund to an address that did not pay waits for a person, once, unless the merchant wants otherwise."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from chains.models import SigningAccount, Transfer
from core.clock import now
from core.modes import Mode
from merchants.models import Change, Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from refunds.models import Refund
from refunds.services.advance import sweep_due
from refunds.services.policy import set_refund_policy
from tests.conftest import ApiClient
from tests.factories.payments import BOBS_EVM
from tests.factories.refunds import paid_intent
from tests.merchants.people import send_form, text_of
from tests.refunds.claiming import OTHER, PAYER, more, paid_by, signed_for
from tests.refunds.stories import PAYEE, refund, row, shown

HELD = ("pending", "destination_unconfirmed")
SETTINGS = "/dashboard/live/settings/refunds/"


@pytest.fixture(autouse=True)
def _signs_by_itself(merchant: Merchant, settings: Settings) -> None:
    """Refunds on Base are sent by an account of the merchant's."""
    settings.NETWORK_PROFILE = "localnet"
    facts = {"mode": "live", "network": "localnet", "backend": "keystore", "key_reference": "k"}
    SigningAccount.objects.create(merchant=merchant, chain="base", address=BOBS_EVM, **facts)


@pytest.fixture
def intent(merchant: Merchant) -> PaymentIntent:
    """25 USDC of the payer's wallet."""
    made = paid_intent(merchant)
    paid_by(made, PAYER.address)
    return made


def asked(api: ApiClient, intent: PaymentIntent, amount: Any = 10, **fields: Any) -> dict[str, Any]:
    """A refund by key, after a worker came round."""
    made = refund(api, {"id": str(intent.pk)}, amount, **fields)
    sweep_due()
    return made


def stands(api: ApiClient, made: dict[str, Any]) -> tuple[Any, Any]:
    """Its status and why."""
    body = shown(api, made)
    return body["status"], body["failure_reason"]


def ordered(made: dict[str, Any]) -> bool:
    """Whether a transfer was made for it."""
    return Transfer.objects.filter(purpose="refund", purpose_id=row(made).pk).exists()


def test_a_new_address_waits_for_a_person_once(live_api: ApiClient, intent: PaymentIntent, owner: Client) -> None:
    first = asked(live_api, intent, destination=PAYEE)
    Refund.objects.update(next_attempt_at=now())
    sweep_due()
    assert (stands(live_api, first), ordered(first), row(first).attempts) == (HELD, False, 0)
    page = f"/dashboard/live/refunds/{first['id']}/"
    assert "A key named an address that did not pay" in text_of(owner.get(page))
    assert PAYEE in text_of(owner.get(f"{page}release/"))
    assert send_form(owner, f"{page}release/").status_code == 302
    sweep_due()
    assert (ordered(first), row(first).released_by.partition(":")[0]) == (True, "user")
    assert "and not held." in text_of(owner.get(f"{page}release/", follow=True))
    second = asked(live_api, intent, 1, destination=PAYEE)
    assert (ordered(second), row(second).released_by) == (True, "")


def test_an_address_named_later_by_key_waits_too(live_api: ApiClient, intent: PaymentIntent) -> None:
    made = asked(live_api, intent)
    assert live_api.post(f"/refunds/{made['id']}/destination", {"destination": PAYEE}).status == 200
    sweep_due()
    assert (stands(live_api, made), ordered(made)) == (HELD, False)
    assert live_api.post(f"/refunds/{made['id']}/cancel").status == 200


def test_who_paid_as_much_needs_no_word(live_api: ApiClient, intent: PaymentIntent) -> None:
    made = asked(live_api, intent, destination=PAYER.address.lower())
    assert ordered(made)
    claimed = refund(live_api, {"id": str(intent.pk)}, 5)
    assert signed_for(row(claimed)).status == 200
    sweep_due()
    assert ordered(claimed)


def test_a_payer_of_a_cent_is_no_payer_of_all(live_api: ApiClient, merchant: Merchant) -> None:
    intent = paid_intent(merchant)
    paid_by(intent, PAYER.address)
    more(intent, 10_000, PAYEE)
    made = asked(live_api, intent, destination=PAYEE)
    assert (stands(live_api, made), ordered(made)) == (HELD, False)


def test_what_a_person_asks_for_is_sent(live_api: ApiClient, intent: PaymentIntent, owner: Client) -> None:
    made = asked(live_api, intent)
    path = f"/dashboard/live/refunds/{made['id']}/destination/"
    assert send_form(owner, path, destination=PAYEE).status_code == 302
    sweep_due()
    assert ordered(made)


def test_the_merchant_says_otherwise(live_api: ApiClient, intent: PaymentIntent, owner: Client) -> None:
    form = {"destination": "ask", "newcomers": "confirm", "destinations": f"{PAYEE}\n{PAYEE.lower()}"}
    assert send_form(owner, SETTINGS, **form).status_code == 302
    assert Change.objects.get(action="refund_policy.changed").after == {"destinations": [PAYEE]}
    listed = asked(live_api, intent, 1, destination=PAYEE)
    assert ordered(listed)
    other = asked(live_api, intent, 1, destination=OTHER.address)
    assert not ordered(other)
    assert send_form(owner, SETTINGS, **form | {"destinations": "nonsense"}).status_code == 400
    assert send_form(owner, SETTINGS, **form | {"newcomers": "send"}).status_code == 302
    assert ordered(asked(live_api, intent, 1, destination=OTHER.address))


def test_test_mode_and_own_wallets_wait_for_nobody(
    api: ApiClient, live_api: ApiClient, intent: PaymentIntent, merchant: Merchant
) -> None:
    playing = paid_intent(merchant, mode="test")
    made = refund(api, {"id": str(playing.pk)}, 10, destination=PAYEE)
    sweep_due()
    assert ordered(made)
    SigningAccount.objects.all().delete()
    own = asked(live_api, intent, destination=PAYEE)
    assert (row(own).rail, stands(live_api, own)) == ("merchant_wallet", ("pending", None))
    assert Refund.objects.filter(failure_reason="destination_unconfirmed").count() == 0


def test_a_policy_that_was_set_before_keeps_asking(live_api: ApiClient, intent: PaymentIntent) -> None:
    set_refund_policy(Principal(merchant_id=intent.merchant_id, mode=Mode.LIVE, actor="user:1"), to_paying_wallet=True)
    assert stands(live_api, asked(live_api, intent, destination=PAYEE)) == HELD
