"""The service's figures in the form that Prometheus scrapes: what rows say now, and what all processes counted.

Asks the database and the broker, nobody else. Source: docs/operators.md, What is measured.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import accumulate
from threading import Lock
from wsgiref.simple_server import WSGIServer

from django.db import Error, connections, transaction
from django.db.models import Count
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from chains.gas_accounts import coins_of, gas_accounts
from chains.models import ChainReader, SigningAccount, Transfer
from chains.reader.lag import blocks_behind
from chains.states import TRANSFER_MACHINE
from core import metrics
from core.clock import Ticks, now, ticks
from core.metrics import MILLIONTHS, Counter, Histogram, Reading
from core.models import InvariantCheck, MetricTotal
from core.modes import Mode
from core.pauses import quiet_since, standing
from operations.acting import pausable
from operations.readiness import QUEUES, checks_of_readiness
from payments.models import Credit, QueuedIntent
from payments.services.shares import merchants_over_share

STANDS_SECONDS = 5.0
"""How long figures are given out again. Why: whoever reaches the port may ask as often as he likes."""

Labels = tuple[str, ...]
Totals = dict[Labels, int]


class ServiceCollector(Collector):
    """All metrics of this deployment, read anew when they are older than a moment."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: list[Metric] = []
        self._read_at: Ticks = -STANDS_SECONDS

    def collect(self) -> Iterable[Metric]:
        """What a scrape finds. Locks: one reading at a time."""
        with self._lock:
            if ticks() - self._read_at >= STANDS_SECONDS:
                try:
                    self._read, self._read_at = list(_figures()), ticks()
                finally:
                    connections.close_all()  # the server has a thread for each scrape
            return self._read


def serve(port: int, address: str) -> WSGIServer:
    """Answer scrapes on a port of its own, in threads, until it is shut down. Raises: OSError when it is taken."""
    registry = CollectorRegistry(auto_describe=False)  # else it would read everything to learn the names
    registry.register(ServiceCollector())
    server, _ = start_http_server(port, address, registry)
    return server


def _figures() -> Iterator[Metric]:
    """Why a reading that fails leaves the others: what is missing is what an alert is to see."""
    yield from _checks()
    for read in (_pauses, _restored, _queues, _chains, _money, _gas, _unreconciled, _invariants, _counted):
        with suppress(Error), transaction.atomic():
            yield from list(read())


def _gauge(
    name: str, help_text: str, labels: tuple[str, ...], values: Iterable[tuple[tuple[str, ...], float]]
) -> Metric:
    found = GaugeMetricFamily(f"causeway_{name}", help_text, labels=labels)
    for label_values, value in values:
        found.add_metric(label_values, value)
    return found


def _checks() -> Iterator[Metric]:
    """What readiness says, check by check."""
    checks = checks_of_readiness()
    works = (((name,), float(check["status"] == "ok")) for name, check in checks.items())
    yield _gauge("check_ok", "Whether a check of readiness is ok.", ("check",), works)
    ages = (((name,), check["age_seconds"]) for name, check in checks.items() if check.get("age_seconds") is not None)
    yield _gauge("check_age_seconds", "How old what a check of readiness goes by is.", ("check",), ages)


def _pauses() -> Iterator[Metric]:
    stand = standing()
    since = (((kind,), _age(stand[kind].since) if kind in stand else 0.0) for kind in pausable())
    yield _gauge("paused_seconds", "How long an operator has had it paused; 0 where it goes on.", ("kind",), since)


def _restored() -> Iterator[Metric]:
    quiet = float(bool(quiet_since()))
    yield _gauge("restored_quiet", "Whether the database was put back and nobody let it go yet.", (), [((), quiet)])


def _queues() -> Iterator[Metric]:
    moments = [(name, oldest_due()) for name, oldest_due in sorted(QUEUES.items())]
    late = (((name,), _age(moment)) for name, moment in moments)
    yield _gauge(
        "queue_oldest_due_seconds", "How long the oldest row of a queue has been due; 0 for none.", ("queue",), late
    )


def _age(moment: datetime | None) -> float:
    return 0.0 if moment is None else max(0.0, (now() - moment).total_seconds())


def _chains() -> Iterator[Metric]:
    readers = [(one, blocks_behind(one)) for one in ChainReader.objects.order_by("chain", "lane", "pk")]
    behind = {(one.chain, one.lane): float(blocks) for one, blocks in readers if blocks is not None}
    yield _gauge("reader_blocks_behind", "Blocks that a reader had not read.", ("chain", "lane"), behind.items())
    read = {(one.chain, one.lane): _age(one.read_at) for one, _ in readers if one.read_at is not None}
    yield _gauge("reader_age_seconds", "How long ago a reader read its chain.", ("chain", "lane"), read.items())
    over = {(place,): float(merchants_over_share(place)) for place in sorted({one.chain for one, _ in readers})}
    yield _gauge("merchants_over_share", "Merchants that await more than a block is asked.", ("chain",), over.items())


def _money() -> Iterator[Metric]:
    waits = Transfer.objects.exclude(blocker="").exclude(status__in=TRANSFER_MACHINE.terminal)
    blocked = waits.values_list("chain", "blocker").annotate(count=Count("pk"))
    waiting = (((chain, blocker), float(count)) for chain, blocker, count in sorted(blocked))
    yield _gauge("transfers_blocked", "Transfers of money that wait, by why.", ("chain", "blocker"), waiting)
    paused = SigningAccount.objects.filter(paused_at__isnull=False, retired_at=None)
    reasons = paused.values_list("chain", "paused_reason").annotate(count=Count("pk"))
    stopped = (((chain, reason), float(count)) for chain, reason, count in sorted(reasons))
    yield _gauge("signing_accounts_paused", "Signing accounts that are paused, by why.", ("chain", "reason"), stopped)


def _gas() -> Iterator[Metric]:
    """What pays for gas on each chain, as it was read last."""
    accounts = gas_accounts()
    coins = (((one.chain,), float(coins_of(one))) for one in accounts if one.coin_balance is not None)
    yield _gauge("gas_account_coins", "What a gas account holds of its chain's own coin.", ("chain",), coins)
    left = (((one.chain,), float(one.calls_left)) for one in accounts if one.calls_left is not None)
    yield _gauge("gas_account_calls_left", "Calls that a gas account could still pay.", ("chain",), left)
    ages = (((one.chain,), _age(one.read_at or one.created_at)) for one in accounts)
    yield _gauge("gas_account_age_seconds", "How long ago a gas account was read.", ("chain",), ages)


def _unreconciled() -> Iterator[Metric]:
    """Live money that the books and a chain do not say the last word on together. Each is a small index's rows."""
    live = Credit.objects.filter(mode=Mode.LIVE)
    counts = {
        "not_final": live.filter(final_at__isnull=False, finalized_at=None, reversed_at=None).count(),
        "unattributed": live.filter(purpose="unattributed").count(),
        "in_doubt": QueuedIntent.objects.filter(intent__in_doubt=True, intent__mode=Mode.LIVE).count(),
    }
    found = (((what,), float(count)) for what, count in sorted(counts.items()))
    yield _gauge(
        "money_unreconciled", "Live payments and arrivals that are not settled beyond doubt.", ("what",), found
    )


def _invariants() -> Iterator[Metric]:
    last = InvariantCheck.objects.exclude(finished_at=None).order_by("-pk").first()
    if last is None:
        return
    broken, age = float(len(last.violations)), _age(last.finished_at)
    yield _gauge("invariants_broken", "Statements that the newest check found broken.", (), [((), broken)])
    yield _gauge("invariants_age_seconds", "How long ago a check of the invariants ended.", (), [((), age)])


def _counted() -> Iterator[Metric]:
    """What processes counted, in the table's order of labels."""
    rows: dict[str, Totals] = defaultdict(dict)
    for name, labels, total in sorted(MetricTotal.objects.values_list("name", "labels", "total")):
        rows[name][tuple(labels.split("|"))] = total
    for metric in metrics.ALL:
        if isinstance(metric, Counter):
            yield _counter(metric, rows)
        elif isinstance(metric, Histogram):
            yield _histogram(metric, rows)
        else:
            yield _reading(metric, rows)


def _counter(metric: Counter, rows: dict[str, Totals]) -> Metric:
    found = CounterMetricFamily(metric.name, metric.help, labels=metric.labels)
    for labels, total in rows[metric.name].items():
        found.add_metric(labels, total)
    return found


def _reading(metric: Reading, rows: dict[str, Totals]) -> Metric:
    found = GaugeMetricFamily(metric.name, metric.help, labels=metric.labels)
    for labels, millionths in rows[metric.name].items():
        found.add_metric(labels, millionths / MILLIONTHS)
    return found


def _histogram(metric: Histogram, rows: dict[str, Totals]) -> Metric:
    """Buckets that hold all smaller ones, as Prometheus wants them."""
    found = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
    edges, counts = metric.edges, rows[metric.name]
    for labels, taken in rows[f"{metric.name}_sum"].items():
        each = accumulate(counts.get((*labels, edge), 0) for edge in edges)
        found.add_metric(labels, list(zip(edges, each, strict=True)), taken / MILLIONTHS)
    return found
