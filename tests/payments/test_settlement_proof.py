"""Proving a settlement address by its key's signature, through the page."""

import pytest
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
from tests.merchants.people import send_form, text_of

pytestmark = pytest.mark.slow

EVM, SOLANA = "/dashboard/test/settings/settlement/evm/prove/", "/dashboard/test/settings/settlement/solana/prove/"
WALLET = Account.from_key("0x" + "11" * 32)
OTHER = Account.from_key("0x" + "22" * 32)


@pytest.fixture
def profile(account: NewMerchant) -> SettlementProfile:
    return settlement_profile(account.merchant, mode="test", chain="base", token="USDC", address=WALLET.address)


def signed(text: str, wallet: "Account" = WALLET) -> str:
    return "0x" + bytes(wallet.sign_message(encode_defunct(text=text)).signature).hex()


@pytest.mark.spec("Rulings C13.2")
def test_its_own_signature_proves_an_address(owner: Client, profile: SettlementProfile) -> None:
    assert "There is no address to prove yet" in text_of(owner.get(SOLANA))
    page = text_of(owner.get(EVM))
    assert WALLET.address in page
    assert send_form(owner, EVM, signature=f" {signed(proof_text(profile))} ").status_code == 302
    profile.refresh_from_db()
    assert profile.proven_at is not None
    assert Change.objects.get(action="settlement.proven").after == {"address": WALLET.address}
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
    others = text.replace("(test)", "(live)")
    lies = [signed(text, OTHER), signed(others), signed(f"{text}\n"), signed(text)[:-2] + "00"]
    for lie in [*lies, "", "0x", "0x" + "00" * 65, "x" * 10_000, "<script>alert(1)</script>", "é" * 130]:
        answer = send_form(owner, EVM, signature=lie)
        assert answer.status_code == 400, lie
        assert "Nothing was changed" in text_of(answer)
    profile.refresh_from_db()
    assert profile.proven_at is None
    assert not Change.objects.exclude(action__startswith="person.").exists()


def test_another_address_is_unproven_again(owner: Client, profile: SettlementProfile) -> None:
    send_form(owner, EVM, signature=signed(proof_text(profile)))
    change = "/dashboard/test/settings/settlement/evm/"
    assert send_form(owner, change, asset="ethereum:USDC", address=WALLET.address).status_code == 302
    profile.refresh_from_db()
    assert (profile.chain, profile.proven_at is None) == ("ethereum", False)
    assert send_form(owner, change, asset="ethereum:USDC", address=BOBS_EVM).status_code == 302
    profile.refresh_from_db()
    assert profile.proven_at is None


def test_a_live_coin_is_said_to_need_the_proof(account: NewMerchant, owner: Client) -> None:
    for mode, token, is_said in (("live", "ETH", True), ("live", "USDC", False), ("test", "ETH", False)):
        profile = settlement_profile(account.merchant, mode=mode, chain="base", token=token)
        settings, words = f"/dashboard/{mode}/settings/", f"Payments that settle in {token} are refused"
        assert (words in text_of(owner.get(settings))) is is_said
        SettlementProfile.objects.filter(pk=profile.pk).update(proven_at=now())
        assert words not in text_of(owner.get(settings))
        profile.delete()
