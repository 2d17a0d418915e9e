"""Keys and passphrases that occur nowhere else are pushed through every path, and looked for wherever things are shown.

Looked at: every log at DEBUG, what commands print, every object's text, every traceback with the locals of all frames
and of all exceptions behind it, Django's page for a crash, pickles, and every row of the database.
"""

import base64
import json
import logging
import pickle
import secrets
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as live_settings
from django.core.management import CommandError, call_command
from django.core.serializers import serialize
from django.test import RequestFactory
from django.views.debug import ExceptionReporter
from pytest_django import Settings
from solders.keypair import Keypair

from chains.base58 import base58
from chains.models import SigningAccount
from chains.registry import Family
from chains.services import Enrolment, create_signing_account
from chains.signers.base import EvmTransaction, SignerUnavailable
from chains.signers.keystore import key_path
from chains.signers.policy import sign_stored
from chains.signers.registry import forget_signers, opened, signer_of
from core.errors import InvalidRequest
from core.secrets import Sealed
from merchants.services import NewMerchant
from tests.chains.signers.rows import EVM, SOLANA, Given, account_of, leak, payment_of, store, transfer_of

pytestmark = pytest.mark.django_db

NOTHING = EvmTransaction(chain_id=1, nonce=0, to="", value=0, data=b"", gas_limit=1, max_fee=1, priority_fee=1)
FAMILIES = pytest.mark.parametrize("family", list(Family))


@dataclass
class Sinks:
    """Everything that was shown, and the secrets that must not be in it."""

    canaries: list[bytes]
    log: pytest.LogCaptureFixture
    shown: list[str] = field(default_factory=list)

    def note(self, *things: object) -> None:
        for thing in things:
            self.shown += [repr(thing), str(thing), f"{thing}", repr(getattr(thing, "__dict__", ""))]

    def fails(self, call: Callable[[], object]) -> str:
        try:
            call()
        except (SignerUnavailable, InvalidRequest, CommandError) as error:
            for seen in _behind(error):
                seen.__traceback__ = _without_tests(seen.__traceback__)
                self.note(seen, seen.args)
                self.shown += traceback.TracebackException.from_exception(seen, capture_locals=True).format()
            self.shown.append(_crash_page(error))
            return str(error)
        raise AssertionError("it did not fail")

    def found(self) -> list[str]:
        records = [f"{record.getMessage()} {record.args!r} {record.exc_text}" for record in self.log.records]
        everything = "\n".join([*self.shown, *records, self.log.text, _database(), repr(vars(live_settings))])
        return [text for canary in self.canaries for text in spellings(canary) if text in everything]


def spellings(secret: bytes) -> set[str]:
    ways = {secret.hex(), secret.hex().upper(), base58(secret), base64.b64encode(secret).decode().rstrip("=")}
    ways |= {str(list(secret))[1:-1], repr(secret)[2:-1], str(int.from_bytes(secret))}
    if secret.isascii():
        ways.add(secret.decode())
    return ways


def _behind(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _without_tests(trace: TracebackType | None) -> TracebackType | None:
    """The frames below the test, which itself holds the canaries."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def _crash_page(error: BaseException) -> str:
    reporter = ExceptionReporter(RequestFactory().get("/"), type(error), error, error.__traceback__)
    return reporter.get_traceback_html() + reporter.get_traceback_text()


def _database() -> str:
    return "\n".join(serialize("json", model._default_manager.all()) for model in apps.get_models())


@pytest.fixture
def sinks(settings: Settings, caplog: pytest.LogCaptureFixture) -> Iterator[Sinks]:
    """Nothing shown yet, and a passphrase that occurs nowhere else. At the end nothing may be found."""
    made = f"canary-{secrets.token_hex(16)}".encode()
    settings.SIGNER_PASSPHRASE = Sealed(made)
    caplog.set_level(logging.DEBUG)
    looked = Sinks(canaries=[made], log=caplog)
    yield looked
    assert looked.found() == []


def given_with(family: Family, sinks: Sinks) -> Given:
    key = secrets.token_bytes(32)
    sinks.canaries.append(key)
    base = EVM if family is Family.EVM else SOLANA
    if family is Family.SOLANA:
        sinks.canaries.append(bytes(Keypair.from_seed(key)))
    return Given(family, base.chain, key, "", base.recipient, base.token, base.native)


def in_clear(given: Given) -> bytes:
    if given.family is Family.EVM:
        return given.key.hex().encode()
    return str(list(bytes(Keypair.from_seed(given.key)))).encode()


def test_a_canary_that_is_shown_is_found(caplog: pytest.LogCaptureFixture) -> None:
    """Else the silence of the other tests would prove nothing."""
    key = secrets.token_bytes(32)
    for shown in (key.hex(), base58(key), repr(key), str(list(key)), f"{int.from_bytes(key)}"):
        looked = Sinks(canaries=[key], log=caplog)
        looked.note(shown)
        assert looked.found() != []
    logging.getLogger("causeway.signers").warning("leak %s", key.hex())
    assert Sinks(canaries=[key], log=caplog).found() == [key.hex()]
    looked = Sinks(canaries=[key], log=caplog)
    caplog.clear()
    looked.fails(lambda: leak(key.hex()))
    assert looked.found() == [key.hex()]


@FAMILIES
@pytest.mark.parametrize("backend", ["keystore", "secret"])
def test_a_key_that_signs_is_shown_nowhere(
    family: Family, backend: str, sinks: Sinks, settings: Settings, account: NewMerchant
) -> None:
    given = given_with(family, sinks)
    if backend == "keystore":
        store(given)
    settings.SIGNER_SECRETS = {"shop": Sealed(in_clear(given))}
    signer = opened(backend, "shop", family)
    row = account_of(account.merchant.pk, given, backend=backend, address=signer.address)
    transfer = transfer_of(row, given)
    sinks.note(signer, row, settings.SIGNER_SECRETS, settings.SIGNER_PASSPHRASE)
    sinks.fails(lambda: signer_of(account_of(account.merchant.pk, given, backend=backend, mode="test")))
    if family is Family.EVM:
        sinks.note(sign_stored(transfer, payment_of(transfer)))
        sinks.fails(lambda: sign_stored(transfer, payment_of(transfer, value=1)))
        sinks.fails(lambda: signer.sign_evm(payment_of(transfer, to="nowhere")))
        sinks.fails(lambda: signer.sign_evm(payment_of(transfer, nonce=-1)))
        sinks.fails(lambda: signer.sign_solana(b"a message"))
    else:
        sinks.note(signer.sign_solana(b"a message"))
        sinks.fails(lambda: sign_stored(transfer, b"a message"))
        sinks.fails(lambda: signer.sign_solana(None))  # type: ignore[arg-type]  # a caller's fault
        sinks.fails(lambda: signer.sign_evm(NOTHING))


@FAMILIES
def test_a_key_that_cannot_be_opened_is_shown_nowhere(family: Family, sinks: Sinks, settings: Settings) -> None:
    given = given_with(family, sinks)
    path = store(given)
    right, settings.SIGNER_PASSPHRASE = settings.SIGNER_PASSPHRASE, Sealed(b"another passphrase")
    sinks.fails(lambda: opened("keystore", "shop", family))
    settings.SIGNER_PASSPHRASE = right
    for content in (path.read_bytes()[:-40], in_clear(given)):  # cut, and the bare key where the encrypted one belongs
        path.write_bytes(content)
        sinks.fails(lambda: opened("keystore", "shop", family))
    path.chmod(0o644)
    sinks.fails(lambda: opened("keystore", "shop", family))


@FAMILIES
def test_a_near_key_is_shown_nowhere(family: Family, sinks: Sinks, settings: Settings, tmp_path: Path) -> None:
    given = given_with(family, sinks)
    whole = in_clear(given)
    path = tmp_path / "given"
    for odd in (whole + b"00", whole[:-1] + b",", b"x" + whole, whole[:9] + b"\xff" + whole[10:]):
        settings.SIGNER_SECRETS = {"shop": Sealed(odd)}
        forget_signers()
        sinks.canaries.append(odd)
        sinks.fails(lambda: opened("secret", "shop", family))
        path.write_bytes(odd)
        path.chmod(0o600)
        settings.SIGNER_SECRETS = {"shop": path}
        sinks.fails(lambda: opened("secret", "shop", family))
    settings.SIGNER_SECRETS = {"shop": Sealed(whole)}
    other = Family.SOLANA if family is Family.EVM else Family.EVM
    sinks.fails(lambda: opened("secret", "shop", other))


@FAMILIES
def test_a_key_pasted_as_its_own_name_is_shown_nowhere(family: Family, sinks: Sinks, account: NewMerchant) -> None:
    """The refusal's sentence. Why not the frames: the caller itself handed the key over in clear."""
    given = given_with(family, sinks)
    pasted = in_clear(given).decode()
    for backend in ("keystore", "secret", "aws_kms"):
        order = Enrolment(merchant_id=account.merchant.pk, chain=given.chain, backend=backend, key_reference=pasted)
        with pytest.raises(InvalidRequest) as refused:
            create_signing_account(order)
        sinks.note(refused.value.details["fields"][0]["message"])
    assert not SigningAccount.objects.exists()


@FAMILIES
def test_commands_show_no_key(family: Family, sinks: Sinks, tmp_path: Path, account: NewMerchant) -> None:
    given = given_with(family, sinks)
    path = tmp_path / "bare"
    path.write_bytes(in_clear(given))
    path.chmod(0o600)
    out = StringIO()
    command = ["create_signing_key", "--chain", given.chain, "--key", "till", "--from-file", str(path)]
    call_command(*command, stdout=out, stderr=out)
    sinks.fails(lambda: call_command(*command, stdout=out, stderr=out))
    call_command("create_signing_key", "--chain", given.chain, "--key", "fresh", stdout=out, stderr=out)
    fresh = opened("keystore", "fresh", family)
    sinks.canaries.append(fresh._key.reveal())  # type: ignore[attr-defined]  # the test looks inside
    enrol = ["create_signing_account", "--merchant", str(account.merchant.pk), "--chain", given.chain]
    call_command(*enrol, "--backend", "keystore", "--key", "till", "--cap-per-day", "5", stdout=out, stderr=out)
    call_command("list_signing_accounts", stdout=out, stderr=out)
    path.write_bytes(in_clear(given) + b"!")
    sinks.fails(lambda: call_command(*command, stdout=out, stderr=out))
    sinks.note(out.getvalue(), key_path("till", family).read_text())


def test_a_sealed_secret_is_never_written(sinks: Sinks) -> None:
    sealed = Sealed(secrets.token_bytes(32))
    sinks.canaries.append(sealed.reveal())
    sinks.note(sealed, {"key": sealed}, [sealed], Exception(sealed))
    for write in (pickle.dumps, json.dumps, _celery_message):
        with pytest.raises(TypeError):
            write(sealed)
    with pytest.raises(TypeError):
        vars(sealed)
    assert sealed != Sealed(sealed.reveal())


def _celery_message(value: Any) -> Any:
    from kombu.exceptions import EncodeError  # noqa: PLC0415  (only here)
    from kombu.serialization import dumps  # noqa: PLC0415  (only here)

    try:
        return dumps({"args": [value]}, serializer="json")
    except EncodeError as error:
        raise TypeError from error
