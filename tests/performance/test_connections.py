"""Database connections are kept, and a dead one is noticed."""

import pytest
from django.db import connection, transaction

from core.postgresql.base import TRUSTED_SECONDS
from merchants.services import NewMerchant
from scripts.bench.round_trips import count_round_trips
from tests.payments.world import World
from tests.performance.wire import request

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _asked_at_the_worlds_beginning(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection, which earlier tests may have used under other ticks, is one that answered just now."""
    monkeypatch.setattr(connection, "_asked_at", 0.0)


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        number: int = cursor.fetchone()[0]
    return number


def kill(number: int) -> None:
    """End a server process, as a restart or a fail-over does."""
    with connection.get_new_connection(connection.get_connection_params() | {"autocommit": True}) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [number])


@pytest.mark.spec("Performance: no new database connections when warm")
def test_requests_share_one_connection_that_is_not_asked_whether_it_lives(account: NewMerchant) -> None:
    before = backend()
    statuses = {request(account.test.secret_key, "GET", "/payment-intents") for _ in range(20)}
    assert statuses == {200}
    assert backend() == before
    assert count_round_trips(lambda: request(account.test.secret_key, "GET", "/payment-intents")) == 2


def test_a_transaction_that_outlasts_the_trust_ends_well(world: World) -> None:
    assert backend()
    connection.close_if_unusable_or_obsolete()  # as at the beginning of a request
    with transaction.atomic():
        world.wait(TRUSTED_SECONDS)
        assert backend()
    assert connection.get_autocommit()
    assert backend()


def test_a_connection_that_died_while_idle_is_replaced_unseen(world: World, account: NewMerchant) -> None:
    assert request(account.test.secret_key, "GET", "/payment-intents") == 200
    dead = backend()
    kill(dead)
    world.wait(TRUSTED_SECONDS)
    assert request(account.test.secret_key, "GET", "/payment-intents") == 200
    assert backend() != dead


def test_a_connection_that_died_just_now_fails_one_request(account: NewMerchant) -> None:
    assert request(account.test.secret_key, "GET", "/payment-intents") == 200
    kill(backend())
    assert request(account.test.secret_key, "GET", "/payment-intents") == 503
    assert request(account.test.secret_key, "GET", "/payment-intents") == 200
