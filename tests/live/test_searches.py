"""A leg is searched for by itself at its end and a day later; what readers passed over is an alarm, and counts."""

import logging
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import Min

from chains.models import ChainReader
from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from merchants.services import NewMerchant
from payments.models import Leg, MarkedTransaction, PaymentIntent
from payments.services.searches import BATCH, LEFT_OUT_AFTER, SWEEP, sweep_searches
from tests.live.evm_till import Till
from tests.live.proxy import proxied
from tests.live.solana_till import SolanaTill
from tests.live.till import LiveTill, read_chains

Nodes = Callable[..., None]


def search(leg: Leg) -> Leg:
    """The leg's time has come; how it stands after one search."""
    Leg.objects.filter(pk=leg.pk).update(search_at=now())
    assert sweep_searches(seconds=0) == 1
    return Leg.objects.get(pk=leg.pk)


def end_of(leg: Leg) -> PaymentIntent:
    return PaymentIntent.objects.get(pk=leg.intent_id)


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What is said once each, in its order, of readers and searches."""
    return list(dict.fromkeys(line for line in caplog.messages if line.startswith(("reader_", "searches_"))))


def alarm(leg: Leg, tx_hash: str) -> str:
    return f"reader_missed: {tx_hash} pays leg {leg.pk} of {leg.intent_id}, and no reader found it"


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers that come as far as any, and see nothing."""
    for module in ("reading", "account_books"):
        monkeypatch.setattr(f"payments.services.{module}.note_found", lambda *_: None)


def pay_unseen(till: LiveTill) -> tuple[Leg, str]:
    """A payment that nobody reports, in blocks that were read; the leg, and its transaction."""
    attempt = till.issue("25")
    read_chains()
    tx_hash = till.pay(attempt)
    till.pass_for_good()
    assert till.sweep(2)["status"] == "awaiting_signature"
    assert not MarkedTransaction.objects.exists()
    return till.leg(), tx_hash


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("coin", [False, True], ids=["token", "coin"])
def test_what_readers_passed_over_is_an_alarm_and_counts(
    till: Till, caplog: pytest.LogCaptureFixture, coin: bool
) -> None:
    if coin:
        till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    leg, tx_hash = pay_unseen(till)
    assert leg.search_at == end_of(leg).expires_at + timedelta(minutes=2)
    with caplog.at_level(logging.ERROR):
        for _ in range(4):
            search(leg)
    assert said(caplog) == [alarm(leg, tx_hash)]
    assert (till.leg().search_at is None) is coin, "a day of whole blocks is not searched for each leg"
    assert till.sweep()["status"] == "settled"
    assert till.told() == ["created", "quoted", "executing", "settled"]


@pytest.mark.usefixtures("blind")
def test_what_readers_on_solana_passed_over_is_an_alarm_and_counts(
    solana_till: SolanaTill, caplog: pytest.LogCaptureFixture
) -> None:
    leg, tx_hash = pay_unseen(solana_till)
    with caplog.at_level(logging.ERROR):
        search(leg)
    assert said(caplog) == [alarm(leg, tx_hash)]
    assert solana_till.sweep()["status"] == "settled"


def test_where_reader_and_search_agree_nothing_is_said_and_a_day_later_it_ends(
    till: Till, caplog: pytest.LogCaptureFixture
) -> None:
    till.pay(till.issue("25"))
    assert till.end()["status"] == "settled"
    leg = till.leg()
    before = dict(Leg.objects.filter(pk=leg.pk).values().get())
    with caplog.at_level(logging.WARNING):
        found = search(leg)
    assert found.search_at == end_of(leg).expires_at + timedelta(days=1, minutes=2)
    after = dict(Leg.objects.filter(pk=leg.pk).values().get())
    assert {name for name, value in after.items() if value != before.get(name)} == {"scanned_block", "search_at"}
    PaymentIntent.objects.update(expires_at=now() - timedelta(days=1, minutes=3))
    assert search(leg).search_at is None
    assert said(caplog) == []
    assert sweep_searches() == 0


def test_a_long_way_is_searched_in_steps(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chains.clients.evm_scan.RANGE_BLOCKS", 5)
    monkeypatch.setattr("payments.services.searches.NEAR", 15)
    till.issue("25")
    till.pass_for_good()
    read_chains()
    leg = till.leg()
    start = leg.start_block
    assert start is not None
    found = [search(leg) for _ in range(3)]
    assert [one.scanned_block for one in found] == [start + 19, start + 39, start + 59]
    assert [one.search_at is not None and one.search_at <= now() for one in found] == [True, True, False]


@pytest.mark.usefixtures("blind")
def test_what_a_node_could_not_tell_is_not_passed_over(
    till: Till, nodes: Nodes, caplog: pytest.LogCaptureFixture
) -> None:
    leg, tx_hash = pay_unseen(till)
    with proxied(till.node.url) as proxy, caplog.at_level(logging.ERROR):
        nodes("base", proxy.url)
        proxy.refuses = {"eth_getTransactionReceipt": "timeout in tracing"}
        unheard = search(leg)
        assert (unheard.scanned_block, said(caplog)) == (None, [])
        proxy.refuses = {}
        search(leg)
    assert said(caplog) == [alarm(leg, tx_hash)]


def test_legs_in_flight_are_searched_for_after_the_migration(till: Till) -> None:
    till.issue("25")
    open_leg, expected = till.leg(), end_of(till.leg()).expires_at + timedelta(minutes=2)
    till.issue("25")
    over = till.leg()
    PaymentIntent.objects.filter(pk=over.intent_id).update(expires_at=now())
    Leg.objects.update(search_at=None)
    import_module("payments.migrations.0011_searches").plan(apps, SimpleNamespace(connection=connection))
    assert dict(Leg.objects.values_list("pk", "search_at")) == {open_leg.pk: expected, over.pk: None}


def test_what_no_node_can_speak_of_now_is_searched_for_later(till: Till, nodes: Nodes) -> None:
    till.issue("25")
    nodes("base", "http://127.0.0.1:9/")
    found = search(till.leg())
    assert found.search_at is not None
    assert now() < found.search_at <= now() + SWEEP.lease
    assert found.scanned_block is None


def test_one_merchants_many_legs_cost_another_no_search(till: Till, other_account: NewMerchant) -> None:
    till.issue("25")
    leg = till.leg()
    first, other = leg.pk, uuid4()
    for number in range(2, BATCH + 10):
        leg.pk, leg.sequence, leg.search_at = uuid4(), number, now() - timedelta(minutes=1)
        leg.save(force_insert=True)
    leg.pk, leg.sequence, leg.merchant_id = other, BATCH + 10, other_account.merchant.pk
    leg.search_at = now()
    leg.save(force_insert=True)
    Leg.objects.filter(pk=first).update(search_at=None)
    claimed = [claim.key for claim in SWEEP.claim()]
    assert other in claimed
    assert len(claimed) == BATCH


def test_what_readers_have_yet_to_read_is_left_to_them(till: Till, caplog: pytest.LogCaptureFixture) -> None:
    """Else nobody would look for what a search passed before its reader, where the reader leaves the address."""
    attempt = till.issue("25")
    read_chains()
    read_to = ChainReader.objects.filter(chain="base").aggregate(least=Min("read_to"))["least"]
    till.pay(attempt)
    till.pass_for_good()
    with caplog.at_level(logging.WARNING):
        found = search(till.leg())
    assert (found.scanned_block, said(caplog)) == (read_to, [])
    assert till.finish()["status"] == "settled"


def test_what_there_was_no_time_for_is_left_out_and_told(till: Till, caplog: pytest.LogCaptureFixture) -> None:
    till.issue("25")
    late = till.leg()
    Leg.objects.update(search_at=now() - LEFT_OUT_AFTER - timedelta(seconds=1))
    till.issue("25")
    failing = till.leg()
    PaymentIntent.objects.filter(pk=failing.intent_id).update(expires_at=now() - timedelta(days=1, hours=4, seconds=1))
    with caplog.at_level(logging.WARNING):
        assert sweep_searches() == 0
    assert said(caplog) == ["searches_left_out: no time to search for 2 legs by themselves"]
    assert set(Leg.objects.filter(pk__in=[late.pk, failing.pk]).values_list("search_at", flat=True)) == {None}
