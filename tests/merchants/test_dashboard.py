"""The dashboard: members only, one merchant and one mode at a time."""

import re
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from core.modes import Mode
from merchants.models import ApiKey, Change, KeyKind, Membership, Merchant, User
from merchants.services import NewMerchant, create_merchant
from tests.merchants.people import OWNER, PASSWORD, ROLL, add_second_factor, browser, send_form, sign_in, text_of
from tests.merchants.test_sign_in import assert_strict

pytestmark = pytest.mark.slow

PAGES = ["/dashboard/test/", "/dashboard/test/keys/", ROLL, "/dashboard/live/", "/dashboard/live/keys/"]


def test_nobody_but_members_gets_in(account: NewMerchant, owner: Client) -> None:
    """Strangers are sent to the sign-in, whoever belongs to no merchant is told so, whoever left is out at once."""
    for path in ("/dashboard/test/", "/dashboard/live/", "/dashboard/test/nothing/"):
        answer = browser().get(path, follow=True)
        assert answer.redirect_chain[-1] == (f"/accounts/login/?next={quote(path, safe='')}", 302)
        assert "Sign in" in text_of(answer)
    assert browser().get("/dashboard/").headers["Location"] == "/dashboard/test/"
    User.objects.create_user("lonely@shop.example", PASSWORD)
    answer = sign_in("lonely@shop.example").get("/dashboard/test/", follow=True)
    assert (answer.status_code, "Your account may not do this" in text_of(answer)) == (403, True)
    assert owner.get("/dashboard/test/").status_code == 200
    User.objects.filter(pk=account.owner.pk).update(is_active=False)
    assert owner.get("/dashboard/test/").status_code == 302
    User.objects.filter(pk=account.owner.pk).update(is_active=True)
    Membership.objects.filter(user=account.owner).delete()
    assert owner.get("/dashboard/test/", follow=True).status_code == 403


@pytest.mark.spec("Authentication: two key pairs are issued from the merchant dashboard")
def test_home_shows_both_keys_by_their_last_four_and_the_next_step(owner: Client, account: NewMerchant) -> None:
    page = text_of(owner.get("/dashboard/test/"))
    assert f"sk_test_…{account.test.secret_key[-4:]}" in page
    assert account.test.publishable_key in page
    assert account.test.secret_key not in page
    assert "curl http://localhost:8000/api/public/v1/payment-intents" in page
    step = re.compile(r"<li( data-done| data-next)?><div><h3>Ask for your first payment")
    assert step.search(text_of(owner.get("/dashboard/test/")))[1] == " data-next"  # type: ignore[index]  # the step is there
    ApiKey.objects.filter(merchant=account.merchant, mode=Mode.TEST).update(last_used_at="2026-01-01T00:00:00Z")
    assert step.search(text_of(owner.get("/dashboard/test/")))[1] == " data-done"  # type: ignore[index]  # as above
    add_second_factor(OWNER)
    assert step.search(text_of(owner.get("/dashboard/live/")))[1] == " data-next"  # type: ignore[index]  # as above


def test_the_mode_is_unmistakable_and_switching_it_keeps_the_page(owner: Client, account: NewMerchant) -> None:
    locked = owner.get("/dashboard/live/")
    assert (locked.status_code, "Live mode opens with a second factor" in text_of(locked)) == (403, True)
    assert account.live.publishable_key not in text_of(locked)
    add_second_factor(OWNER)
    test, live = text_of(owner.get("/dashboard/test/")), text_of(owner.get("/dashboard/live/"))
    assert "<title>[TEST] " in test
    assert '<body class="site" data-mode="test">' in test
    assert "<title>[LIVE] " in live
    assert '<body class="site" data-mode="live">' in live
    assert account.live.publishable_key in live
    assert account.live.publishable_key not in test
    assert account.test.publishable_key not in live
    key = ApiKey.objects.get(merchant=account.merchant, mode=Mode.TEST, kind=KeyKind.SECRET)
    assert '<a href="/dashboard/live/keys/">Live</a>' in text_of(owner.get("/dashboard/test/keys/"))
    assert '<a href="/dashboard/test/keys/">Test</a>' in text_of(owner.get("/dashboard/live/keys/"))
    page = text_of(owner.get(f"/dashboard/test/keys/{key.pk}/revoke/"))
    assert '<a href="/dashboard/live/">Live</a>' in page


def test_another_merchants_keys_are_shown_nowhere(owner: Client, other_account: NewMerchant) -> None:
    add_second_factor(OWNER)
    theirs = ApiKey.objects.filter(merchant=other_account.merchant)
    for mode, page in product(Mode, ("", "keys/", "keys/roll/")):
        shown = text_of(owner.get(f"/dashboard/{mode}/{page}"))
        assert "Other Shop" not in shown
        parts = [part for key in theirs for part in (f"…{key.last_four}", key.publishable_value or key.digest)]
        assert [part for part in parts if part in shown] == []


def test_a_person_chooses_among_their_own_merchants(
    owner: Client, account: NewMerchant, other_account: NewMerchant
) -> None:
    for merchant in ("", "x", "٣", "9" * 40, str(other_account.merchant.pk)):
        send_form(owner, "/dashboard/test/merchant/", at=ROLL, merchant=merchant)
        page = text_of(owner.get("/dashboard/test/"))
        assert account.test.publishable_key in page
        assert other_account.test.publishable_key not in page
    second = create_merchant("Second Shop", OWNER)
    assert "<title>[TEST] Home · Corner Shop</title>" in text_of(owner.get("/dashboard/test/"))
    send_form(owner, "/dashboard/test/merchant/", at="/dashboard/test/", merchant=str(second.merchant.pk))
    page = text_of(owner.get("/dashboard/test/"))
    assert "<title>[TEST] Home · Second Shop</title>" in page
    assert second.test.publishable_key in page
    assert account.test.publishable_key not in page


@pytest.mark.spec("Rulings B10.2")
def test_pages_are_strict_and_ask_few_questions(owner: Client, django_assert_max_num_queries: Any) -> None:
    add_second_factor(OWNER)
    for path in PAGES:
        with django_assert_max_num_queries(15):
            answer = owner.get(path)
        assert answer.status_code == 200
        assert_strict(answer)
        assert "no-store" in answer.headers["Cache-Control"]


NAME = "/dashboard/test/settings/name/"


def test_the_name_changes_in_both_modes_and_is_put_down(account: NewMerchant, owner: Client) -> None:
    changes = Change.objects.exclude(action__startswith="person.")
    for name in ("", "   ", "x" * 121, "x" * 10_000, "two\nlines", "a\u202eb"):
        refused = send_form(owner, NAME, name=name)
        assert refused.status_code == 400
        assert "1 to 120 printable characters. Nothing was changed." in text_of(refused)
        assert Merchant.objects.get(pk=account.merchant.pk).name == "Corner Shop"
    assert send_form(owner, NAME, name="Corner Shop").status_code == 302
    assert not changes.exists()
    answer = send_form(owner, NAME, name="  Corner & Sons  ")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/dashboard/test/settings/")
    assert Merchant.objects.get(pk=account.merchant.pk).name == "Corner & Sons"
    [line] = changes
    assert (line.action, line.mode) == ("merchant.renamed", "")
    assert (line.before, line.after) == ({"name": "Corner Shop"}, {"name": "Corner & Sons"})
    assert "Corner &amp; Sons" in text_of(owner.get("/dashboard/test/settings/"))
