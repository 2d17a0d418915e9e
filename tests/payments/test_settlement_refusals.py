"""Where payments cannot settle: refused in words on the page, and nothing changes."""

import re

import pytest
from django.core.cache import cache
from django.test import Client
from solders.pubkey import Pubkey

from chains.registry import CHAINS
from merchants.services import NewMerchant
from payments.models import SettlementChange, SettlementProfile
from tests.factories.payments import ANNS_EVM, ANNS_SOLANA, settlement_profile
from tests.merchants.people import OWNER, text_of
from tests.payments.test_settlement_changes import EVM, SOLANA, USDC_ON_BASE, ask, deeds, settles_at, signed_in, told
from tokens.settlement_pairs import SETTLEMENT_PAIRS

pytestmark = pytest.mark.slow


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner, who may go live and has just proven it."""
    cache.clear()
    return signed_in(OWNER)


@pytest.fixture
def profile(account: NewMerchant) -> SettlementProfile:
    """Where live payments settle at first."""
    return settlement_profile(account.merchant, chain="base", token="USDC")


REFUSED = {
    "0x followed by 40": [("base:USDC", text) for text in ("", "x" * 10_000, "<script>alert(1)</script>", ANNS_SOLANA)],
    "checksum": [("base:USDC", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD")],
    "own address": [("base:USDC", USDC_ON_BASE)],
    "reserved": [("base:USDC", "0x" + "0" * 40)],
    "public contract": [("base:USDC", "0x000000000022D473030F116dDEE9F6B43aC78BA3")],
    "cannot be settled": [
        *((asset, ANNS_EVM) for asset in ("moon:USDC", "base:MOON", "", ":::")),
        ("solana:USDC", ANNS_SOLANA),
    ],
}


def test_what_cannot_be_paid_changes_nothing(account: NewMerchant, profile: SettlementProfile, owner: Client) -> None:
    for words, rows in REFUSED.items():
        for asset, address in rows:
            refused = ask(owner, address, asset)
            assert refused.status_code == 400
            assert words in text_of(refused), (asset, address[:50])
            assert "<script>alert" not in text_of(refused)
    assert (settles_at(account), SettlementChange.objects.count(), told(), deeds()) == (ANNS_EVM, 0, [], [])


def test_solana_programs_mints_and_token_accounts_are_refused(account: NewMerchant, owner: Client) -> None:
    for address, words in {
        "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA": "program",
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "own address",
        str(Pubkey.find_program_address([b"vault"], Pubkey.default())[0]): "token account",
    }.items():
        refused = ask(owner, address, "solana:USDC", at=SOLANA)
        assert refused.status_code == 400
        assert words in text_of(refused)
    assert not SettlementProfile.objects.exists()


def test_the_same_again_is_no_change(account: NewMerchant, profile: SettlementProfile, owner: Client) -> None:
    refused = ask(owner, ANNS_EVM.lower())
    assert (refused.status_code, SettlementChange.objects.count()) == (400, 0)
    assert "how it is already" in text_of(refused)


def test_every_pair_can_be_chosen(owner: Client) -> None:
    pages = text_of(owner.get(EVM)) + text_of(owner.get(SOLANA))
    assert {f"{pair.chain}:{pair.symbol}" for pair in SETTLEMENT_PAIRS} == set(re.findall(r'value="(\w+:\w+)"', pages))
    assert {chain.name for chain in CHAINS} == {pair.chain for pair in SETTLEMENT_PAIRS}
