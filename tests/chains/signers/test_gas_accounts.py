"""Enrolling what pays the gas of payers' authorizations: one key of its own for a chain, or a sentence why not."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from chains.models import GasAccount
from chains.services import Enrolment, create_signing_account
from core.secrets import Sealed
from merchants.services import NewMerchant
from tests.chains.signers.rows import EVM, NETWORK

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _keys(settings: Settings) -> None:
    settings.SIGNER_SECRETS = {"gas": Sealed(EVM.key.hex().encode()), "other": Sealed(b"11" * 32)}


def enrol(chain: str = "base", key: str = "gas") -> str:
    out = StringIO()
    call_command("create_gas_account", "--chain", chain, "--backend", "secret", "--key", key, stdout=out)
    return out.getvalue()


def refused(chain: str = "base", key: str = "gas") -> str:
    before = GasAccount.objects.count()
    with pytest.raises(CommandError) as refusal:
        enrol(chain, key)
    assert GasAccount.objects.count() == before
    return str(refusal.value)


def test_a_key_of_its_own_pays_on_one_chain() -> None:
    assert EVM.address in enrol()
    [account] = GasAccount.objects.all()
    assert (account.network, account.chain, account.address) == (NETWORK, "base", EVM.address)
    assert refused(key="other") == "This chain has a gas account."
    assert EVM.address in enrol("polygon")


def test_what_makes_no_sense_is_refused() -> None:
    for chain in ("solana", "bnb", "atlantis"):
        assert refused(chain) == "No token of this chain takes authorizations."
    assert "SIGNER_SECRET_NOBODY_FILE" in refused(key="nobody")


def test_a_key_signs_transfers_or_pays_gas_and_never_both(account: NewMerchant) -> None:
    order = Enrolment(merchant_id=account.merchant.pk, chain="base", backend="secret", key_reference="gas")
    create_signing_account(order)
    assert refused() == "This address signs a merchant's transfers. Use a key of its own."
