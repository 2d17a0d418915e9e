"""A second sender waits for the first; after two seconds it is told to come again. Only PostgreSQL has row locks."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connections, transaction

from core.clock import now
from merchants.claims import REPLAY_WINDOW
from merchants.models import IdempotencyRecord
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.machine import PATIENCE_SECONDS
from tests.payments.world import create
from tests.races.lineup import Lineup
from tokens.services import load_bundled_tokens

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


class NeverHappenedError(Exception):
    """Rolls a transaction back."""


@contextmanager
def first_sender(scope: str, key: str) -> Iterator[Callable[[], None]]:
    """Another sender's unfinished transaction that occupies the key; calling the result ends it without a trace."""
    occupied, end = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                IdempotencyRecord.objects.create(
                    scope=scope, key=key, fingerprint="f", http_status=0, answer=b"", expires_at=now() + REPLAY_WINDOW
                )
                occupied.set()
                end.wait(PATIENCE_SECONDS)
                raise NeverHappenedError
        except NeverHappenedError:
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert occupied.wait(PATIENCE_SECONDS)

    def finish() -> None:
        end.set()
        thread.join()

    yield finish
    finish()


def scope_of(intent: dict[str, str]) -> str:
    return f"m{PaymentIntent.objects.get(pk=intent['id']).merchant_id}:test"


@pytest.mark.spec("Contract 5.16; Contract 17.4")
@pytest.mark.parametrize("kind", ["create", "action"])
def test_a_long_wait_ends_in_a_conflict_that_may_be_retried(kind: str, api: ApiClient) -> None:
    load_bundled_tokens()
    intent = create(api)
    path, body = (
        ("/payment-intents", {"amount": 25}) if kind == "create" else (f"/payment-intents/{intent['id']}/cancel", None)
    )
    with first_sender(scope_of(intent), "k") as end:
        reply = api.post(path, body, Idempotency_Key="k")  # answered although the first sender never ends
        assert_refused(reply, 409, "idempotency_key_in_progress")
        assert (reply.headers["Retry-After"], reply.body["details"]) == ("2", {"retryable": True})
        assert PaymentIntent.objects.count() == 1
        end()
        again = api.post(path, body, Idempotency_Key="k")
        assert again.status == (201 if kind == "create" else 200)
        assert "Idempotent-Replayed" not in again.headers


@pytest.mark.spec("Contract 17.4")
def test_a_short_wait_goes_on(api: ApiClient) -> None:
    load_bundled_tokens()
    intent = create(api)
    with ThreadPoolExecutor(1) as pool, first_sender(scope_of(intent), "k") as end:
        lineup = Lineup(pool)
        lineup.enter(lambda: api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k"))
        assert lineup.waited == 1
        end()
        assert [ending.result.status for ending in lineup.endings()] == [201]
    assert PaymentIntent.objects.count() == 2


@pytest.mark.parametrize("with_key", [True, False])
def test_a_wait_for_any_other_lock_is_told_as_what_it_is(api: ApiClient, *, with_key: bool) -> None:
    """A person with a table locked in psql says nothing about anybody's key."""
    create(api)
    held, end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic(), connections["default"].cursor() as cursor:
            cursor.execute("LOCK TABLE payments_paymentintent IN ACCESS EXCLUSIVE MODE")
            held.set()
            end.wait(PATIENCE_SECONDS)
        connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        assert held.wait(PATIENCE_SECONDS)
        reply = api.post("/payment-intents", {"amount": 25}, **({"Idempotency_Key": "k"} if with_key else {}))
        end.set()
        holding.result()
    assert_refused(reply, 503, "temporarily_unavailable")
    assert reply.headers["Retry-After"]
    assert PaymentIntent.objects.count() == 1
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k").status == 201
