"""After a change of the address: what still settles at the old one is shown, and cancelled in one act. By pages."""

from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from chains.models import SigningAccount
from core.clock import now
from merchants.models import Change, Merchant, Role
from merchants.services import NewMerchant
from payments.models import PaymentIntent, SettlementChange, SettlementProfile
from payments.services import settlement_leftovers
from payments.services.cancel import cancel_intent
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM, ANNS_SOLANA, BOBS_EVM, settlement_profile
from tests.factories.refunds import paid_intent
from tests.merchants.people import add_member, send_form, text_of
from tests.payments.conftest import signed_in
from tests.payments.test_settlement_changes import EVM, SETTINGS, SOLANA, ask, decide, settles_at, the_change
from tests.payments.world import create

pytestmark = pytest.mark.slow


@pytest.fixture
def changed(account: NewMerchant, owner: Client, live_api: ApiClient) -> list[UUID]:
    """Three open payments that settle at the old address and one that is being paid; then two people change it."""
    settlement_profile(account.merchant, chain="base", token="USDC")
    add_member(account.merchant, "admin@shop.example", Role.ADMIN)
    made = [UUID(create(live_api)["id"]) for _ in range(4)]
    PaymentIntent.objects.filter(pk=made[3]).update(status="executing", reference="order-4")
    ask(owner)
    decide(signed_in("admin@shop.example"), "confirm", the_change())
    assert settles_at() == BOBS_EVM
    return made


def signing_account(merchant: Merchant, mode: str, chain: str, **fields: Any) -> None:
    facts = {"network": "localnet", "address": ANNS_EVM, "backend": "keystore", "key_reference": "one"}
    SigningAccount.objects.create(merchant=merchant, mode=mode, chain=chain, **facts | fields)


def at() -> str:
    return f"{SETTINGS}changes/{the_change().pk}/"


def cancel_open(client: Client) -> str:
    return text_of(client.get(send_form(client, f"{at()}open/").headers["Location"]))


def statuses(ids: list[UUID]) -> list[str]:
    found = dict(PaymentIntent.objects.filter(pk__in=ids).values_list("pk", "status"))
    return [found[pk] for pk in ids]


def test_what_still_settles_at_the_old_address_is_cancelled_in_one_act(
    changed: list[UUID], owner: Client, live_api: ApiClient
) -> None:
    newer = UUID(create(live_api)["id"])
    words = f"3 open payments still settle at the old address <code>{ANNS_EVM}</code>"
    for path in (SETTINGS, at()):
        page = text_of(owner.get(path))
        assert words in page
        assert "For 1 payment money is on its way to the old address." in page
    before = statuses([*changed, newer])
    page = text_of(owner.get(f"{at()}open/"))
    assert "Cancel 3 open payments?" in page
    assert f"<code>{changed[3]}</code></a> over $25.00, order-4" in page
    assert statuses([*changed, newer]) == before
    page = cancel_open(owner)
    assert "3 payments cancelled. Checkout links of those take no money any more." in page
    assert f"<code>{changed[3]}</code>" in page
    assert statuses([*changed, newer]) == ["cancelled"] * 3 + ["executing", "created"]
    line = Change.objects.get(action="settlement.open_cancelled")
    assert (line.subject, line.after) == ("evm", {"cancelled": 3, "stayed": 0, "address": ANNS_EVM})
    send_form(owner, f"{at()}open/")
    assert Change.objects.filter(action="settlement.open_cancelled").count() == 1


def test_what_is_signed_meanwhile_stays_and_is_named(
    changed: list[UUID], owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the lock a payer signed: the one service that cancels refuses, and says which."""

    def signed_first(principal: Any, intent_id: UUID) -> PaymentIntent:
        if intent_id == changed[1]:
            PaymentIntent.objects.filter(pk=intent_id).update(status="executing")
        return cancel_intent(principal, intent_id)

    monkeypatch.setattr(settlement_leftovers, "cancel_intent", signed_first)
    page = cancel_open(owner)
    assert "2 payments cancelled." in page
    assert f"Money is on its way for {changed[1]}" in page
    assert statuses(changed) == ["cancelled", "executing", "cancelled", "executing"]


def test_neither_developers_nor_who_settles_there_again_cancel_and_one_act_is_bounded(
    changed: list[UUID], account: NewMerchant, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_member(account.merchant, "developer@shop.example", Role.DEVELOPER)
    assert "still settle at the old address" not in text_of(signed_in("developer@shop.example").get(SETTINGS))
    SettlementProfile.objects.update(address=ANNS_EVM)
    assert "still settle at the old address" not in text_of(owner.get(SETTINGS))
    send_form(owner, f"{at()}open/", at=SETTINGS)
    assert statuses(changed) == ["created"] * 3 + ["executing"]
    SettlementProfile.objects.update(address=BOBS_EVM)
    monkeypatch.setattr(settlement_leftovers, "MOST_AT_ONCE", 2)
    send_form(owner, f"{at()}open/")
    assert statuses(changed) == ["cancelled", "cancelled", "created", "executing"]
    send_form(owner, f"{at()}open/")
    assert statuses(changed) == ["cancelled"] * 3 + ["executing"]


def test_a_first_address_waits_where_a_signing_account_is(account: NewMerchant, owner: Client) -> None:
    signing_account(account.merchant, mode="live", chain="polygon")
    assert "your signing account would send there what it holds" in text_of(owner.get(EVM))
    answer = ask(owner)
    assert "Nothing has changed yet" in text_of(owner.get(answer.headers["Location"]))
    assert (SettlementProfile.objects.count(), the_change().status, the_change().before) == (0, "waiting", {})
    add_member(account.merchant, "later@shop.example", Role.ADMIN)
    decide(signed_in("later@shop.example"), "confirm", the_change())
    assert SettlementProfile.objects.count() == 0, "who came later may not confirm"
    ask(owner, address=ANNS_SOLANA, asset="solana:USDC", at=SOLANA)
    assert settles_at("solana") == ANNS_SOLANA, "the account is of another family"


def test_a_first_address_holds_at_once_where_nothing_is_sent_on(
    account: NewMerchant, other_account: NewMerchant, owner: Client
) -> None:
    """Accounts that are retired, of another merchant and of test mode, and settled payments without any."""
    signing_account(account.merchant, mode="live", chain="base", retired_at=now())
    signing_account(account.merchant, mode="test", network="simulated", chain="base")
    signing_account(other_account.merchant, mode="live", chain="polygon")
    paid_intent(account.merchant)
    ask(owner)
    assert (settles_at(), SettlementChange.objects.count()) == (BOBS_EVM, 0)
    ask(owner, at="/dashboard/test/settings/settlement/evm/")
    assert settles_at(mode="test") == BOBS_EVM
