"""The soak from its first payment to the books: hours by the test clock, minutes of load, a month later."""

import json
import os
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from web3 import HTTPProvider, Web3

from localnet.devchain import DevChain
from scripts.cluster import hosts, live
from scripts.cluster.journal import CREATED, LIVE_SETTLED, PAID, QUIET, REFUNDED, REFUSED, TOLD, Journal, Reading
from scripts.cluster.load import Caller
from scripts.cluster.programs import Program
from scripts.cluster.proof import ALLOW
from scripts.service_process import ServiceError
from scripts.soak import verdict
from scripts.soak.form import Form
from scripts.soak.load import SHOWN
from scripts.soak.sample import Sample, look

STEP_SECONDS, STEP_TAKES = 300, 5.0
"""The test clock goes on by so much, each so many seconds."""
STEPS_AN_HOUR = 3600 // STEP_SECONDS
DAY_SECONDS = 86_400
"""One leap at the end of the hours: the answers under idempotency keys end."""
LAST_DAYS = 3
MINUTE = 60.0
PATIENCE_SECONDS, DRAINED_SECONDS = 300, 300
LATER_DAYS = 40
"""More than anything is kept that is not kept for ever."""
ENDPOINTS = {"ok": ["*"], "fail": ["payment_intent.settled"], "hang": ["payment_intent.settled"]}
ERROR = re.compile(r"\b(ERROR|CRITICAL)\b|^Traceback", re.MULTILINE)
BAD_REQUEST, INTERNAL_SERVER_ERROR = HTTPStatus.BAD_REQUEST, HTTPStatus.INTERNAL_SERVER_ERROR
CALLERS = {"load", "payers"}
OTHERS = CALLERS | {"chain"}
"""Programs that are not the service's own."""


def is_refusal(status: int) -> bool:
    """Whether a request was answered, with a refusal: payments of hours that pass in minutes end at any moment."""
    return BAD_REQUEST <= status < INTERNAL_SERVER_ERROR


class Soak:
    """One run, on a form that does not yet run. ``samples`` are of the whole run, ``parts`` say how it went."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self.samples: list[Sample] = []
        self.parts: dict[str, Any] = {}

    def run(self, *, hours: float, minutes: float, rate: float) -> list[str]:
        """Run all parts; what is not as it must be. Raises: ServiceError."""
        folder = self._form.folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        folder.chmod(0o711)
        self._form.start()
        self._begin(rate)
        self._let_hours_pass(hours)
        beginning = len(self.samples)
        self._let_minutes_pass(minutes)
        self._end()
        broken = list(self._compare_books())
        facts = json.loads(self._form.run("-m", "scripts.soak.later", str(LATER_DAYS)).splitlines()[-1])
        return [
            *broken,
            *facts["broken"],
            *verdict.judge(self.samples[beginning:], facts["bounded"]),
            *verdict.left(self._sample().rows, facts["purged"]),
            *self._said(),
        ]

    def _begin(self, rate: float) -> None:
        """Register the receivers, and let everybody begin."""
        folder, supervisor = self._form.folder, self._form.supervisor
        keys = self._form.new_merchant()
        self._form.pay_out(keys)
        url = live.settings()[f"RPC_URLS_{live.CHAIN.upper()}"]
        self._chain = DevChain(url=url, web3=Web3(HTTPProvider(url)), chain=live.CHAIN)
        self._first_block = self._chain.head()
        (folder / "keys.json").write_text(json.dumps(keys))
        self._form.manage("shell", "-c", ALLOW.format(merchant_id=keys["merchant_id"], origin=live.ORIGIN))
        self._merchant = Caller(keys["test_secret_key"], Journal(folder / "journal"))
        site = f"http://{hosts.RECEIVER}:{hosts.RECEIVER_PORT}"
        supervisor.add(Program.of_ours("load", "scripts.soak.load", [str(folder), str(rate)], folder))
        self._endpoints = {
            name: self._merchant.insist("/webhook-endpoints", {"url": f"{site}/{name}", "events": events}, name)["id"]
            for name, events in ENDPOINTS.items()
        }
        given = ["pay", str(folder / "journal"), keys["live_secret_key"], keys["live_publishable_key"]]
        supervisor.add(Program.of_ours("payers", "scripts.cluster.live", given, folder))
        self._journal, self._begun = Reading(folder / "journal"), time.monotonic()

    def _let_hours_pass(self, hours: float) -> None:
        """Hours of test time under load; what the clock asks for seldom is asked for each hour."""
        seldom = self._form.seldom()
        for step in range(1, round(hours * STEPS_AN_HOUR) + 1):
            self._advance(STEP_SECONDS, f"step-{step}")
            self._form.supervisor.rest(STEP_TAKES)
            if step % STEPS_AN_HOUR == 0:
                self._form.ask_for(seldom)
                self._note()
        self._advance(DAY_SECONDS, "a-day")
        self._form.ask_for(seldom)
        self._form.supervisor.rest(STEP_TAKES)

    def _let_minutes_pass(self, minutes: float) -> None:
        """Load at real time, and a look each minute."""
        begun = time.monotonic()
        for number in range(1, round(minutes) + 1):
            self._form.supervisor.rest(max(0.1, begun + number * MINUTE - time.monotonic()))
            self._note()

    def _advance(self, seconds: int, name: str) -> None:
        self._merchant.insist("/test-helpers/clock/advance", {"seconds": seconds}, f"clock-{name}")

    def _note(self) -> None:
        """Take a sample, and show a line of it. Raises: ServiceError where a program ended."""
        dead = [name for name, program in self._form.supervisor.programs.items() if not program.is_alive]
        if dead:
            raise ServiceError(f"{', '.join(dead)} ended by itself.")
        sample = self._sample()
        self.samples.append(sample)
        own = ", ".join(f"{name} {program.own:.1f}" for name, program in sample.programs.items())
        rows, size = sum(sample.rows.values()), sum(sample.bytes.values()) / 1024**2
        print(
            f"{sample.at:5.1f} min, {sample.made} payments; MB: {own}; {rows:,} rows in {size:.0f} MB; Redis "
            f"{sample.redis_keys} keys, {sample.redis_bytes / 1024**2:.1f} MB; {sample.connections} connections; "
            f"oldest due {max(sample.waits.values()):.0f} s",
            flush=True,
        )

    def _sample(self) -> Sample:
        programs = self._form.supervisor.programs.items()
        pids = {name: one.process.pid for name, one in programs if one.process and name not in OTHERS}
        self._journal.refresh()
        made = sum(1 for _ in self._journal.of(CREATED))
        return look((time.monotonic() - self._begun) / 60, made, pids, self._form.database_url, self._form.redis_url)

    def _end(self) -> None:
        """Let all come to an end that was begun: callers, payments, deliveries to those who answer."""
        programs, until = self._form.supervisor.programs, self._form.supervisor.until
        for name in CALLERS:
            os.kill(programs[name].process.pid, signal.SIGUSR1)  # type: ignore[union-attr]  # it was started
        until(lambda: self._count(QUIET) == len(CALLERS), "the callers to end", PATIENCE_SECONDS)
        for name in ("fail", "hang"):
            self._merchant.remove(f"/webhook-endpoints/{self._endpoints[name]}")
        for number in range(LAST_DAYS):  # what is taken on after one day may have to wait for another
            self._advance(DAY_SECONDS, f"last-{number}")
            until(self._is_drained, "all to be done", DRAINED_SECONDS)
        kinds = Counter(line["what"] for line in self._journal.lines)
        shown = (CREATED, PAID, REFUNDED, TOLD, LIVE_SETTLED, SHOWN)
        self.parts["counted"] = {name: kinds[name] for name in shown}
        print(json.dumps(self.parts["counted"]), flush=True)

    def _is_drained(self) -> bool:
        return all(seconds <= 0 for seconds in self._sample().waits.values())

    def _count(self, what: str) -> int:
        self._journal.refresh()
        return sum(1 for _ in self._journal.of(what))

    def _compare_books(self) -> Iterator[str]:
        """What the invariants and the chain say of the books."""
        blocks = ("--from", str(self._first_block), "--to", str(self._chain.head()))
        for command in (("check_invariants",), ("reconcile", "--chain", live.CHAIN, *blocks)):
            try:
                print(self._form.manage(*command).strip(), flush=True)
            except ServiceError as broken:
                yield str(broken)

    def _said(self) -> Iterator[str]:
        """Errors in the logs, and requests that nobody answered or that the service failed at."""
        for path in sorted(self._form.folder.glob("*.log")):
            if path.stem in OTHERS:
                continue
            lines = [line for line in path.read_text(errors="replace").splitlines() if ERROR.search(line)]
            self.parts.setdefault("errors", {})[path.stem] = lines[:20]
            if lines:
                yield f"{path.stem} logged {len(lines)} errors, the first: {lines[0][:300]}"
        failed = [
            line for line in self._journal.of(REFUSED) if not BAD_REQUEST <= line["status"] < INTERNAL_SERVER_ERROR
        ]
        if failed:
            yield f"{len(failed)} requests failed, the first: {json.dumps(failed[0])[:300]}"
