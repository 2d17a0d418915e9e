"""What happens to payouts at the same moment: refunds, replays, and two workers.

Calls for one intent and under one key come by the agents' door: test_agent_races.py.
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from chains.models import SimulatedTransaction, Transfer
from core.clock import now
from core.locks import entering
from core.sweeps import Claim
from payments.services.transition import apply_trigger, locked_intent
from payouts.models import Payout
from payouts.services import CreatedPayout, create_payout, replay_payout, sweep_due
from payouts.services.advance import LEASE, SWEEP, advance_payout
from tests.races.lineup import Lineup, at_once, holding, in_turn, queued
from tests.races.shop import Shop
from webhooks.models import Event

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WORKERS = 4


def settled(shop: Shop, **body: object) -> UUID:
    return several_settled(shop, 1, **body)[0]


def several_settled(shop: Shop, count: int, **body: object) -> list[UUID]:
    intents = [shop.create(**body) for _ in range(count)]
    assert {shop.pay(intent_id).status for intent_id in intents} == {200}
    shop.finish()
    assert {shop.status(intent_id) for intent_id in intents} == {"settled"}
    return intents


def ask(shop: Shop, intent_id: UUID, key: str) -> CreatedPayout:
    return create_payout(shop.principal, intent_id, key)


def finish(shop: Shop) -> None:
    for _ in range(20):
        at_once([sweep_due] * WORKERS)
        if not Payout.objects.exclude(status__in=["paid", "failed"]).exists():
            return
        shop.advance(120)
    raise AssertionError(f"payouts are {list(Payout.objects.values_list('status', flat=True))}")


def claimed(payout: Payout) -> Claim[UUID]:
    Payout.objects.filter(pk=payout.pk).update(next_attempt_at=now() - timedelta(seconds=1))
    [claim] = [claim for claim in SWEEP.claim() if claim.key == payout.pk]
    return claim


def check_paid_once(payout_id: UUID, *tellings: list[str]) -> list[str]:
    """One payment, and one of these tellings of it, each event once; which."""
    payout = Payout.objects.get(pk=payout_id)
    assert payout.status == "paid"
    assert Transfer.objects.filter(purpose_id=payout_id, status="paid").count() == 1
    assert SimulatedTransaction.objects.filter(tag=f"payout:{payout_id}").count() == 1
    events = Event.objects.filter(resource_id=payout_id).order_by("sequence")
    told = [event.type.removeprefix("payout.") for event in events]
    assert told in tellings
    assert [event.sequence for event in events] == list(range(1, len(told) + 1))
    return told


PAID = ["created", "processing", "paid"]
RETRIED = ["created", "processing", "retry_scheduled", "processing", "paid"]


def test_who_waits_for_a_call_that_is_rolled_back_does_the_work_itself(shop: Shop) -> None:
    """As if the first caller's process had died: nothing was joined, so nothing is said to be."""
    intent_id = settled(shop)
    with holding(shop.row(intent_id)) as lineup, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [f"payout:{intent_id}"])
        assert cursor.fetchone() == (True,)
        for number in range(2):
            lineup.enter(partial(ask, shop, intent_id, f"k{number}"))
        assert lineup.waited == 2
        transaction.set_rollback(True)
    assert sorted(ending.result.coalesced for ending in lineup.endings()) == [False, True]
    assert Payout.objects.count() == 1


def test_create_against_a_refund_of_the_whole(shop: Shop, rounds: range) -> None:
    """The intent's lock decides: what is refunded is not paid out as well."""

    def refund(intent_id: UUID) -> None:
        with transaction.atomic():
            apply_trigger(locked_intent(intent_id), "refund", actor="test")

    for number in rounds:
        intent_id = settled(shop)
        acts = in_turn(number, partial(refund, intent_id), partial(ask, shop, intent_id, uuid4().hex))
        endings = queued(shop.row(intent_id), acts)
        refused = [ending.refusal.code for ending in endings if ending.refusal]
        assert refused == ([] if number % 2 else ["intent_not_settled"])
        assert Payout.objects.filter(intent_id=intent_id).count() == number % 2


def test_replays_at_once_open_one_round(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        payout = ask(shop, settled(shop, metadata={"simulate": "payout_fail"}), uuid4().hex).payout
        advance_payout(claimed(payout))
        replay = partial(replay_payout, shop.principal, payout.pk)
        endings = queued(Payout.objects.filter(pk=payout.pk), [replay] * 4)
        refused = [ending.refusal.code for ending in endings if ending.refusal]
        assert refused == ["payout_not_replayable"] * 3
        finish(shop)
        check_paid_once(payout.pk, ["created", "processing", "failed", "processing", "paid"])
        assert Transfer.objects.filter(purpose_id=payout.pk).count() == 2


def test_a_replay_against_the_dispatcher(shop: Shop, rounds: range) -> None:
    """The worker that is about to fail it, and a merchant who replays it: in either order one transfer is paid."""
    for number in rounds:
        payout = ask(shop, settled(shop, metadata={"simulate": "payout_fail"}), uuid4().hex).payout
        worker, replay = partial(advance_payout, claimed(payout)), partial(replay_payout, shop.principal, payout.pk)
        endings = queued(Payout.objects.filter(pk=payout.pk), in_turn(number, replay, worker))
        codes = [ending.refusal.code for ending in endings if ending.refusal]
        assert codes in ([], ["payout_not_replayable"])
        if codes:
            replay()
        finish(shop)
        check_paid_once(payout.pk, ["created", "processing", "failed", "processing", "paid"])


@pytest.mark.spec("Contract 4.4")
@pytest.mark.parametrize("scenario", ["settle", "payout_retry"])
def test_two_workers_on_one_payout_pay_it_once(shop: Shop, rounds: range, scenario: str) -> None:
    """A lease may run out under a slow worker: then two really work on one payout, step by step.

    Why two tellings of a retry: what the first met is dropped where the second, who meets it no more, is faster.
    """
    tellings = [PAID] if scenario == "settle" else [PAID, RETRIED]
    for _ in rounds:
        payout = ask(shop, settled(shop, metadata={"simulate": scenario}), uuid4().hex).payout
        for _ in range(20):
            claim = claimed(payout)
            queued(Payout.objects.filter(pk=payout.pk), [partial(advance_payout, claim)] * 2)
            if Payout.objects.get(pk=payout.pk).status == "paid":
                break
            shop.advance(30)
        told = check_paid_once(payout.pk, *tellings)
        assert Payout.objects.get(pk=payout.pk).attempts == told.count("processing")
    shop.check()


def test_a_worker_whose_lease_ran_out_writes_nothing(shop: Shop) -> None:
    payout = ask(shop, settled(shop), "k").payout
    old = claimed(payout)
    advance_payout(claimed(payout))
    before = list(Payout.objects.values())
    advance_payout(old)
    advance_payout(Claim(payout.pk, now() + LEASE))
    assert list(Payout.objects.values()) == before


def test_workers_that_sweep_together_claim_and_pay_each_payout_once(shop: Shop) -> None:
    payouts = [ask(shop, intent_id, str(intent_id)).payout.pk for intent_id in several_settled(shop, 6)]
    for _ in range(8):
        Payout.objects.update(next_attempt_at=now() - timedelta(seconds=1))
        endings = at_once([SWEEP.claim] * WORKERS)
        assert sorted(claim.key for ending in endings for claim in ending.result) == sorted(payouts)
    Payout.objects.update(next_attempt_at=now() - timedelta(seconds=1))
    finish(shop)
    for payout_id in payouts:
        check_paid_once(payout_id, PAID)
    shop.check()


@pytest.mark.spec("Rulings A6.4")
def test_a_name_is_free_once_its_transaction_has_ended(shop: Shop) -> None:
    with entering("payout:x") as was_busy:
        assert not was_busy
    assert at_once([partial(_enter, "payout:x")])[0].result is False
    with ThreadPoolExecutor(1) as pool:
        lineup = Lineup(pool)
        with entering("payout:y") as was_busy:
            lineup.enter(partial(_enter, "payout:y"))
            assert (was_busy, lineup.waited) == (False, 1)
        assert [ending.result for ending in lineup.endings()] == [True]


def _enter(name: str) -> bool:
    with entering(name) as was_busy:
        return was_busy
