"""The settings page and the business's name, through the page."""

import pytest
from django.test import Client

from merchants.models import Change, Merchant, Role
from merchants.services import NewMerchant
from tests.merchants.people import add_member, send_form, sign_in, text_of

NAME = "/dashboard/test/settings/name/"


def test_the_name_changes_in_both_modes_and_is_put_down(account: NewMerchant, owner: Client) -> None:
    answer = send_form(owner, NAME, name="  Corner & Sons  ")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/dashboard/test/settings/")
    assert Merchant.objects.get(pk=account.merchant.pk).name == "Corner & Sons"
    [line] = Change.objects.filter(deed="merchant.renamed")
    assert (line.mode, line.before, line.after) == ("", {"name": "Corner Shop"}, {"name": "Corner & Sons"})
    assert "Corner &amp; Sons" in text_of(owner.get("/dashboard/test/settings/"))


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "x" * 10_000, "two\nlines", "a\u202eb"])
def test_a_name_that_is_none_changes_nothing(account: NewMerchant, owner: Client, name: str) -> None:
    answer = send_form(owner, NAME, name=name)
    assert answer.status_code == 400
    assert "1 to 120 printable characters. Nothing was changed." in text_of(answer)
    assert Merchant.objects.get(pk=account.merchant.pk).name == "Corner Shop"
    assert not Change.objects.exclude(deed__startswith="person.").exists()


def test_the_same_name_leaves_no_line(account: NewMerchant, owner: Client) -> None:
    assert send_form(owner, NAME, name="Corner Shop").status_code == 302
    assert not Change.objects.exclude(deed__startswith="person.").exists()


def test_support_looks_and_does_not_change(account: NewMerchant) -> None:
    add_member(account.merchant, "helper@shop.example", Role.SUPPORT)
    helper = sign_in("helper@shop.example")
    assert "Corner Shop" in text_of(helper.get("/dashboard/test/settings/"))
    assert send_form(helper, NAME, at="/dashboard/test/settings/", name="Mine").status_code == 403
    assert helper.get(NAME).status_code == 403
    assert Merchant.objects.get(pk=account.merchant.pk).name == "Corner Shop"
