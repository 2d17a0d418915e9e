"""The proof: callers that never pause, one loss after the other, a new version, and then the books."""

import os
import signal
from collections.abc import Collection, Iterable

from scripts.cluster import hosts
from scripts.cluster.books import Books, compare, is_all_done
from scripts.cluster.engines import Place
from scripts.cluster.journal import CREATED, LIVE_SETTLED, QUIET, Journal, Reading
from scripts.cluster.live import ORIGIN
from scripts.cluster.load import Caller
from scripts.cluster.losses import MOST_SECONDS, PATIENCE_SECONDS, Losses, Outage
from scripts.cluster.programs import Program, Supervisor
from scripts.cluster.rolling import roll
from scripts.cluster.service import Service

DRAINED_SECONDS = 300.0
ROLLED = "rolling restart"
HEAD = (
    "| what is lost | s without an acknowledged create | s without a settlement told | s without a live settlement "
    "| s from a block to one | requests | sent again | acknowledged and gone |\n|---|---|---|---|---|---|---|---|"
)
ALLOW = (
    "from core.modes import Mode; from merchants.principal import Principal;"
    "from merchants.services.origins import allow_origin;"
    "allow_origin(Principal(merchant_id={merchant_id}, mode=Mode.LIVE, actor='key:1'), '{origin}')"
)


class Proof:
    """All of it, on a cluster that runs."""

    def __init__(self, place: Place, supervisor: Supervisor, service: Service) -> None:
        self._place, self._supervisor, self._service = place, supervisor, service
        self._journal = Reading(place.folder / "journal")

    def run(self, writes: int, rate: float, chosen: Collection[str]) -> bool:
        """Print the table, line by line, and what was missed; whether nothing was. Raises: ServiceError."""
        print(self._service.manage("check", "--database", "default", pooled=True).strip(), flush=True)
        callers = self._begin(rate)
        losses = Losses(self._place, self._supervisor, self._service, self._journal)
        print(HEAD, flush=True)
        outages = []
        for outage in losses.each(chosen):
            outages.append(outage)
            print(row(outage), flush=True)
        if not chosen or any(part in ROLLED for part in chosen):
            outages.append(losses.measured(ROLLED, lambda: roll(self._place, self._supervisor, self._service)))
            print(row(outages[-1]), flush=True)
        self._end(callers, writes, rate)
        books = compare(self._service.leader_url, self._journal)
        print(summary(books))
        print(self._service.manage("check_invariants").strip())
        missed = misses(outages, books)
        print("\n".join(f"MISSED: {one}" for one in missed))
        return not missed

    def _begin(self, rate: float) -> list[Program]:
        """Register the receiver, and let callers and payers begin; returns when a live payment settled."""
        keys, place = self._service.keys(), self._place.folder / "journal"
        key = keys["test_secret_key"]
        self._service.manage("shell", "-c", ALLOW.format(merchant_id=keys["merchant_id"], origin=ORIGIN))
        wish = {"url": f"http://{hosts.RECEIVER}:{hosts.RECEIVER_PORT}/", "events": ["*"]}
        Caller(key, Journal(place)).insist("/webhook-endpoints", wish, "endpoint")
        live = [keys["live_secret_key"], keys["live_publishable_key"]]
        for name, module, more in (("load", "load", [key, str(rate)]), ("payers", "live", ["pay", *live])):
            given = [*more[:-2], str(place), *more[-2:]]
            self._supervisor.add(Program.of_ours(name, f"scripts.cluster.{module}", given, self._place.folder))
        self._supervisor.until(lambda: self._count(LIVE_SETTLED), "a live payment", PATIENCE_SECONDS)
        return [self._supervisor.programs[name] for name in ("load", "payers")]

    def _end(self, callers: Iterable[Program], writes: int, rate: float) -> None:
        """Let the callers go on to so many creates, and all that they began come to its end."""
        until, url = self._supervisor.until, self._service.leader_url
        until(lambda: self._count(CREATED) >= writes, f"{writes} acknowledged creates", 60 + 3 * writes / rate)
        for caller in callers:
            if caller.process is not None:
                os.kill(caller.process.pid, signal.SIGUSR1)
        until(lambda: self._count(QUIET) == len(list(callers)), "the callers to end", PATIENCE_SECONDS)
        until(lambda: is_all_done(url, self._journal), "all to be settled and told", DRAINED_SECONDS)

    def _count(self, what: str) -> int:
        self._journal.refresh()
        return sum(1 for _ in self._journal.of(what))


def misses(outages: Iterable[Outage], books: Books) -> list[str]:
    """What must not be, a sentence each."""
    found = [f"{count} {what}" for what, count in books.misses.items() if count]
    for one in outages:
        if not one.is_short:
            found.append(f"{one.longest:.1f} s until all was as before: {one.name}")
        if one.lost:
            found.append(f"{one.lost} acknowledged creates that are gone after: {one.name}")
        if one.refused and one.name == ROLLED:
            found.append(f"{one.refused} refused requests: {one.name}")
    return found


def row(outage: Outage) -> str:
    """A line of the table."""
    why = ", ".join(f"{count} x {status or 'no answer'}" for status, count in sorted(outage.statuses.items()))
    again = f"{outage.refused} ({why})" if outage.refused else "0"
    late = "" if outage.is_short else f" **over {MOST_SECONDS:.0f}**"
    live = f"{outage.live_settled} in {outage.live:.1f} at most" if outage.live_settled else "none"
    gaps = f"{outage.unanswered:.1f} | {outage.unsettled:.1f}{late} | {outage.live_unsettled:.1f}"
    figures = f"{gaps} | {live} | {outage.requests}"
    return f"| {outage.name} | {figures} | {again} | {outage.lost} |"


def summary(books: Books) -> str:
    """What was counted."""
    lines = [
        "",
        f"{books.acknowledged} acknowledged creates, {books.refunds} refunds, {books.live} live payments, "
        f"{books.events} events, {books.repeated} of them told again.",
        *(f"{count} {what}" for what, count in books.misses.items()),
    ]
    return "\n".join(lines)
