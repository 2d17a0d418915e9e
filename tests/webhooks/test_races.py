"""Several workers and several callers at once, on real row locks."""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler

import pytest
from django.db import connection
from django.db.models import F

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.machine import PATIENCE_SECONDS, wait_until
from tests.races.lineup import at_once, holding, open_connections
from tests.webhooks.actors import happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks.delivery import drain
from webhooks.delivery.claims import LEASE
from webhooks.models import Delivery, Event, SigningSecret, WebhookEndpoint
from webhooks.services import purge_old_events, shift_due

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@contextmanager
def worker() -> Iterator[subprocess.Popen[str]]:
    """A worker process that drains this test's database."""
    database = connection.settings_dict
    where = f"{database['HOST']}:{database['PORT']}" if database["PORT"] else database["HOST"]
    word = f":{database['PASSWORD']}" if database["PASSWORD"] else ""
    url = f"postgres://{database['USER']}{word}@{where}/{database['NAME']}"
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings_test"}
    program = "import django; django.setup(); from webhooks.delivery import drain; drain()"
    process = subprocess.Popen([sys.executable, "-c", program], env=environment, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_what_a_killed_worker_held_is_sent_by_another(principal: Principal, receiver: Receiver) -> None:
    killed = threading.Event()

    def hold_from_the_eleventh(_: Receiver, request: BaseHTTPRequestHandler) -> None:
        if len(receiver.received) > 10:
            killed.wait(PATIENCE_SECONDS)
        answer(200)(receiver, request)

    receiver.script = hold_from_the_eleventh
    subscribe(principal, receiver.url)
    events, before = {happen(principal).id for _ in range(60)}, open_connections()
    with worker() as victim:
        receiver.wait_for(11)
        victim.kill()
        victim.wait()
        killed.set()
    wait_until(lambda: open_connections() == before, "a database that noticed; until then the turn is the victim's")
    assert Delivery.objects.filter(outcome="due").exists()
    Delivery.objects.filter(leased_until__isnull=False).update(leased_until=F("leased_until") - LEASE)
    drain()
    assert not Delivery.objects.exclude(outcome="delivered").exists()
    headers = [request.headers for request in receiver.received]
    assert {header["Svc-Event-Id"] for header in headers} == events
    assert set(Counter((header["Svc-Delivery-Id"], header["Svc-Attempt"]) for header in headers).values()) == {1}


def test_a_rush_makes_one_endpoint_per_key_and_no_more_than_sixteen(api: ApiClient, principal: Principal) -> None:
    body = {"url": "https://hooks.shop.example/", "events": ["*"]}
    answers = at_once([lambda: api.post("/webhook-endpoints", body, Idempotency_Key="rush").raw] * 8)
    assert len({ending.result for ending in answers}) == 1
    assert WebhookEndpoint.objects.count() == 1
    for _ in range(11):
        subscribe(principal, str(body["url"]))
    bodies = [body | {"url": f"https://hooks.shop.example/{number}"} for number in range(12)]
    statuses = at_once([partial(lambda one: api.post("/webhook-endpoints", one).status, one) for one in bodies])
    assert Counter(ending.result for ending in statuses) == {201: 4, 409: 8}
    assert WebhookEndpoint.objects.count() == 16


def test_a_rush_at_one_url_makes_one_endpoint_and_moves_none_to_it(api: ApiClient, principal: Principal) -> None:
    body = {"url": "https://hooks.shop.example/", "events": ["*"]}
    other = subscribe(principal, "https://other.shop.example/")
    moves = [lambda: api.send("PATCH", f"/webhook-endpoints/{other.id}", {"url": body["url"]}).status] * 4
    answers = at_once([*[lambda: api.post("/webhook-endpoints", body).status] * 4, *moves])
    assert Counter(ending.result for ending in answers)[409] in {4, 7}  # the moved one may be named again
    assert WebhookEndpoint.objects.filter(url=body["url"]).count() == 1


def test_rotations_at_once_leave_one_current_and_one_previous_secret(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, "https://hooks.shop.example/")
    answers = at_once([lambda: api.post(f"/webhook-endpoints/{made.id}/rotate-secret").status] * 8)
    assert {ending.result for ending in answers} == {200}
    assert (SigningSecret.objects.count(), SigningSecret.objects.filter(expires_at=None).count()) == (2, 1)


def test_a_purge_passes_by_what_somebody_holds_and_goes_on(principal: Principal, receiver: Receiver) -> None:
    """An event whose delivery another transaction has locked, as one that sends it again does, and an event that is."""
    subscribe(principal, receiver.url)
    events = [happen(principal).id for _ in range(5)]
    drain()
    shift_due(principal.merchant_id, principal.mode, 30 * 86_400)
    with holding(Delivery.objects.filter(event_id=events[0])) as first, holding(Event.objects.filter(pk=events[1])):
        first.enter(lambda: purge_old_events(at_once=1))
    assert (first.waited, first.endings()[0].result) == (0, 3)
    assert set(Event.objects.values_list("pk", flat=True)) == set(events[:2])
    assert purge_old_events(at_once=1) == 2
