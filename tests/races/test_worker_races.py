"""Several workers on the same rows: each due row is taken once, each chain event counts once, no clock stops them."""

import threading
from collections import Counter
from contextvars import copy_context
from dataclasses import replace
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest
from pytest_django import Settings

from chains.clients.registry import client_for
from core.clock import now
from core.request_id import begin_task, current_request_id
from core.sweeps import Claim, Sweep
from payments.models import Credit, PaymentIntent
from payments.services.advance import SWEEP, advance_intent, sweep_due
from payments.services.follow import record_sightings
from payments.services.standing import standings, watched
from payments.services.watch import Sighting, look_at_legs
from tests.factories.queue import queue
from tests.machine import PATIENCE_SECONDS, wait_until
from tests.races.lineup import abreast, at_once, open_connections, queued
from tests.races.shop import Shop

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WORKERS = 4


@pytest.mark.spec("Rulings B3.1")
def test_no_intent_is_claimed_twice(shop: Shop, rounds: range) -> None:
    intents = [shop.create() for _ in range(60)]
    for _ in rounds:
        queue(now() - timedelta(seconds=1))
        endings = abreast(SWEEP.claim, WORKERS, table="payments_queuedintent", reads=1)
        assert sorted(claim.key for ending in endings for claim in ending.result) == sorted(intents)


def test_workers_that_sweep_together_settle_each_intent_once(shop: Shop) -> None:
    intents = [shop.create() for _ in range(6)]
    for intent_id in intents:
        shop.pay(intent_id)
    for _ in range(20):
        queue(queued__isnull=False)
        at_once([sweep_due] * WORKERS)
        shop.advance(1)
        if not PaymentIntent.objects.exclude(status="settled").exists():
            break
    assert Counter(PaymentIntent.objects.values_list("status", flat=True)) == {"settled": len(intents)}
    shop.check()


def test_the_hands_of_one_worker_settle_each_intent_once(shop: Shop, settings: Settings) -> None:
    settings.SWEEP_THREADS = WORKERS
    intents = [shop.create() for _ in range(6)]
    for intent_id in intents:
        shop.pay(intent_id)
    for _ in range(20):
        queue(queued__isnull=False)
        sweep_due()
        shop.advance(1)
        if not PaymentIntent.objects.exclude(status="settled").exists():
            break
    assert Counter(PaymentIntent.objects.values_list("status", flat=True)) == {"settled": len(intents)}
    shop.check()


def test_the_hands_of_one_worker_work_at_once_and_leave_no_connection_open(
    shop: Shop, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SWEEP_THREADS = WORKERS
    intents = [shop.create() for _ in range(WORKERS)]
    queue()
    together, advanced, before = threading.Barrier(WORKERS), [], open_connections()

    def advance(_: Sweep[UUID], claim: Claim[UUID]) -> None:
        PaymentIntent.objects.get(pk=claim.key)
        together.wait(PATIENCE_SECONDS)  # which only ends when as many came
        advanced.append((claim.key, current_request_id()))

    monkeypatch.setattr("core.sweeps.Sweep._advance_safely", advance)
    task = copy_context()  # of its own: the name would stay on whatever this process tests next
    task.run(begin_task, "0c")
    assert task.run(sweep_due) == WORKERS
    assert sorted(advanced) == sorted((intent_id, "task_0c") for intent_id in intents)
    wait_until(lambda: open_connections() == before, "connections that are closed")


def test_workers_that_ignore_the_lease_advance_an_intent_once(shop: Shop, rounds: range) -> None:
    """A lease may run out under a slow worker: then two really work on one intent, step by step."""
    for _ in rounds:
        intent_id = shop.create()
        shop.pay(intent_id)
        for _ in range(20):
            endings = queued(shop.row(intent_id), [partial(advance_intent, intent_id)] * 2)
            assert [ending.refusal for ending in endings] == [None, None]
            shop.advance(2)
            if shop.status(intent_id) == "settled":
                break
        assert shop.status(intent_id) == "settled"
    shop.check()


@pytest.mark.spec("Rulings A2.2")
def test_one_chain_event_pays_one_of_two_intents(shop: Shop, rounds: range) -> None:
    for number in rounds:
        first, second = shop.sent(), shop.sent()
        shared = _views_of_one_event(first, second)
        acts = [partial(record_sightings, key, shared[key]) for key in (first, second)]
        endings = at_once(acts if number % 2 else acts[::-1])
        assert [ending.refusal for ending in endings] == [None, None]
        [credit] = Credit.objects.filter(tx_hash=_hash_of(shared[first]))
        received = dict(PaymentIntent.objects.filter(pk__in=[first, second]).values_list("pk", "received_usd"))
        assert sum(received.values()) == 25
        assert credit.intent_id in received
    shop.finish()
    shop.check()


def _views_of_one_event(first: UUID, second: UUID) -> dict[UUID, dict[UUID, Sighting]]:
    """What two workers would see if a chain showed both of them the transfer that was meant for the first."""
    intents = {key: PaymentIntent.objects.get(pk=key) for key in (first, second)}
    client = client_for("test")
    seen = {key: look_at_legs(row, watched(standings(row), {}), client, {}) for key, row in intents.items()}
    [shown] = (sighting.view.transfers for sighting in seen[first].values())
    assert len(shown) == 1
    seen[second] = {
        leg: replace(sighting, view=replace(sighting.view, transfers=shown)) for leg, sighting in seen[second].items()
    }
    return seen


def _hash_of(sightings: dict[UUID, Sighting]) -> str:
    [sighting] = sightings.values()
    return sighting.view.transfers[0].tx_hash


def test_the_test_clock_moves_while_workers_work(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        intents = [shop.create() for _ in range(3)]
        for intent_id in intents:
            shop.pay(intent_id)
        endings = at_once([sweep_due, sweep_due, partial(shop.advance, 1), partial(shop.advance, 1)])
        assert [ending.result.status for ending in endings[2:]] == [200, 200]
    shop.finish()
    assert set(PaymentIntent.objects.values_list("status", flat=True)) == {"settled"}
    shop.check()
