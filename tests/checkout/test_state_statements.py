"""How many statements a poll of the payer's state takes, at every moment of a payment."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create

NOT_COUNTED = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT")


@pytest.mark.spec("Poll with ETag")
def test_a_poll_of_the_payers_state_stays_bounded(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    told = {"fresh": statements(payer)}
    payer.connect()
    told["tokens"] = statements(payer)
    payer.quote(world, "ethereum", "USDC")
    told["quoted"] = statements(payer)
    attempt = payer.start(world, "ethereum", "USDC")
    told["signing"] = statements(payer)
    payer.pay(attempt)
    world.run(1)
    told["moving"] = statements(payer)
    assert told == {"fresh": 6, "tokens": 7, "quoted": 5, "signing": 5, "moving": 7}


def statements(payer: Payer) -> int:
    """What one poll asks the database."""
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        asked.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(note):
        payer.state()
    return sum(not sql.startswith(NOT_COUNTED) for sql in asked)
