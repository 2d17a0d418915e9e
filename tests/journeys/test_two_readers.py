"""Two worker processes read one chain, and one of them is killed: nothing is missed, and nothing counted twice.

In the production form, on a real node. No payer tells what he sent, so that only a reader can have found it.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.journeys.http_caller import soon
from tests.journeys.live_payer import UNITS, LivePayer
from tests.journeys.live_stage import LiveStage, live_stage
from tests.journeys.odd_nodes import withholding
from tests.journeys.programs import Program

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]
PAYERS = 4
FOUND = (
    "SELECT (SELECT array_agg(base_units ORDER BY id) FROM payments_credit WHERE intent_id = %(intent)s),"
    " (SELECT count(*) FROM payments_markedtransaction WHERE intent_id = %(intent)s AND gone_at IS NULL)"
)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveStage]:
    with live_stage(tmp_path_factory.mktemp("live")) as made:
        yield made


@pytest.fixture
def readers(stage: LiveStage) -> Iterator[tuple[Program, Program]]:
    """The deployment's own reader, and a second one that does not run yet."""
    first = stage.service.programs["worker reader"]
    second = Program(first.command, first.environment, first.log.with_name("worker-reader-2.log"))
    try:
        yield first, second
    finally:
        second.kill_with_children()
        stage.service.revive()


def issued(stage: LiveStage) -> list[LivePayer]:
    payers = [LivePayer(stage=stage, shop=stage.shop("other")) for _ in range(PAYERS)]
    for one in payers:
        one.endow()
    with ThreadPoolExecutor(PAYERS) as pool:
        list(pool.map(LivePayer.issue, payers))
    return payers


def counted_once(stage: LiveStage, payers: list[LivePayer]) -> None:
    """Each settles by one credit, found once."""
    for one in payers:
        one.await_settled()
    with stage.service.connection() as connection:
        found = [connection.execute(FOUND, {"intent": one.intent_id}).fetchone() for one in payers]
    assert found == [([UNITS], 1)] * len(payers)
    assert [one.seen()["amount_received"] for one in payers] == ["25.00"] * len(payers)


def test_the_second_takes_over_from_one_that_was_killed_while_it_read(
    stage: LiveStage, readers: tuple[Program, Program]
) -> None:
    first, second = readers
    payers = issued(stage)
    with withholding(stage.evm, "eth_getLogs") as waiting:
        soon(lambda: waiting, "a reader in the middle of a round")
        second.start()
        for one in payers:
            one.sign(one.issued)
        first.kill_with_children()
    counted_once(stage, payers)


def test_both_read_and_either_may_be_killed(stage: LiveStage, readers: tuple[Program, Program]) -> None:
    first, second = readers
    second.start()
    everybody: list[LivePayer] = []
    for victim in (second, first):
        payers = issued(stage)
        for number, one in enumerate(payers):
            one.sign(one.issued)
            if number == PAYERS // 2:
                victim.kill_with_children()
        counted_once(stage, payers)
        victim.start()
        everybody += payers
    counted_once(stage, everybody)
