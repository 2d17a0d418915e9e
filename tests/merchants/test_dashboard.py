"""The dashboard: members only, one merchant and one mode at a time."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from core.modes import Mode
from merchants.models import ApiKey, KeyKind, Membership, User
from merchants.services import NewMerchant, create_merchant
from tests.merchants.people import (
    OWNER,
    PASSWORD,
    ROLL,
    add_second_factor,
    browser,
    keys_of,
    send_form,
    sign_in,
    text_of,
)
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of

pytestmark = pytest.mark.slow

PAGES = ["/dashboard/test/", "/dashboard/test/keys/", "/dashboard/test/keys/roll/"]


@pytest.mark.parametrize("path", [*PAGES, "/dashboard/live/", "/dashboard/test/nothing/"])
def test_strangers_are_sent_to_the_sign_in(db: None, path: str) -> None:
    answer = browser().get(path, follow=True)
    assert answer.redirect_chain[-1] == (f"/accounts/login/?next={quote(path, safe='')}", 302)
    assert "Sign in" in text_of(answer)


def test_the_short_address_leads_to_test_mode(db: None) -> None:
    assert browser().get("/dashboard/").headers["Location"] == "/dashboard/test/"


def test_people_without_a_merchant_are_told_so(db: None) -> None:
    User.objects.create_user("lonely@shop.example", PASSWORD)
    answer = sign_in("lonely@shop.example").get("/dashboard/test/", follow=True)
    assert answer.status_code == 403
    assert "Your account may not do this" in text_of(answer)


def test_removed_members_are_out_at_once(owner: Client, account: NewMerchant) -> None:
    Membership.objects.filter(user=account.owner).delete()
    assert owner.get("/dashboard/test/", follow=True).status_code == 403


def test_closed_accounts_are_out_at_once(owner: Client, account: NewMerchant) -> None:
    User.objects.filter(pk=account.owner.pk).update(is_active=False)
    assert owner.get("/dashboard/test/").status_code == 302


@pytest.mark.spec("Authentication: two key pairs are issued from the merchant dashboard")
def test_home_shows_both_keys_by_their_last_four(owner: Client, account: NewMerchant) -> None:
    page = text_of(owner.get("/dashboard/test/"))
    assert f"sk_test_…{account.test.secret_key[-4:]}" in page
    assert account.test.publishable_key in page
    assert account.test.secret_key not in page
    assert "curl http://localhost:8000/api/public/v1/payment-intents" in page


def test_using_a_key_ticks_the_first_step(owner: Client, account: NewMerchant) -> None:
    step = re.compile(r"<li( data-done| data-next)?><div><h3>Ask for your first payment")
    assert step.search(text_of(owner.get("/dashboard/test/")))[1] == " data-next"  # type: ignore[index]  # the step is there
    ApiKey.objects.filter(merchant=account.merchant, mode=Mode.TEST).update(last_used_at="2026-01-01T00:00:00Z")
    assert step.search(text_of(owner.get("/dashboard/test/")))[1] == " data-done"  # type: ignore[index]  # as above
    add_second_factor(OWNER)
    assert step.search(text_of(owner.get("/dashboard/live/")))[1] == " data-next"  # type: ignore[index]  # as above


def test_the_mode_is_unmistakable(owner: Client, account: NewMerchant) -> None:
    add_second_factor(OWNER)
    test, live = text_of(owner.get("/dashboard/test/")), text_of(owner.get("/dashboard/live/"))
    assert "<title>[TEST] " in test
    assert '<body class="site" data-mode="test">' in test
    assert "<title>[LIVE] " in live
    assert '<body class="site" data-mode="live">' in live
    assert account.live.publishable_key in live
    assert account.live.publishable_key not in test
    assert account.test.publishable_key not in live


def test_switching_the_mode_keeps_the_page(owner: Client, account: NewMerchant) -> None:
    key = ApiKey.objects.get(merchant=account.merchant, mode=Mode.TEST, kind=KeyKind.SECRET)
    assert '<a href="/dashboard/live/keys/">Live</a>' in text_of(owner.get("/dashboard/test/keys/"))
    assert '<a href="/dashboard/test/keys/">Test</a>' in text_of(owner.get("/dashboard/live/keys/"))
    page = text_of(owner.get(f"/dashboard/test/keys/{key.pk}/revoke/"))
    assert '<a href="/dashboard/live/">Live</a>' in page


@pytest.mark.parametrize("mode", list(Mode))
def test_another_merchants_keys_do_not_exist(owner: Client, other_account: NewMerchant, mode: Mode) -> None:
    add_second_factor(OWNER)
    theirs = ApiKey.objects.filter(merchant=other_account.merchant)
    before = keys_of(other_account), keys_of(other_account, Mode.LIVE)
    for page in ("", "keys/", "keys/roll/"):
        shown = text_of(owner.get(f"/dashboard/{mode}/{page}"))
        assert "Other Shop" not in shown
        assert not [
            key for key in theirs if f"…{key.last_four}" in shown or (key.publishable_value or key.digest) in shown
        ]
    for key in theirs:
        path = f"/dashboard/{mode}/keys/{key.pk}/revoke/"
        assert owner.get(path).status_code == 404
        assert send_form(owner, path, at=ROLL).status_code == 404
    assert (keys_of(other_account), keys_of(other_account, Mode.LIVE)) == before


def test_a_person_in_two_teams_chooses(owner: Client, account: NewMerchant) -> None:
    second = create_merchant("Second Shop", OWNER)
    assert "<title>[TEST] Home · Corner Shop</title>" in text_of(owner.get("/dashboard/test/"))
    send_form(owner, "/dashboard/test/merchant/", at="/dashboard/test/", merchant=str(second.merchant.pk))
    page = text_of(owner.get("/dashboard/test/"))
    assert "<title>[TEST] Home · Second Shop</title>" in page
    assert second.test.publishable_key in page
    assert account.test.publishable_key not in page


@pytest.mark.parametrize("wanted", ["", "x", "٣", "9" * 40])
def test_nobody_chooses_a_foreign_merchant(
    owner: Client, account: NewMerchant, other_account: NewMerchant, wanted: str
) -> None:
    for merchant in (wanted, str(other_account.merchant.pk)):
        send_form(owner, "/dashboard/test/merchant/", at=ROLL, merchant=merchant)
        page = text_of(owner.get("/dashboard/test/"))
        assert account.test.publishable_key in page
        assert other_account.test.publishable_key not in page


@pytest.mark.parametrize("path", ["/dashboard/live/", "/dashboard/live/keys/", "/dashboard/live/keys/roll/"])
def test_live_mode_is_locked_without_a_second_factor(owner: Client, account: NewMerchant, path: str) -> None:
    answer = owner.get(path)
    assert (answer.status_code, "Live mode opens with a second factor" in text_of(answer)) == (403, True)
    assert account.live.publishable_key not in text_of(answer)
    add_second_factor(OWNER)
    assert owner.get(path).status_code == 200


@pytest.mark.spec("Rulings B10.2")
@pytest.mark.parametrize("path", [*PAGES, "/dashboard/live/", "/dashboard/live/keys/"])
def test_pages_are_strict(owner: Client, path: str) -> None:
    add_second_factor(OWNER)
    answer = owner.get(path)
    assert answer.status_code == 200
    assert policy_of(answer) == STRICT_POLICY
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert "no-store" in answer.headers["Cache-Control"]
    assert INLINE.findall(text_of(answer)) == []


def test_names_are_written_as_text(account: NewMerchant) -> None:
    hostile = '"><script>alert(1)</script>{{ 7|add:7 }}'
    created = create_merchant(hostile, "hostile@shop.example", PASSWORD)
    User.objects.filter(pk=created.owner.pk).update(name=hostile)
    page = text_of(sign_in("hostile@shop.example").get("/dashboard/test/"))
    assert "<script>alert" not in page
    assert "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;{{ 7|add:7 }}" in page


def test_a_page_asks_few_questions(owner: Client, django_assert_max_num_queries: Any) -> None:
    for path in ("/dashboard/test/", "/dashboard/test/keys/"):
        with django_assert_max_num_queries(15):
            owner.get(path)


@pytest.mark.parametrize("path", ["/admin/", "/admin/login/", "/admin/merchants/user/"])
def test_operators_need_a_second_factor(db: None, path: str) -> None:
    User.objects.create_superuser("root@service.example", PASSWORD)
    client = sign_in("root@service.example")
    assert client.get(path, follow=True).redirect_chain[-1] == ("/accounts/2fa/", 302)
    add_second_factor("root@service.example")
    assert client.get("/admin/").status_code == 200


def test_merchants_never_see_the_operators_site(owner: Client) -> None:
    assert owner.get("/admin/", follow=True).status_code == 403
    assert browser().get("/admin/", follow=True).redirect_chain[-1] == ("/accounts/login/?next=%2Fadmin%2F", 302)
