"""A payment that a worker is writing down holds up its own news alone, never the reader of its chain."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import transaction

from chains.models import ChainReader
from payments.models import MarkedTransaction
from payments.services.transition import locked_intent
from tests.live.evm_till import Till
from tests.live.test_odd_answers import another
from tests.live.test_readers import is_due, one_block
from tests.live.till import read_chains
from tests.races.lineup import Lineup
from tokens.services import load_bundled_tokens

pytestmark = pytest.mark.postgres


@pytest.fixture
def committed(transactional_db: None) -> None:
    """Why the tokens are loaded: a test with real commits empties every table."""
    load_bundled_tokens()


def test_a_payment_that_is_being_written_down_holds_up_no_other(committed: None, till: Till) -> None:
    held, other = till, another(till)
    calls = [(one, one.issue("25")["transactions"][0]["request"]) for one in (held, other)]
    with one_block(till.node):
        for one, request in calls:
            till.node.post(one.payer, request)
    with ThreadPoolExecutor(1) as pool:
        lineup = Lineup(pool)
        with transaction.atomic():
            locked_intent(held.intent["id"])
            lineup.enter(read_chains)
            assert (is_due(other), MarkedTransaction.objects.count()) == (True, 2)
        lineup.endings()
    assert (is_due(held), is_due(other)) == (True, True)
    assert set(ChainReader.objects.filter(chain="base").values_list("refused", flat=True)) == {""}
    assert [one.finish()["status"] for one in (held, other)] == ["settled"] * 2
