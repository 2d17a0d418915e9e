"""Takes one part away after the other, and measures for how long nobody was answered, and nothing settled."""

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from scripts.cluster import engines, hosts
from scripts.cluster.books import count_lost
from scripts.cluster.engines import Place
from scripts.cluster.journal import CREATED, LIVE_SENT, LIVE_SETTLED, PAID, REFUSED, TOLD, Reading
from scripts.cluster.programs import Supervisor
from scripts.cluster.service import HEALTH, Service, asked
from scripts.service_process import ServiceError

MOST_SECONDS = 30.0
"""Within that all is as before: answered, settled, told."""
PATIENCE_SECONDS = 180.0
"""After that it never will be."""
WITHOUT_ETCD_SECONDS = 40.0
"""Twice Patroni's ttl."""
CALM_SECONDS = 5.0
"""How long all must go well before the next part is taken away."""
SETTLED = "payment_intent.settled"


@dataclass(frozen=True, kw_only=True)
class Outage:
    """What one loss cost: the longest times without any acknowledged create, settlement told and live settlement.

    ``live``: the longest time from a block to a live settlement, of so many that settled meanwhile. ``lost``: creates
    that were acknowledged up to its end, and are gone.
    """

    name: str
    unanswered: float
    unsettled: float
    live_unsettled: float
    live_settled: int
    live: float
    requests: int
    refused: int
    statuses: dict[int, int] = field(default_factory=dict)
    lost: int = 0

    @property
    def longest(self) -> float:
        """How long it took until all was as before.

        Why without live payments: on a busy machine a payer's page alone takes half a minute, and there are few of
        them. Of these the books say whether each settled.
        """
        return max(self.unanswered, self.unsettled)

    @property
    def is_short(self) -> bool:
        """Whether that was soon enough."""
        return self.longest <= MOST_SECONDS


class Losses:
    """Each takes a part away while the callers go on, waits until all is well, and gives the part back."""

    def __init__(self, place: Place, supervisor: Supervisor, service: Service, journal: Reading) -> None:
        self._place, self._supervisor, self._service, self._journal = place, supervisor, service, journal
        self._lost = ""

    def each(self, chosen: Collection[str]) -> Iterable[Outage]:
        """One after the other: all, or those that are chosen."""
        programs = self._supervisor.programs
        kinds = {name.split("-")[1]: name for name in programs if name.startswith("worker-")}
        losses: dict[str, tuple[Callable[[], Any], ...]] = {
            "nothing, for comparison": (lambda: None,),
            "PostgreSQL that leads": (self._kill_postgres, self._await_standby),
            "the machine it leads on": (lambda: self._kill_database("primary"), self._return_database),
            "the synchronous standby, its machine": (lambda: self._kill_database("sync"), self._return_database),
            "the etcd that leads": (self._kill_etcd, self._return_etcds),
            f"two etcds of three, {WITHOUT_ETCD_SECONDS:.0f} s": (self._kill_most_etcds, self._return_etcds),
            "the HAProxy that has the address": (self._kill_front, self._return_front),
            "PgBouncer of a node": (programs["pgbouncer-node1"].kill,),
            "Redis that leads": (self._kill_redis, self._return_redis),
            "a web node": (self._kill_web, self._return_web),
            **{f"worker {kind}": (programs[name].kill,) for kind, name in kinds.items()},
            "beat": (programs["beat-node1"].kill,),
        }
        for name, acts in losses.items():
            if not chosen or any(part in name for part in chosen):
                yield self.measured(name, *acts)

    def measured(self, name: str, take: Callable[[], Any], give_back: Callable[[], Any] = lambda: None) -> Outage:
        """What it costs to take a part away. Raises: ServiceError where it does not get well."""
        begun = time.time()
        take()
        try:
            self._supervisor.until(lambda: self._is_well(begun), f"all to be well after: {name}", PATIENCE_SECONDS)
        except ServiceError as error:
            raise ServiceError(f"{error}\nReadiness says: {self._service.readiness}") from error
        self._supervisor.rest(CALM_SECONDS)
        self._journal.refresh()
        outage = outage_of(self._journal, name, begun, time.time())
        outage = replace(outage, lost=count_lost(self._service.leader_url, self._journal))
        give_back()
        return outage

    def _is_well(self, since: float) -> bool:
        """Whether payments of after the loss settled, one that was told and a live one, and the service is ready."""
        self._journal.refresh()
        paid = {line["id"] for line in self._journal.of(PAID, since=since)}
        told = (line["about"] in paid for line in self._journal.of(TOLD, since=since) if line["type"] == SETTLED)
        sent = {line["id"] for line in self._journal.of(LIVE_SENT, since=since)}
        found = (line["id"] in sent for line in self._journal.of(LIVE_SETTLED, since=since))
        return any(told) and any(found) and self._service.is_ready()

    def _kill_postgres(self) -> None:
        engines.kill_postgres(self._place, _known(engines.role_of("primary")))

    def _await_standby(self) -> None:
        self._supervisor.until(lambda: engines.role_of("sync"), "a synchronous standby", PATIENCE_SECONDS)

    def _kill_database(self, role: str) -> None:
        """Patroni too, so that it can tell nobody that it leads no more: its time must run out."""
        self._lost = _known(engines.role_of(role))
        self._supervisor.programs[self._lost].kill(for_good=True)
        engines.kill_postgres(self._place, self._lost)

    def _return_database(self) -> None:
        self._supervisor.programs[self._lost].start()
        self._await_standby()

    def _kill_etcd(self) -> None:
        self._supervisor.programs[f"etcd-{_known(engines.etcd_leader())}"].kill(for_good=True)

    def _kill_most_etcds(self) -> None:
        """Two, for longer than a leader keeps its lead by their word."""
        for name in list(hosts.KEEPERS)[:2]:
            self._supervisor.programs[f"etcd-{name}"].kill(for_good=True)
        self._supervisor.rest(WITHOUT_ETCD_SECONDS)

    def _return_etcds(self) -> None:
        for name in hosts.KEEPERS:
            if not (program := self._supervisor.programs[f"etcd-{name}"]).is_alive:
                program.start()
        self._supervisor.until(engines.is_etcd_whole, "all of etcd", PATIENCE_SECONDS)
        self._await_standby()

    def _kill_front(self) -> None:
        """The first one, which has had the address from the beginning."""
        self._supervisor.programs[hosts.FRONTS[0]].kill(for_good=True)

    def _return_front(self) -> None:
        self._supervisor.programs[hosts.FRONTS[0]].start()

    def _kill_redis(self) -> None:
        self._lost = _known(engines.redis_leader())
        self._supervisor.programs[self._lost].kill(for_good=True)

    def _return_redis(self) -> None:
        self._supervisor.programs[self._lost].start()
        self._supervisor.until(lambda: engines.redis_follows(self._place), "the Redis that follows", PATIENCE_SECONDS)

    def _kill_web(self) -> None:
        self._supervisor.programs["web-node1"].kill(for_good=True)

    def _return_web(self) -> None:
        self._supervisor.programs["web-node1"].start()
        at = hosts.NODES["node1"]
        self._supervisor.until(lambda: asked(at, HEALTH) == HTTPStatus.OK, "the web node", PATIENCE_SECONDS)


def outage_of(journal: Reading, name: str, begun: float, ended: float) -> Outage:
    """What the journal says of a stretch of time."""
    created = [line["at"] for line in journal.of(CREATED, since=begun, until=ended)]
    settled = [line["at"] for line in journal.of(TOLD, since=begun, until=ended) if line["type"] == SETTLED]
    refused = list(journal.of(REFUSED, since=begun, until=ended))
    sent = {line["id"]: line["at"] for line in journal.of(LIVE_SENT)}
    live = {line["at"]: line["at"] - sent[line["id"]] for line in journal.of(LIVE_SETTLED, since=begun, until=ended)}
    statuses: dict[int, int] = {}
    for line in refused:
        statuses[line["status"]] = statuses.get(line["status"], 0) + 1
    return Outage(
        name=name,
        unanswered=longest_gap(created, begun, ended),
        unsettled=longest_gap(settled, begun, ended),
        live_unsettled=longest_gap(live, begun, ended),
        live_settled=len(live),
        live=max(live.values(), default=0),
        requests=len(created) + sum(1 for _ in journal.of(PAID, since=begun, until=ended)) + len(refused),
        refused=len(refused),
        statuses=statuses,
    )


def longest_gap(moments: Iterable[float], begun: float, ended: float) -> float:
    """The longest time between two of these moments, or one of them and an end."""
    points = [begun, *sorted(moments), ended]
    return max(later - earlier for earlier, later in zip(points, points[1:], strict=False))


def _known(name: str | None) -> str:
    if name is None:
        raise ServiceError("Nobody leads.")
    return name
