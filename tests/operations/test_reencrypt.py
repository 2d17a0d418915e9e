"""``manage.py reencrypt``: all that is stored sealed comes under the first key, and what is left is named."""

import base64
import hashlib
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.mail import send_mail
from django.core.management import CommandError, call_command
from django.db import connections, models
from pytest_django import Settings

from checkout.demo.services import open_shop
from core.secrets import decrypt, decrypt_text, encrypt, encrypt_text, key_names, newest_head
from merchants.models import OutgoingMail, User
from merchants.principal import Principal
from merchants.services import NewMerchant
from operations import reseal
from operations.sealed import KINDS, Kind
from proofs.keys import sign
from tests.architecture.source import app_modules
from tests.conftest import ApiClient
from tests.factories.rows import rows_of
from tests.merchants.people import OWNER, add_second_factor

OLD, NEW = "the old key of more than thirty-two characters", "the new key of more than thirty-two characters"
KIND = {kind.name: kind for kind in KINDS}


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("reencrypt", *arguments, stdout=out)
    return out.getvalue()


def refused(*arguments: str) -> tuple[str, str]:
    """What it prints before it ends with 1, and why it does."""
    out = StringIO()
    with pytest.raises(CommandError) as told:
        call_command("reencrypt", *arguments, stdout=out)
    assert told.value.returncode == 1
    return out.getvalue(), str(told.value)


def name_of(settings: Settings, key: str) -> str:
    usual, settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS, [key]
    (name,) = key_names()
    settings.ENCRYPTION_KEYS = usual
    return name


def opened(kind: Kind) -> list[bytes]:
    """Everything of a kind, in clear."""
    stored = kind.rows().order_by("pk").values_list(kind.column, flat=True)
    return [decrypt(sealed) for one in stored for sealed in kind.sealed(one)]


@pytest.fixture
def filled(api: ApiClient, account: NewMerchant, principal: Principal, settings: Settings) -> Settings:
    """One of each kind, by the doors that make them, under the old key; two remembered answers."""
    settings.ENCRYPTION_KEYS, settings.EMAIL_BACKEND = [OLD], "merchants.mail.OutboxBackend"
    hook = {"url": "https://shop.example/hook", "events": ["*"]}
    assert api.post("/webhook-endpoints", hook, Idempotency_Key="hook").status == 201
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="order").status == 201
    send_mail("subject", "body", None, [OWNER])
    add_second_factor(OWNER)
    RecoveryCodes.activate(User.objects.get(email=OWNER))
    open_shop(principal, "https://shop.example")
    sign("causeway.receipt.v1", b"content")
    return settings


EACH = {
    "demo shops": 1, "mail": 1, "receipt keys": 1, "recovery codes": 1, "remembered answers": 2,
    "second factors": 1, "signing secrets": 2,
}  # fmt: skip
LISTED = ", ".join(f"{count} {name}" for name, count in EACH.items())


@pytest.mark.django_db
def test_everything_comes_under_the_first_key_and_the_other_can_be_dropped(filled: Settings) -> None:
    old, new = name_of(filled, OLD), name_of(filled, NEW)
    before = {name: opened(kind) for name, kind in KIND.items()}
    assert {name: len(values) for name, values in before.items()} == EACH
    filled.ENCRYPTION_KEYS = [NEW, OLD]
    said, why = refused("--check")
    assert said.splitlines() == [
        f"key 1 of ENCRYPTION_KEYS ({new}): nothing",
        f"key 2 of ENCRYPTION_KEYS ({old}): {LISTED}",
    ]
    assert why == "Needed still: key 2."
    assert run().splitlines() == [
        *(f"{name}: {count} sealed again" for name, count in EACH.items()),
        f"key 1 of ENCRYPTION_KEYS ({new}): {LISTED}",
        f"key 2 of ENCRYPTION_KEYS ({old}): nothing",
        "Only key 1 is needed.",
    ]
    filled.ENCRYPTION_KEYS = [NEW]
    assert {name: opened(kind) for name, kind in KIND.items()} == before
    assert run("--check").splitlines()[-1] == "Only key 1 is needed."


@pytest.mark.django_db
def test_only_counting_changes_nothing_and_a_second_run_neither(filled: Settings) -> None:
    filled.ENCRYPTION_KEYS = [NEW, OLD]
    before = rows_of(kind.model for kind in KINDS)
    refused("--check")
    assert rows_of(kind.model for kind in KINDS) == before
    run()
    before = rows_of(kind.model for kind in KINDS)
    assert [line for line in run().splitlines() if "sealed again" in line] == [
        f"{name}: 0 sealed again" for name in EACH
    ]
    assert rows_of(kind.model for kind in KINDS) == before


@pytest.mark.django_db
def test_what_no_key_opens_is_left_as_it_is_and_named_by_its_key(filled: Settings) -> None:
    old, new = name_of(filled, OLD), name_of(filled, NEW)
    filled.ENCRYPTION_KEYS = [NEW]
    send_mail("another", "body", None, [OWNER])
    before = rows_of(kind.model for kind in KINDS)
    said, why = refused()
    assert said.splitlines()[-2:] == [
        f"key 1 of ENCRYPTION_KEYS ({new}): 1 mail",
        f"no key of ENCRYPTION_KEYS ({old}): {LISTED}",
    ]
    assert why == "What no key opens was left as it is. Name the key of before in ENCRYPTION_KEYS, too."
    assert rows_of(kind.model for kind in KINDS) == before


@pytest.mark.django_db
def test_what_fernet_sealed_before_and_codes_brought_along_come_too(filled: Settings) -> None:
    fernet = Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"at-rest:{OLD}".encode()).digest()))
    OutgoingMail.objects.update(sealed=fernet.encrypt(b"mail"))
    codes = Authenticator.objects.filter(type=Authenticator.Type.RECOVERY_CODES)
    codes.update(
        data={"migrated_codes": [fernet.encrypt(b"11111111").decode(), encrypt_text("22222222")], "used_mask": 3}
    )
    app = Authenticator.objects.get(type=Authenticator.Type.TOTP)
    filled.ENCRYPTION_KEYS = [NEW, OLD]
    assert "2 recovery codes" in refused("--check")[0]
    run()
    filled.ENCRYPTION_KEYS = [NEW]
    assert opened(KIND["mail"]) == [b"mail"]
    kept = codes.get().data
    assert ([decrypt_text(code) for code in kept["migrated_codes"]], kept["used_mask"]) == (["11111111", "22222222"], 3)
    app.refresh_from_db()
    assert decrypt_text(app.data["secret"]) == "JBSWY3DPEHPK3PXP"
    filled.ENCRYPTION_KEYS = ["another"]
    OutgoingMail.objects.update(sealed=fernet.encrypt(b"mail"))
    assert "no key of ENCRYPTION_KEYS (sealed by Fernet): 1 mail" in refused("--check")[0]


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 5])
def test_a_table_is_gone_through_in_batches_and_to_its_end(
    rows: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reseal, "BATCH", 2)
    settings.ENCRYPTION_KEYS = [OLD]
    for number in range(rows):
        OutgoingMail.objects.create(sealed=encrypt(b"%d" % number))
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    assert reseal.count_keys(KIND["mail"])[key_names()[1]] == rows
    assert reseal.reseal(KIND["mail"]) == rows
    settings.ENCRYPTION_KEYS = [NEW]
    assert opened(KIND["mail"]) == [b"%d" % number for number in range(rows)]
    assert reseal.count_keys(KIND["mail"]) == ({key_names()[0]: rows} if rows else {})


@pytest.mark.django_db
def test_it_goes_on_where_it_was_ended(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reseal, "BATCH", 2)
    settings.ENCRYPTION_KEYS = [OLD]
    for number in range(6):
        OutgoingMail.objects.create(sealed=encrypt(b"%d" % number))
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    first = reseal._ranges(KIND["mail"])
    monkeypatch.setattr(reseal, "_ranges", lambda kind: iter([next(first), next(first)]))
    assert reseal.reseal(KIND["mail"]) == 4
    monkeypatch.undo()
    assert reseal.reseal(KIND["mail"]) == 2


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_what_somebody_holds_is_passed_over_and_counted(settings: Settings) -> None:
    """Live traffic is never waited for, and what it writes under the old key meanwhile is not lost."""
    settings.ENCRYPTION_KEYS = [OLD]
    held, _ = (OutgoingMail.objects.create(sealed=encrypt(text)) for text in (b"held", b"free"))
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT 1 FROM merchants_outgoingmail WHERE id = %s FOR UPDATE", [held.pk])
            said, why = refused()
            assert ("mail: 1 sealed again" in said, why) == (True, "Needed still: key 2.")
            cursor.execute("COMMIT")
    finally:
        other.close()
    assert "mail: 1 sealed again" in run()


SEALS = {
    "checkout/demo/services.py": "demo shops",
    "merchants/accounts.py": "second factors and recovery codes",
    "merchants/claims.py": "remembered answers",
    "merchants/mail.py": "mail",
    "merchants/services/sign_up.py": "no row: a link in a mail, good for a day",
    "operations/sealed.py": "each kind again",
    "payments/fast_path/creation.py": "remembered answers",
    "proofs/keys.py": "receipt keys",
    "webhooks/services/endpoints.py": "signing secrets",
}
"""Every module that seals something, and as what kind it is found again."""


def test_everything_that_seals_is_listed() -> None:
    found = {
        module.path
        for module in app_modules()
        if module.path != "core/secrets.py" and any(f"{name}(" in module.text for name in ("encrypt", "encrypt_text"))
    }
    own_way = {"chains/signers/keystore.py"}
    """Keys that sign lie in files, under a passphrase of their own."""
    assert found - own_way == set(SEALS)


def texts_of(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Each column, and whether anything in it begins as what is sealed does."""
    head = newest_head()
    as_text = base64.urlsafe_b64encode(head).decode()[:6]
    for name, value in row.items():
        if isinstance(value, bytes | memoryview):
            yield name, bytes(value).startswith(head)
        else:
            yield name, f'"{as_text}' in str(value) or str(value).startswith(as_text)


@pytest.mark.django_db
def test_every_sealed_column_is_a_kind(filled: Settings) -> None:
    """Every row of every table is looked at, so a column that somebody seals tomorrow is found by its first row."""
    found = {
        (label, column)
        for label, rows in rows_of(apps.get_models()).items()
        for row in rows
        for column, is_sealed in texts_of(row)
        if is_sealed
    }
    assert found == {(kind.model._meta.label, kind.column) for kind in KINDS}


NOT_SEALED = {
    ("checkout.Branding", "logo"): "a picture that everybody sees",
    ("checkout.DemoDelivery", "raw_body"): "a webhook as it came",
    ("records.RecordSeal", "entries"): "what the record of a payment shows its merchant",
}


def test_every_column_of_bytes_is_a_kind_or_holds_no_secret() -> None:
    columns = {
        (model._meta.label, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.BinaryField)
    }
    sealed = {(kind.model._meta.label, kind.column) for kind in KINDS if not kind.places}
    assert columns - sealed == set(NOT_SEALED)
