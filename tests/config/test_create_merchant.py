"""``manage.py create_merchant``: keys that work, for scripts; one sentence when it cannot."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from merchants.models import ApiKey, Membership, Merchant, User
from tests.conftest import ApiClient

pytestmark = pytest.mark.django_db

KEYS = {"test_secret_key", "test_publishable_key", "live_secret_key", "live_publishable_key"}


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("create_merchant", *arguments, stdout=out)
    return out.getvalue()


def made(name: str = "Corner Shop", email: str = "owner@shop.example") -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(run("--name", name, "--email", email, "--json"))
    return printed


def test_the_keys_and_the_password_work_and_a_person_may_own_several_merchants() -> None:
    printed = made()
    assert set(printed) == KEYS | {"merchant_id", "merchant_name", "merchant_email", "merchant_password"}
    merchant = Merchant.objects.get(pk=printed["merchant_id"])
    assert (merchant.name, printed["merchant_email"]) == ("Corner Shop", "owner@shop.example")
    owner = User.objects.get(email="owner@shop.example")
    assert Membership.objects.get(user=owner, merchant=merchant).role == "owner"
    for mode in ("test", "live"):
        assert ApiClient(printed[f"{mode}_secret_key"]).get("/payment-intents").status == 200
        assert ApiKey.objects.filter(publishable_value=printed[f"{mode}_publishable_key"], mode=mode).exists()
    second = made("Other Shop", "OWNER@shop.example")
    assert User.objects.get().check_password(printed["merchant_password"])
    assert "merchant_password" not in second
    assert printed["merchant_id"] != second["merchant_id"]
    assert Membership.objects.count() == 2
    lines = run("--name", "Corner Shop", "--email", "owner@shop.example").splitlines()
    assert {line.split()[0] for line in lines} > KEYS


def test_nonsense_is_refused_in_one_sentence() -> None:
    long = f"{'a' * 60}@{'b' * 60}.{'c' * 60}.{'d' * 60}.{'e' * 60}"
    refused = [(name, "a@b.example") for name in ("", "  ", "x" * 121, "a\x00b")]
    refused += [("Shop", email) for email in ("", "nobody", "a b@c.example", "a@b.example\n", long)]
    for name, email in refused:
        with pytest.raises(CommandError) as refusal:
            made(name, email)
        is_name = email == "a@b.example"
        names = "The name must be 1 to 120 printable characters."
        assert str(refusal.value) == (names if is_name else "The e-mail address is not one.")
    assert (User.objects.exists(), Merchant.objects.exists()) == (False, False)
