"""Nobody stops a chain for everybody: under each attack another merchant's live payments settle on the same nodes.

In the production form. How long it takes is measured by ``tests.journeys.chain_under_attack``; a verdict here is for
what happens at all. One deployment for all of them, so that each attack finds what those before it left.
"""

from collections.abc import Iterator

import pytest

from tests.journeys.chain_attacks import CHAIN_ATTACKS, all_at_once
from tests.journeys.crowd import Crowd
from tests.journeys.live_stage import EVM, SOLANA, LiveStage, live_stage
from tests.journeys.stranger import a_stranger

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]
PAYERS = 3
ATTACKS = CHAIN_ATTACKS | {"all at once": (EVM, all_at_once), "a stranger with the links": (EVM, a_stranger)}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveStage]:
    with live_stage(tmp_path_factory.mktemp("live")) as made:
        yield made


@pytest.mark.parametrize("chain", [EVM, SOLANA])
def test_live_payments_settle(stage: LiveStage, chain: str) -> None:
    crowd = Crowd(stage=stage, shop=stage.shop("other"), chain=chain)
    crowd.pay(PAYERS)
    assert len(crowd.settled) == PAYERS


@pytest.mark.parametrize("name", ATTACKS)
def test_another_merchants_payments_settle_meanwhile(stage: LiveStage, name: str) -> None:
    chain, attack = ATTACKS[name]
    crowd = Crowd(stage=stage, shop=stage.shop("other"), chain=chain)
    with attack(stage, crowd):
        crowd.pay(PAYERS)
    assert len(crowd.settled) == PAYERS
