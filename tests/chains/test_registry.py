"""The table of chains: the seven named by the specification, their aliases, their explorers."""

import subprocess
import sys
from decimal import Decimal

import pytest

from chains.registry import CHAINS, Family, canonical_chain_name, chain, explorer_address_url, explorer_tx_url


@pytest.mark.spec("What the service does 6: payer-side source chains")
def test_the_seven_chains_of_the_specification_are_known() -> None:
    assert [(entry.name, entry.family, entry.chain_id) for entry in CHAINS] == [
        ("ethereum", Family.EVM, 1),
        ("base", Family.EVM, 8453),
        ("arbitrum", Family.EVM, 42161),
        ("optimism", Family.EVM, 10),
        ("polygon", Family.EVM, 137),
        ("bnb", Family.EVM, 56),
        ("solana", Family.SOLANA, None),
    ]


def test_native_coins() -> None:
    assert {entry.name: (entry.native_symbol, entry.native_decimals) for entry in CHAINS} == {
        "ethereum": ("ETH", 18),
        "base": ("ETH", 18),
        "arbitrum": ("ETH", 18),
        "optimism": ("ETH", 18),
        "polygon": ("POL", 18),
        "bnb": ("BNB", 18),
        "solana": ("SOL", 9),
    }


@pytest.mark.parametrize(
    ("name", "least_seconds"),
    [("ethereum", 144), ("base", 10), ("optimism", 10), ("arbitrum", 10), ("solana", Decimal("12.8"))],
)
def test_standard_confirmations_wait_as_long_as_the_settle_policy_says(name: str, least_seconds: Decimal) -> None:
    entry = chain(name)
    assert entry is not None
    assert entry.confirmations_required * entry.block_seconds == least_seconds


def test_no_word_names_two_chains() -> None:
    words = [word for entry in CHAINS for word in (entry.name, *entry.aliases)]
    assert len(words) == len(set(words))
    assert words == [word.lower() for word in words]


@pytest.mark.parametrize(
    ("text", "name"),
    [("bsc", "bnb"), ("eth", "ethereum"), ("matic", "polygon"), ("BASE", "base"), (" Solana ", "solana")],
)
def test_aliases_and_letter_case_lead_to_one_name(text: str, name: str) -> None:
    found = chain(text)
    assert found is not None
    assert found.name == name
    assert canonical_chain_name(text) == name


@pytest.mark.spec("What the service does 8: any settlement chain is accepted in test mode")
@pytest.mark.parametrize("text", ["tron", "", "0", "base\x00", "ｂase"])
def test_an_unknown_chain_is_none_and_not_an_error(text: str) -> None:
    assert chain(text) is None
    assert explorer_tx_url(text, "0xabc") is None
    assert explorer_address_url(text, "0xabc") is None


def test_an_unknown_name_is_only_lower_cased() -> None:
    assert canonical_chain_name("Tron-Nile") == "tron-nile"


def test_explorer_links() -> None:
    assert explorer_tx_url("base", "0xabc") == "https://basescan.org/tx/0xabc"
    assert explorer_tx_url("sol", "5sig") == "https://solscan.io/tx/5sig"
    assert explorer_address_url("solana", "So111") == "https://solscan.io/account/So111"
    assert explorer_address_url("bsc", "0xabc") == "https://bscscan.com/address/0xabc"


def test_explorer_links_cannot_be_bent_by_a_hostile_hash() -> None:
    assert explorer_tx_url("base", "../?a={0}#<") == "https://basescan.org/tx/..%2F%3Fa%3D%7B0%7D%23%3C"


def test_start_up_stays_light() -> None:
    script = (
        "import sys, chains.registry, chains.addresses, chains.errors;"
        "print(sorted({'web3', 'solana', 'solders', 'eth_utils'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
