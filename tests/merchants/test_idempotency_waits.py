"""A second sender waits for the first; after two seconds it is told to come again. Only PostgreSQL has row locks."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connections, transaction

from core.clock import now
from merchants.claims import REPLAY_WINDOW
from merchants.models import IdempotencyRecord
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.payments.world import create
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
                end.wait(20)
                raise NeverHappenedError
        except NeverHappenedError:
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert occupied.wait(10)
    yield end.set
    end.set()
    thread.join()


def scope_of(intent: dict[str, str]) -> str:
    """The test-mode scope of the intent's merchant."""
    return f"m{PaymentIntent.objects.get(pk=intent['id']).merchant_id}:test"


@pytest.mark.parametrize("kind", ["create", "action"])
def test_a_long_wait_ends_in_a_conflict_that_may_be_retried(kind: str, api: ApiClient) -> None:
    load_bundled_tokens()
    intent = create(api)
    path, body = (
        ("/payment-intents", {"amount": 25}) if kind == "create" else (f"/payment-intents/{intent['id']}/cancel", None)
    )
    with first_sender(scope_of(intent), "k") as end:
        started = time.monotonic()
        reply = api.post(path, body, Idempotency_Key="k")
        assert 1.5 < time.monotonic() - started < 6
        assert_refused(reply, 409, "idempotency_key_in_progress")
        assert (reply.headers["Retry-After"], reply.body["details"]) == ("2", {"retryable": True})
        assert PaymentIntent.objects.count() == 1
        end()
        time.sleep(0.2)
        again = api.post(path, body, Idempotency_Key="k")
        assert again.status == (201 if kind == "create" else 200)
        assert "Idempotent-Replayed" not in again.headers


def test_a_short_wait_goes_on(api: ApiClient) -> None:
    load_bundled_tokens()
    intent = create(api)
    with first_sender(scope_of(intent), "k") as end:
        threading.Timer(0.5, end).start()
        assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k").status == 201
    assert PaymentIntent.objects.count() == 2
