"""What Prometheus is given: what rows say now, and what all processes counted, each under one name."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connections
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from config.request_notes import AREAS, area_of, note_request
from config.whole_requests import Answer
from core import metrics
from core.clock import now
from core.heartbeats import note_alive
from core.metrics import DELIVERIES, LOG_RECORDS, MOST_SERIES, SETTLES, SIGNER_COINS, CountsRecords, Series, Totals
from core.models import InvariantCheck, MetricTotal
from core.modes import Mode
from core.money import ZERO_USD
from merchants.models import Merchant
from operations import exporter
from operations.exporter import STANDS_SECONDS, ServiceCollector
from operations.readiness import QUEUES
from payments.models import Credit

pytestmark = pytest.mark.django_db

PLACE = {"network": "localnet", "chain": "base", "kind": "token", "position": "0", "token_address": "0x1"}
PARTIES = {"sender": "0x2", "recipient": "0x3", "block_number": 1, "block_hash": "0x4", "block_time": now()}
PLAIN: dict[str, Any] = {**PLACE, **PARTIES, "base_units": 1, "value_usd": ZERO_USD}
"""A credit's facts that are not looked at here."""
Scraped = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture
def totals(monkeypatch: pytest.MonkeyPatch) -> Totals:
    """Of a process that writes them down."""
    own = Totals()
    own.keep()
    monkeypatch.setattr(metrics, "totals", own)
    return own


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    moment = [1000.0]
    monkeypatch.setattr(exporter, "ticks", lambda: moment[0])
    return moment


@pytest.fixture
def kept_connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The test's own connection is not closed; how often it would have been."""
    closed: list[str] = []
    monkeypatch.setattr(connections, "close_all", lambda: closed.append("all"))
    return closed


def scraped(collector: ServiceCollector) -> Scraped:
    """Through the library's own writer and reader, as Prometheus would."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    text = generate_latest(registry).decode()
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {(one.name, tuple(sorted(one.labels.items()))): one.value for one in samples}


def answered(status: int) -> Answer:
    return Answer(status=status, headers=(), content=b"")


def one(found: Scraped, name: str, **labels: str) -> float | None:
    return found.get((f"causeway_{name}", tuple(sorted(labels.items()))))


def test_what_processes_count_is_added_up_whoever_counted_it(
    totals: Totals, clock: list[float], kept_connections: list[str]
) -> None:
    note_request({"PATH_INFO": "/api/public/v1/payment-intents"}, answered(201), 0.012)
    note_request({"PATH_INFO": "/api/public/v1/payment-intents"}, answered(201), 0.3)
    note_request({"PATH_INFO": "/checkout/pi_1"}, answered(503), 60.0)
    DELIVERIES.add("delivered")
    totals.flush()
    other = Totals()
    other.keep()
    other.add((Series("causeway_deliveries_total", ("delivered",)), 4))
    other.flush()
    found = scraped(ServiceCollector())
    api = {"area": "api", "status": "2xx"}
    assert one(found, "request_seconds_count", **api) == 2
    assert one(found, "request_seconds_sum", **api) == pytest.approx(0.312)
    buckets = {
        le: one(found, "request_seconds_bucket", le=le, **api) for le in ("0.01", "0.025", "0.25", "0.5", "+Inf")
    }
    assert buckets == {"0.01": 0, "0.025": 1, "0.25": 1, "0.5": 2, "+Inf": 2}
    assert one(found, "request_seconds_bucket", le="+Inf", area="checkout", status="5xx") == 1
    assert one(found, "deliveries_total", outcome="delivered") == 5
    assert kept_connections == ["all"]


def test_what_could_not_be_written_is_counted_later(totals: Totals, monkeypatch: pytest.MonkeyPatch) -> None:
    DELIVERIES.add("refused")
    with monkeypatch.context() as away:
        away.setattr(totals, "_store", lambda _batch: (_ for _ in ()).throw(OperationalError("away")))
        totals.flush()
    assert MetricTotal.objects.count() == 0
    DELIVERIES.add("refused")
    totals.flush()
    assert MetricTotal.objects.get(name=DELIVERIES.name).total == 2


def test_a_program_that_writes_nothing_down_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Totals()
    monkeypatch.setattr(metrics, "totals", own)
    DELIVERIES.add("delivered")
    assert not own.waits
    own.flush()
    assert MetricTotal.objects.count() == 0


def test_no_number_of_labels_fills_the_memory(totals: Totals) -> None:
    for number in range(MOST_SERIES + 10):
        DELIVERIES.add(f"outcome{number}")
    DELIVERIES.add("outcome0")
    totals.flush()
    assert MetricTotal.objects.count() == MOST_SERIES
    assert MetricTotal.objects.get(labels="outcome0").total == 2


def test_a_path_is_counted_under_its_part_of_the_service_and_never_by_itself() -> None:
    paths = {
        "/api/public/v1/payment-intents/pi_1": "api",
        "/api/public/v1/checkout/pi_1/state": "checkout",
        "/api/public/health": "health",
        "/checkout/pi_1": "checkout",
        "/embed/pi_1": "checkout",
        "/mcp": "agents",
        "/dashboard/live/": "dashboard",
        "/admin/": "operators",
        "/static/a.js": "static",
        "/": "other",
        "/../x|y": "other",
    }
    assert {path: area_of(path) for path in paths} == paths
    assert set(paths.values()) == AREAS


def test_warnings_are_counted_also_those_that_the_log_leaves_out(totals: Totals) -> None:
    filter_ = CountsRecords()
    for name, level in (("causeway.payments", "ERROR"), ("causeway.payments", "INFO"), ("celery.app.trace", "WARNING")):
        record = logging.makeLogRecord({"name": name, "levelno": getattr(logging, level), "levelname": level})
        assert filter_.filter(record)
    totals.flush()
    assert set(MetricTotal.objects.filter(name=LOG_RECORDS.name).values_list("labels", "total")) == {
        ("causeway.payments|error", 1),
        ("celery|warning", 1),
    }


def test_what_rows_say_is_read_at_each_scrape(clock: list[float], kept_connections: list[str]) -> None:
    note_alive("beat")
    moment = now()
    InvariantCheck.objects.create(
        asked_at=moment, started_at=moment, finished_at=moment - timedelta(minutes=90), violations=["a", "b"]
    )
    collector = ServiceCollector()
    found = scraped(collector)
    assert (one(found, "check_ok", check="database"), one(found, "check_ok", check="beat")) == (1, 1)
    assert (one(found, "check_ok", check="worker"), one(found, "check_ok", check="invariants")) == (0, 0)
    assert one(found, "invariants_broken") == 2
    age = one(found, "invariants_age_seconds")
    assert age is not None
    assert 5400 <= age < 5460
    assert one(found, "queue_oldest_due_seconds", queue="intents") == 0


def test_scrapes_one_after_the_other_are_one_reading(
    totals: Totals, clock: list[float], kept_connections: list[str]
) -> None:
    collector = ServiceCollector()
    assert one(scraped(collector), "deliveries_total", outcome="delivered") is None
    DELIVERIES.add("delivered")
    totals.flush()
    clock[0] += STANDS_SECONDS - 0.1
    assert one(scraped(collector), "deliveries_total", outcome="delivered") is None
    clock[0] += 0.1
    assert one(scraped(collector), "deliveries_total", outcome="delivered") == 1
    assert kept_connections == ["all", "all"]


def test_a_reading_that_fails_leaves_the_others(
    clock: list[float], kept_connections: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("away")

    monkeypatch.setitem(QUEUES, "intents", away)
    InvariantCheck.objects.create(asked_at=now(), started_at=now(), finished_at=now())
    found = scraped(ServiceCollector())
    assert one(found, "check_ok", check="queue.intents") == 0
    assert one(found, "queue_oldest_due_seconds", queue="refunds") is None
    assert one(found, "invariants_broken") == 0


def test_slow_things_have_buckets_of_their_own(totals: Totals, clock: list[float], kept_connections: list[str]) -> None:
    SETTLES.observe("live", "base", seconds=45.0)
    totals.flush()
    found = scraped(ServiceCollector())
    labels = {"mode": "live", "chain": "base"}
    buckets = {le: one(found, "settle_seconds_bucket", le=le, **labels) for le in ("0.5", "30.0", "60.0", "+Inf")}
    assert buckets == {"0.5": None, "30.0": 0, "60.0": 1, "+Inf": 1}
    assert one(found, "settle_seconds_sum", **labels) == 45


def test_live_money_that_is_not_settled_beyond_doubt_is_counted(
    merchant: Merchant, clock: list[float], kept_connections: list[str]
) -> None:
    kinds: tuple[tuple[Mode, dict[str, Any]], ...] = (
        (Mode.LIVE, {"final_at": now()}),
        (Mode.LIVE, {"final_at": now(), "finalized_at": now()}),
        (Mode.LIVE, {"final_at": now(), "reversed_at": now()}),
        (Mode.LIVE, {"purpose": "unattributed"}),
        (Mode.TEST, {"final_at": now()}),
    )
    for number, (mode, more) in enumerate(kinds):
        Credit.objects.create(merchant=merchant, mode=mode, tx_hash=f"0x{number}", **PLAIN, **more)
    found = scraped(ServiceCollector())
    counts = {what: one(found, "money_unreconciled", what=what) for what in ("not_final", "unattributed", "in_doubt")}
    assert counts == {"not_final": 1, "unattributed": 1, "in_doubt": 0}


def test_of_what_is_read_the_newest_holds_whoever_read_it(
    totals: Totals, clock: list[float], kept_connections: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    SIGNER_COINS.set("base", "7", millionths=2_500_000)
    totals.flush()
    SIGNER_COINS.set("base", "7", millionths=1_250_000)
    with monkeypatch.context() as away:
        away.setattr(totals, "_store", lambda _batch: (_ for _ in ()).throw(OperationalError("away")))
        totals.flush()
    SIGNER_COINS.set("base", "8", millionths=1)
    totals.flush()
    found = scraped(ServiceCollector())
    assert one(found, "signer_coins", chain="base", account="7") == 1.25
    assert one(found, "signer_coins", chain="base", account="8") == 1e-6
