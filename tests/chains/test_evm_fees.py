"""What is offered for gas: fair, dearer by an eighth at least, and never above the cap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.clients.evm_footing import Market
from chains.rails.evm.fees import CAPS, OTHER_CAP, Fees, dearer_fees, fair_fees, patience
from chains.registry import CHAINS, Family, chain
from core.money import BaseUnits

GWEI = 10**9
EVM_CHAINS = [known.name for known in CHAINS if known.family is Family.EVM]
NAMES = st.sampled_from(EVM_CHAINS)
WEI = st.integers(min_value=0, max_value=10**14).map(BaseUnits)
MARKETS = st.builds(Market, base_fee=WEI, usual_tip=WEI)


def market(base_fee: int, tip: int = 0) -> Market:
    return Market(base_fee=BaseUnits(base_fee), usual_tip=BaseUnits(tip))


def test_every_chain_has_a_cap() -> None:
    assert set(CAPS) == set(EVM_CHAINS)


@pytest.mark.parametrize(
    ("name", "seen", "wanted"),
    [
        ("ethereum", market(20 * GWEI, GWEI), (41 * GWEI, GWEI)),
        ("ethereum", market(150 * GWEI, GWEI), (200 * GWEI, GWEI)),
        ("base", market(GWEI // 100), (21_000_000, 1_000_000)),
        ("arbitrum", market(GWEI // 50), (40_000_000, 0)),
        ("polygon", market(100 * GWEI), (230 * GWEI, 30 * GWEI)),
        ("bnb", market(0), (50_000_000, 50_000_000)),
    ],
    ids=["usual", "near the cap", "base", "arbitrum", "polygon", "bnb"],
)
def test_what_is_fair(name: str, seen: Market, wanted: tuple[int, int]) -> None:
    fees = fair_fees(name, seen)
    assert fees is not None
    assert (fees.max_fee, fees.priority_fee) == wanted


def test_above_the_cap_there_is_no_offer() -> None:
    assert fair_fees("ethereum", market(200 * GWEI)) is None
    assert dearer_fees("base", market(1), Fees(max_fee=BaseUnits(9 * GWEI), priority_fee=BaseUnits(1))) is None


@given(name=NAMES, first=MARKETS, later=MARKETS)
def test_a_dearer_offer_outbids_the_one_before_and_the_market(name: str, first: Market, later: Market) -> None:
    before = fair_fees(name, first)
    after = None if before is None else dearer_fees(name, later, before)
    fair = fair_fees(name, later)
    if before is None or after is None or fair is None:
        return
    assert after.max_fee * 8 >= before.max_fee * 9
    assert after.priority_fee * 8 >= before.priority_fee * 9
    assert after.max_fee > before.max_fee
    assert after.priority_fee > before.priority_fee
    assert after.max_fee >= fair.max_fee
    assert fair.priority_fee <= after.priority_fee <= after.max_fee <= CAPS.get(name, OTHER_CAP)


@pytest.mark.parametrize(("name", "seconds"), [("ethereum", 60), ("base", 15), ("arbitrum", 15), ("bnb", 15)])
def test_fast_chains_wait_less_long(name: str, seconds: int) -> None:
    known = chain(name)
    assert known is not None
    assert patience(known).total_seconds() == seconds
