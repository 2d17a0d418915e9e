"""The table of chains: the seven named by the specification, their aliases, their explorers, and what gas may cost."""

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.clients.evm_preflight import Market
from chains.rails.evm.fees import Fees, dearer_fees, fair_fees, patience
from chains.registry import (
    CHAINS,
    Family,
    canonical_chain_name,
    chain,
    explorer_address_url,
    explorer_tx_url,
    is_tx_hash_of,
)
from core.money import BaseUnits

BY_NAME = {entry.name: entry for entry in CHAINS}
GWEI = 10**9
EVM_CHAINS = [known.name for known in CHAINS if known.family is Family.EVM]
WEI = st.integers(min_value=0, max_value=10**14).map(BaseUnits)
MARKETS = st.builds(Market, base_fee=WEI, usual_tip=WEI)


@pytest.mark.spec("What the service does 6: payer-side source chains")
def test_the_seven_chains_of_the_specification_are_known() -> None:
    """With the seconds that their standard confirmations and their first offer of gas wait."""
    expected: list[tuple[Any, ...]] = [
        ("ethereum", Family.EVM, 1, "ETH", 18),
        ("base", Family.EVM, 8453, "ETH", 18),
        ("arbitrum", Family.EVM, 42161, "ETH", 18),
        ("optimism", Family.EVM, 10, "ETH", 18),
        ("polygon", Family.EVM, 137, "POL", 18),
        ("bnb", Family.EVM, 56, "BNB", 18),
        ("solana", Family.SOLANA, None, "SOL", 9),
    ]
    assert [(one.name, one.family, one.chain_id, one.native_symbol, one.native_decimals) for one in CHAINS] == expected
    waits = {"ethereum": 144, "base": 10, "optimism": 10, "arbitrum": 10, "solana": Decimal("12.8")}
    assert {name: BY_NAME[name].confirmations_required * BY_NAME[name].block_seconds for name in waits} == waits
    bids = {"ethereum": 60, "base": 15, "arbitrum": 15, "bnb": 15}
    assert {name: patience(BY_NAME[name]).total_seconds() for name in bids} == bids


def test_aliases_and_letter_case_lead_to_one_name() -> None:
    words = [word for entry in CHAINS for word in (entry.name, *entry.aliases)]
    assert len(words) == len(set(words))
    assert words == [word.lower() for word in words]
    names = {"bsc": "bnb", "eth": "ethereum", "matic": "polygon", "BASE": "base", " Solana ": "solana"}
    for text, name in names.items():
        assert (chain(text), canonical_chain_name(text)) == (BY_NAME[name], name), text


@pytest.mark.spec("What the service does 8: any settlement chain is accepted in test mode")
def test_an_unknown_chain_is_none_and_not_an_error() -> None:
    for text in ("tron", "", "0", "base\x00", "ｂase"):
        assert (chain(text), explorer_tx_url(text, "0xabc"), explorer_address_url(text, "0xabc")) == (None, None, None)
    assert canonical_chain_name("Tron-Nile") == "tron-nile"


def test_explorer_links_cannot_be_bent_by_a_hostile_hash() -> None:
    assert explorer_tx_url("base", "0xabc") == "https://basescan.org/tx/0xabc"
    assert explorer_tx_url("sol", "5sig") == "https://solscan.io/tx/5sig"
    assert explorer_address_url("solana", "So111") == "https://solscan.io/account/So111"
    assert explorer_address_url("bsc", "0xabc") == "https://bscscan.com/address/0xabc"
    assert explorer_tx_url("base", "../?a={0}#<") == "https://basescan.org/tx/..%2F%3Fa%3D%7B0%7D%23%3C"


def test_the_form_of_a_transactions_name_is_its_chains() -> None:
    of_evm, of_solana = "0x" + "aB" * 32, "5" * 87
    for name, right, wrong in (
        ("base", [of_evm], [of_solana, of_evm[:-1], of_evm + "0", of_evm[2:], "3" * 88, of_evm + "\n"]),
        ("solana", [of_solana, "1" * 64], [of_evm, "1" * 90, "1" * 88, "3" * 64, "l" * 88, of_solana + "\n"]),
        ("a chain of test mode", [of_evm, of_solana], ["0x12", "pay me"]),
    ):
        assert [text for text in right if not is_tx_hash_of(name, text)] == []
        assert [text for text in wrong if is_tx_hash_of(name, text)] == []


def test_start_up_stays_light() -> None:
    script = (
        "import sys, chains.registry, chains.addresses, chains.errors;"
        "print(sorted({'web3', 'solana', 'solders', 'eth_utils'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def market(base_fee: int, tip: int = 0) -> Market:
    return Market(base_fee=BaseUnits(base_fee), usual_tip=BaseUnits(tip))


def test_a_fair_offer_stays_below_the_cap_that_every_chain_has() -> None:
    for name, seen, wanted in (
        ("ethereum", market(20 * GWEI, GWEI), (41 * GWEI, GWEI)),
        ("ethereum", market(150 * GWEI, GWEI), (200 * GWEI, GWEI)),
        ("base", market(GWEI // 100), (21_000_000, 1_000_000)),
        ("arbitrum", market(GWEI // 50), (40_000_000, 0)),
        ("polygon", market(100 * GWEI), (230 * GWEI, 30 * GWEI)),
        ("bnb", market(0), (50_000_000, 50_000_000)),
    ):
        fees = fair_fees(name, seen)
        assert fees is not None
        assert (fees.max_fee, fees.priority_fee) == wanted, name
    assert fair_fees("ethereum", market(200 * GWEI)) is None
    assert dearer_fees("base", market(1), Fees(max_fee=BaseUnits(9 * GWEI), priority_fee=BaseUnits(1))) is None


@given(name=st.sampled_from(EVM_CHAINS), first=MARKETS, later=MARKETS)
def test_a_dearer_offer_outbids_the_one_before_and_the_market(name: str, first: Market, later: Market) -> None:
    before = fair_fees(name, first)
    after = None if before is None else dearer_fees(name, later, before)
    fair = fair_fees(name, later)
    if before is None or after is None or fair is None:
        return
    for higher, lower in ((after.max_fee, before.max_fee), (after.priority_fee, before.priority_fee)):
        assert higher * 8 >= lower * 9
        assert higher > lower
    assert after.max_fee >= fair.max_fee
    assert fair.priority_fee <= after.priority_fee <= after.max_fee <= BY_NAME[name].fee_cap
