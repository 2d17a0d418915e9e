"""Keys on the dashboard: shown once, changed with care by the right people, and never twice by one form."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from core.modes import Mode
from merchants.models import AllowedOrigin, ApiKey, KeyKind, Role
from merchants.refused_origins import refused
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.merchants.people import (
    OWNER,
    PASSWORD,
    ROLL,
    add_member,
    confirm_identity,
    field_value,
    keys_of,
    proven,
    roll,
    send_form,
    sign_in,
    text_of,
    works,
)

pytestmark = pytest.mark.slow


@pytest.mark.spec("Rulings B11.1")
@pytest.mark.spec("Authentication: two key pairs are issued from the merchant dashboard")
def test_a_rolled_pair_is_shown_once_and_works(owner: Client, account: NewMerchant) -> None:
    answer = roll(owner)
    secret, publishable = field_value(answer, "secret-key"), field_value(answer, "publishable-key")
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    assert re.fullmatch(r"sk_test_[0-9A-Za-z]{43}", secret)
    assert re.fullmatch(r"pk_test_[0-9A-Za-z]{43}", publishable)
    assert works(secret)
    for path in ("/dashboard/test/", "/dashboard/test/keys/"):
        page = text_of(owner.get(path))
        assert secret not in page
        assert f"sk_test_…{secret[-4:]}" in page
        assert publishable in page
    assert secret not in str(dict(owner.session))


def test_old_keys_work_until_the_grace_is_over(owner: Client, account: NewMerchant) -> None:
    old = account.test.secret_key
    with time_machine.travel("2026-01-01T12:00:00Z", tick=False) as clock:
        for grace in ("1", "24", "72"):
            confirm_identity(owner)
            fresh = field_value(roll(owner, grace), "secret-key")
            clock.shift(timedelta(hours=int(grace), seconds=-1))
            assert works(old)
            clock.shift(1)
            assert ApiClient(old).get("/payment-intents").body["code"] == "revoked_api_key"
            old = fresh


def test_a_form_sent_twice_rolls_once(owner: Client, account: NewMerchant) -> None:
    shown = field_value(owner.get(ROLL), "shown_key_id")
    first = send_form(owner, ROLL, shown_key_id=shown, grace="0")
    secret = field_value(first, "secret-key")
    second = send_form(owner, ROLL, shown_key_id=shown, grace="0")
    assert (second.status_code, second.headers["Location"]) == (302, "/dashboard/test/keys/")
    assert "Nothing was changed now" in text_of(owner.get("/dashboard/test/keys/"))
    assert works(secret)
    assert ApiKey.objects.filter(merchant=account.merchant, mode=Mode.TEST).count() == 4


def test_no_other_grace_is_taken_and_no_other_key_is_named(owner: Client, account: NewMerchant) -> None:
    before = keys_of(account)
    for grace in ("", "2", "-1", "1e9", "٢٤"):
        assert "When should the old keys stop working?" in text_of(roll(owner, grace))
    for shown in ("", "0", "x", "-5", "٣", "9" * 30):
        assert send_form(owner, ROLL, shown_key_id=shown, grace="0").status_code == 302
    assert keys_of(account) == before


def test_a_revoked_key_stops_at_once_and_without_keys_there_is_a_new_pair(owner: Client, account: NewMerchant) -> None:
    key = ApiKey.objects.get(merchant=account.merchant, mode=Mode.TEST, kind=KeyKind.SECRET)
    path = f"/dashboard/test/keys/{key.pk}/revoke/"
    assert "This cannot be undone" in text_of(owner.get(path))
    assert works(account.test.secret_key)
    assert send_form(owner, path).headers["Location"] == "/dashboard/test/keys/"
    assert not works(account.test.secret_key)
    assert owner.get(path).status_code == 404
    assert "is revoked" in text_of(owner.get("/dashboard/test/keys/"))
    for key in ApiKey.objects.filter(merchant=account.merchant, mode=Mode.TEST, revoked_at=None):
        send_form(owner, f"/dashboard/test/keys/{key.pk}/revoke/")
    assert "No key is in use" in text_of(owner.get("/dashboard/test/keys/"))
    assert works(field_value(roll(owner, "0"), "secret-key"))


def test_the_proof_leads_back_and_sends_nothing_by_itself(account: NewMerchant) -> None:
    client, before = sign_in(OWNER), keys_of(account)
    send_form(client, ROLL, at="/dashboard/test/", shown_key_id=str(before[0][0]), grace="0")
    asked = client.get(ROLL).headers["Location"]
    assert "Confirm it is you" in text_of(client.get(asked))
    answer = send_form(client, "/accounts/reauthenticate/", at=asked, password=PASSWORD, next=ROLL)
    assert answer.headers["Location"] == ROLL
    assert client.get(ROLL).status_code == 200
    assert keys_of(account) == before


def test_a_second_factor_rolls_live_keys_and_viewers_have_no_buttons(account: NewMerchant) -> None:
    secret = field_value(roll(proven(factor=True), "0", "/dashboard/live/keys/roll/"), "secret-key")
    assert secret.startswith("sk_live_")
    assert works(secret)
    add_member(account.merchant, "viewer@shop.example", Role.VIEWER)
    page = text_of(sign_in("viewer@shop.example").get("/dashboard/test/keys/"))
    assert account.test.publishable_key in page
    assert [button for button in ("Revoke", "/keys/roll/") if button in page] == []


NEW = "/dashboard/test/keys/new/"
LEAKED = "/dashboard/test/keys/leaked/"
ORIGINS = "/dashboard/test/origins/"


def make_key(client: Client, **fields: str) -> str:
    """Fill the form for a restricted key in and send it; the key in clear."""
    shown = field_value(client.get(NEW), "shown_key_id")
    usual = {"name": "Nightly report", "scopes": "payment_intents:read", "shown_key_id": shown}
    return field_value(send_form(client, NEW, **usual | fields), "restricted-key")


def test_a_restricted_key_is_shown_once_and_does_what_was_chosen(owner: Client, account: NewMerchant) -> None:
    assert "No restricted key yet" in text_of(owner.get("/dashboard/test/keys/"))
    secret = make_key(owner, allowed_addresses="127.0.0.1\n\n 2001:DB8::/32 ")
    assert re.fullmatch(r"rk_test_[0-9A-Za-z]{43}", secret)
    assert works(secret)
    assert ApiClient(secret).post("/payment-intents", {"amount": 25}).status == 403
    row = ApiKey.objects.get(kind=KeyKind.RESTRICTED)
    assert (row.name, row.scopes, row.allowed_addresses, row.expires_at) == (
        *("Nightly report", ["payment_intents:read"], ["127.0.0.1", "2001:db8::/32"]),
        None,
    )
    for path in ("/dashboard/test/keys/", f"/dashboard/test/keys/{row.pk}/"):
        page = text_of(owner.get(path))
        assert secret not in page
        assert f"rk_test_…{secret[-4:]}" in page
        assert "Nightly report" in page


def test_a_form_that_cannot_be_makes_no_key(owner: Client, account: NewMerchant) -> None:
    before = keys_of(account)
    shown = field_value(owner.get(NEW), "shown_key_id")
    for name, value, sentence in (
        ("name", "", "Give it a name"),
        ("scopes", "", "There is no such permission"),
        ("scopes", "everything", "There is no such permission"),
        ("expires_at", "soon", "That is no time"),
        ("expires_at", "2020-01-01T00:00", "later than now"),
        ("allowed_addresses", "10.0.0.1/8", "Did you mean 10.0.0.0/8?"),
        ("allowed_addresses", "<b>x</b>", "&lt;b&gt;x&lt;/b&gt; is no address"),
    ):
        usual = {"name": "x", "scopes": "payment_intents:read", "shown_key_id": shown}
        answer = send_form(owner, NEW, **usual | {name: value})
        assert (answer.status_code, sentence in text_of(answer)) == (400, True), (name, value)
        assert keys_of(account) == before


def test_a_key_is_changed_and_rolled(owner: Client, account: NewMerchant) -> None:
    old = make_key(owner)
    row = ApiKey.objects.get(kind=KeyKind.RESTRICTED)
    edit, roll_one = f"/dashboard/test/keys/{row.pk}/edit/", f"/dashboard/test/keys/{row.pk}/roll/"
    assert field_value(owner.get(edit), "name") == "Nightly report"
    changed = send_form(owner, edit, name="Weekly", scopes="payment_intents:write", expires_at="2031-05-04T12:00")
    assert changed.headers["Location"] == f"/dashboard/test/keys/{row.pk}/"
    assert "Weekly" in text_of(owner.get("/dashboard/test/keys/"))
    assert not works(old)
    fresh = field_value(send_form(owner, roll_one, grace="24"), "restricted-key")
    assert [ApiClient(key).post("/payment-intents", {"amount": 25}).status for key in (old, fresh)] == [201, 201]
    page = text_of(owner.get("/dashboard/test/keys/"))
    assert page.count("Weekly") == 2
    assert "Ending" in page
    again = send_form(owner, roll_one, grace="0")
    assert again.headers["Location"] == "/dashboard/test/keys/"
    assert owner.get(edit).status_code == 404


def test_a_leak_ends_every_key_once(owner: Client, account: NewMerchant) -> None:
    restricted = make_key(owner)
    page = owner.get(LEAKED)
    assert "3 keys stop working at once," in text_of(page)
    shown = field_value(page, "shown_key_id")
    secret = field_value(send_form(owner, LEAKED, shown_key_id=shown), "secret-key")
    assert [works(key) for key in (account.test.secret_key, restricted, secret)] == [False, False, True]
    assert works(account.live.secret_key)
    again = send_form(owner, LEAKED, shown_key_id=shown)
    assert again.headers["Location"] == "/dashboard/test/keys/"
    assert works(secret)


def test_origins_are_allowed_and_removed(owner: Client, account: NewMerchant) -> None:
    refused.note(account.merchant.pk, Mode.TEST, "https://new.example")
    refused.flush()
    page = text_of(owner.get(ORIGINS))
    assert "No origin is listed" in page
    assert 'href="/dashboard/test/origins/allow/?origin=https%3A%2F%2Fnew.example"' in page
    allow = "/dashboard/test/origins/allow/"
    assert field_value(owner.get(f"{allow}?origin=https%3A%2F%2Fnew.example"), "origin") == "https://new.example"
    assert send_form(owner, allow, origin="https://New.example").headers["Location"] == ORIGINS
    row = AllowedOrigin.objects.get()
    assert (row.origin, row.mode) == ("https://new.example", "test")
    assert "No page was refused" in text_of(owner.get(ORIGINS))
    wrong = send_form(owner, allow, origin="https://new.example/pay")
    assert (wrong.status_code, "Only scheme, host and port" in text_of(wrong)) == (400, True)
    remove = f"/dashboard/test/origins/{row.pk}/remove/"
    assert "every page may use your test key again" in text_of(owner.get(remove))
    assert send_form(owner, remove).headers["Location"] == ORIGINS
    assert not AllowedOrigin.objects.exists()
