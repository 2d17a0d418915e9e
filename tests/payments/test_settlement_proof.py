"""Proving a settlement address by its key's signature, through the page."""

import pytest
from django.core.cache import cache
from django.test import Client
from eth_account import Account
from eth_account.messages import encode_defunct
from solders.keypair import Keypair

from core.clock import now
from merchants.models import Change
from merchants.services import NewMerchant
from payments.models import SettlementProfile
from payments.services.settlement_proof import proof_text
from tests.factories.payments import BOBS_EVM, settlement_profile
from tests.merchants.people import OWNER, add_second_factor, confirm_identity, send_form, sign_in, text_of

pytestmark = pytest.mark.slow

EVM, SOLANA = "/dashboard/test/settings/settlement/evm/prove/", "/dashboard/test/settings/settlement/solana/prove/"
WALLET = Account.from_key("0x" + "11" * 32)
OTHER = Account.from_key("0x" + "22" * 32)


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just proven."""
    cache.clear()
    client = sign_in(OWNER)
    confirm_identity(client)
    return client


@pytest.fixture
def profile(account: NewMerchant) -> SettlementProfile:
    """An address whose key we hold."""
    return settlement_profile(account.merchant, mode="test", chain="base", token="USDC", address=WALLET.address)


def signed(text: str, wallet: "Account" = WALLET) -> str:
    """What a wallet answers when it is asked to sign a message."""
    return "0x" + bytes(wallet.sign_message(encode_defunct(text=text)).signature).hex()


@pytest.mark.spec("Rulings C13.2")
def test_its_own_signature_proves_an_address(owner: Client, profile: SettlementProfile) -> None:
    page = text_of(owner.get(EVM))
    assert WALLET.address in page
    assert send_form(owner, EVM, signature=f" {signed(proof_text(profile))} ").status_code == 302
    profile.refresh_from_db()
    assert profile.proven_at is not None
    assert Change.objects.get(deed="settlement.proven").after == {"address": WALLET.address}
    shown = text_of(owner.get("/dashboard/test/settings/"))
    assert "proven" in shown
    assert "Prove that it is yours" not in shown


def test_a_solana_wallet_signs_the_bare_text(account: NewMerchant, owner: Client) -> None:
    wallet = Keypair.from_seed(bytes(range(32)))
    profile = settlement_profile(
        account.merchant, mode="test", family="solana", chain="solana", token="USDC", address=str(wallet.pubkey())
    )
    assert send_form(owner, SOLANA, signature=str(wallet.sign_message(b"another text"))).status_code == 400
    assert send_form(owner, SOLANA, signature=str(wallet.sign_message(proof_text(profile).encode()))).status_code == 302
    profile.refresh_from_db()
    assert profile.proven_at is not None


def test_another_wallet_or_text_proves_nothing(owner: Client, profile: SettlementProfile) -> None:
    text = proof_text(profile)
    lies = [
        signed(text, OTHER),
        signed(text.replace("(test)", "(live)")),
        signed(text + "\n"),
        signed(text)[:-2] + "00",
    ]
    for lie in [*lies, "", "0x", "0x" + "00" * 65, "x" * 10_000, "<script>alert(1)</script>", "é" * 130]:
        answer = send_form(owner, EVM, signature=lie)
        assert answer.status_code == 400, lie
        assert "Nothing was changed" in text_of(answer)
    profile.refresh_from_db()
    assert profile.proven_at is None
    assert not Change.objects.exclude(deed__startswith="person.").exists()


def test_another_address_is_unproven_again(owner: Client, profile: SettlementProfile) -> None:
    send_form(owner, EVM, signature=signed(proof_text(profile)))
    change = "/dashboard/test/settings/settlement/evm/"
    assert send_form(owner, change, asset="ethereum:USDC", address=WALLET.address).status_code == 302
    profile.refresh_from_db()
    assert (profile.chain, profile.proven_at is None) == ("ethereum", False)
    assert send_form(owner, change, asset="ethereum:USDC", address=BOBS_EVM).status_code == 302
    profile.refresh_from_db()
    assert profile.proven_at is None


@pytest.mark.parametrize(
    ("mode", "token", "is_said"), [("live", "ETH", True), ("live", "USDC", False), ("test", "ETH", False)]
)
def test_a_coin_is_said_to_need_the_proof(
    account: NewMerchant, owner: Client, mode: str, token: str, is_said: bool
) -> None:
    add_second_factor(OWNER)
    profile = settlement_profile(account.merchant, mode=mode, chain="base", token=token)
    settings, words = f"/dashboard/{mode}/settings/", f"Payments that settle in {token} are refused"
    assert (words in text_of(owner.get(settings))) is is_said
    SettlementProfile.objects.filter(pk=profile.pk).update(proven_at=now())
    assert words not in text_of(owner.get(settings))


def test_without_an_address_there_is_nothing_to_prove(owner: Client) -> None:
    assert "There is no address to prove yet" in text_of(owner.get(EVM))
    assert not SettlementProfile.objects.exists()
