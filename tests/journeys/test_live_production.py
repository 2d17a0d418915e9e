"""Live payments through the processes of the production form, on real nodes."""

from collections.abc import Iterator

import pytest

from tests.journeys.live_payer import LivePayer
from tests.journeys.live_stage import EVM, SOLANA, LiveStage, Shop, live_stage

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveStage]:
    with live_stage(tmp_path_factory.mktemp("live")) as made:
        yield made


@pytest.fixture(scope="module")
def other(stage: LiveStage) -> Shop:
    return stage.shop("other")


@pytest.mark.parametrize("chain", [EVM, SOLANA])
def test_a_live_payment_settles(stage: LiveStage, other: Shop, chain: str) -> None:
    payer = LivePayer(stage=stage, shop=other, chain=chain)
    payer.pay()
    assert payer.seen()["amount_received"] == "25.00"
