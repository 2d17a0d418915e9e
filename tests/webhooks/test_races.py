"""Several workers and several callers at once, on real row locks."""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest
from django.db import connection
from django.db.models import F

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.machine import PATIENCE_SECONDS
from tests.races.lineup import at_once
from tests.webhooks.actors import happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks.delivery import drain
from webhooks.delivery.claims import LEASE
from webhooks.models import Delivery, DeliveryAttempt, SigningSecret, WebhookEndpoint

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WORKER = """
import sys
import django
django.setup()
from webhooks.delivery import drain
print("ready", flush=True)
sys.stdin.readline()
drain()
"""


@contextmanager
def workers(count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Worker processes on this test's database, ready to drain when a line is written to them."""
    database = connection.settings_dict
    where = f"{database['HOST']}:{database['PORT']}" if database["PORT"] else database["HOST"]
    word = f":{database['PASSWORD']}" if database["PASSWORD"] else ""
    url = f"postgres://{database['USER']}{word}@{where}/{database['NAME']}"
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings_test"}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def attempts_seen(*receivers: Receiver) -> Counter[tuple[str, str]]:
    """How often each attempt of each delivery came over the wire."""
    return Counter(
        (request.headers["Svc-Delivery-Id"], request.headers["Svc-Attempt"])
        for receiver in receivers
        for request in receiver.received
    )


def test_workers_share_the_work_and_never_send_the_same_attempt(
    principal: Principal, receivers: Callable[[], Receiver]
) -> None:
    good, flaky = receivers(), receivers()
    flaky.script = answer(500)
    for receiver in (good, flaky):
        subscribe(principal, receiver.url)
    for _ in range(300):
        happen(principal)
    with workers(3) as started:
        for process in started:
            go(process)
        for process in started:
            assert process.wait(PATIENCE_SECONDS) == 0
    seen = attempts_seen(good, flaky)
    assert len(seen) == 600
    assert set(seen.values()) == {1}
    assert Delivery.objects.filter(endpoint__url=good.url, outcome="delivered").count() == 300
    assert Delivery.objects.filter(endpoint__url=flaky.url, outcome="due", attempts=1).count() == 300
    assert DeliveryAttempt.objects.count() == 600


def test_what_a_killed_worker_held_is_sent_by_another(principal: Principal, receiver: Receiver) -> None:
    killed = threading.Event()

    def hold_from_the_eleventh(_: Receiver, request: BaseHTTPRequestHandler) -> None:
        if len(receiver.received) > 10:
            killed.wait(PATIENCE_SECONDS)
        answer(200)(receiver, request)

    receiver.script = hold_from_the_eleventh
    subscribe(principal, receiver.url)
    events = {happen(principal).id for _ in range(60)}
    with workers(1) as [victim]:
        go(victim)
        receiver.wait_for(11)
        victim.kill()
        victim.wait()
        killed.set()
    assert Delivery.objects.filter(outcome="due").exists()
    Delivery.objects.filter(leased_until__isnull=False).update(leased_until=F("leased_until") - LEASE)
    drain()
    assert not Delivery.objects.exclude(outcome="delivered").exists()
    assert {request.headers["Svc-Event-Id"] for request in receiver.received} == events
    assert set(attempts_seen(receiver).values()) == {1}


def test_the_limit_of_sixteen_holds_under_a_rush(api: ApiClient, principal: Principal) -> None:
    for _ in range(12):
        subscribe(principal, "https://hooks.shop.example/")
    body = {"url": "https://hooks.shop.example/", "events": ["*"]}
    answers = at_once([lambda: api.post("/webhook-endpoints", body).status] * 12)
    assert Counter(ending.result for ending in answers) == {201: 4, 409: 8}
    assert WebhookEndpoint.objects.count() == 16


def test_one_key_sent_by_eight_at_once_makes_one_endpoint(api: ApiClient) -> None:
    body = {"url": "https://hooks.shop.example/", "events": ["*"]}
    answers = at_once([lambda: api.post("/webhook-endpoints", body, Idempotency_Key="rush").raw] * 8)
    assert len({ending.result for ending in answers}) == 1
    assert WebhookEndpoint.objects.count() == 1


def test_rotations_at_once_leave_one_current_and_one_previous_secret(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, "https://hooks.shop.example/")
    answers = at_once([lambda: api.post(f"/webhook-endpoints/{made.id}/rotate-secret").status] * 8)
    assert {ending.result for ending in answers} == {200}
    assert SigningSecret.objects.filter(expires_at=None).count() == 1
    assert SigningSecret.objects.count() == 2
