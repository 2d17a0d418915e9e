"""A service under load that is killed again and again, and what must be true of it afterwards."""

import json
import os
import random
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from tests.journeys.http_caller import POLL_SECONDS, Caller, Unreachable
from tests.journeys.recipe import Receiver
from tests.journeys.stories import register
from tests.machine import PATIENCE_SECONDS, pause, wait_until

PASSED_BY = 10
"""Payments that must be told whole before a point counts as one that nobody passes; and so many are paid at most to
learn the points. Why more than one: on a slow machine a worker comes late, and one look finds what two had found."""
MOST_UNDERWAY = 40
"""Payments that are not told whole yet; more are begun when some are. Why: a machine is as slow as it is, and what it
cannot keep up with would wait at the end for longer than anybody's patience."""
LOOKS = round(PATIENCE_SECONDS / POLL_SECONDS)
CHECK = "import json; from tests.invariants import violations; print(json.dumps(violations()))"
STORY = """
from core.clock import now
from payments.models import PaymentIntent
intent = PaymentIntent.objects.get(pk="{intent_id}")
print(now(), *PaymentIntent.objects.filter(pk=intent.pk).values(), sep="\\n")
for rows in (intent.payment_attempts, intent.legs, intent.credits, intent.history):
    print(*rows.values(), sep="\\n")
"""
"""Why rows as they are: what is printed is read by whoever looks for the reason that a payment stands still."""

KILLS = int(os.environ.get("CRASH_KILLS", "12"))
"""How often something is killed at a random moment, besides the deaths of one process at each point."""
SEED = int(os.environ.get("CRASH_SEED", "20261120"))
LONGEST_WAIT_SECONDS = 1.0
MUST_PASS = {
    *("make_quote (payment_intent.quoted)", "_hand_out"),
    *("record_sightings (payment_intent.executing)", "record_sightings (payment_intent.settled)"),
    *("send_simulated", "report_transaction", "fan_out", "_claim_batch", "sending a webhook", "record"),
}
"""Points without which the list of points is not what it was: then these tests must be looked at."""


class Service(Protocol):
    def revive(self) -> None:
        """Start what should run and does not."""

    def manage(self, *arguments: str) -> str:
        """Run a command of ``manage.py`` and return what it printed."""


@dataclass
class Ordeal:
    service: Service
    merchant: Caller
    receiver: Receiver
    folder: Path
    intents: list[str] = field(default_factory=list)
    creates: str = "insert_together"
    """Whose commit a creation is: that of the short way, where the service has one and knows the key."""
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def must_pass(self) -> set[str]:
        return MUST_PASS | {f"{self.creates} (payment_intent.created)"}

    @contextmanager
    def load(self, pause_seconds: float) -> Iterator[None]:
        self._stop.clear()
        failures: list[BaseException] = []

        def keep_paying() -> None:
            try:
                while not self._stop.wait(pause_seconds):
                    if len(self.intents) - self._whole() < MOST_UNDERWAY:
                        self.pay_one()
            except BaseException as error:
                failures.append(error)

        payer = threading.Thread(target=keep_paying, daemon=True)
        payer.start()
        try:
            yield
        finally:
            self._stop.set()
            payer.join(2 * PATIENCE_SECONDS)
        if failures:
            raise failures[0]

    def pay_one(self) -> str:
        """Create one intent and ask for its payment, under keys, until both are acknowledged."""
        key = uuid.uuid4().hex
        wish = {"amount": 25, "reference": key}
        created = self.merchant.insist("/payment-intents", wish, f"create-{key}")
        intent_id: str = created.body["id"]
        path = f"/test-helpers/payment-intents/{intent_id}/pay"
        self.merchant.insist(path, {}, f"pay-{key}")
        self.intents.append(intent_id)
        return intent_id

    def points(self) -> list[str]:
        """Every point that payments pass, one after the other until none is missing of those that must be there."""

        def pay_until_told() -> None:
            intent_id = self.pay_one()
            wait_until(lambda: self.is_told(intent_id), "a payment told")

        points: list[str] = []
        for _ in range(PASSED_BY):
            points = list(dict.fromkeys([*points, *passed(self.folder, pay_until_told)]))
            if kinds_of(points) >= self.must_pass:
                break
        return points

    def die_at(self, point: str) -> bool:
        """Arm a point and wait until a process died there.

        False when many payments went by without, which those points are not forgiven that must be passed.
        """
        enough = self._whole() + PASSED_BY
        is_forgiven = kinds_of([point]).isdisjoint(self.must_pass)
        with armed_at(self.folder, point) as armed:

            def is_over() -> bool:
                self.service.revive()
                return not armed.exists() or (is_forgiven and self._whole() >= enough)

            wait_until(is_over, f"a death at {point}", poll=POLL_SECONDS)
            return not armed.exists()

    def kill_everywhere(self, kill: Callable[[random.Random], None]) -> None:
        """One process dies at each point; between the points something is killed at a moment that chance chose."""
        chance = random.Random(SEED)  # noqa: S311 - no secret, only a choice that can be repeated
        points, reached, kills = self.points(), set(), 0
        with self.load(0.2):
            for number, point in enumerate(points, start=1):
                reached |= {point} if self.die_at(point) else set()
                while kills < KILLS * number // len(points):
                    pause(chance.uniform(0.0, LONGEST_WAIT_SECONDS))
                    kill(chance)
                    kills += 1
                self.service.revive()
        assert kills == KILLS
        assert self.must_pass - kinds_of(reached) == set()

    def problems(self) -> list[str]:
        for intent_id in self.intents:
            try:
                wait_until(partial(self.is_settled, intent_id), f"intent {intent_id} settled")
            except AssertionError as error:
                story = self.service.manage("shell", "--no-imports", "-c", STORY.format(intent_id=intent_id))
                raise AssertionError(f"{error}:\n{story}") from error
        for _ in range(LOOKS):
            if not self.lost():
                break
            pause(POLL_SECONDS)
        lost = [f"intent {intent_id} was told only {numbers}" for intent_id, numbers in self.lost().items()]
        forged = [f"not genuine: {delivery.event}" for delivery in self.receiver.deliveries if not delivery.genuine]
        return [*lost, *forged, *self.violations()]

    def is_settled(self, intent_id: str) -> bool:
        """Whether the intent is settled. One whose quote ran out meanwhile is paid again, as a payer would do."""
        self.service.revive()
        try:
            status = self.merchant.get(f"/payment-intents/{intent_id}").body["status"]
            if status == "requires_payment":
                self.merchant.post(f"/test-helpers/payment-intents/{intent_id}/pay")
        except Unreachable:
            return False
        return bool(status == "settled")

    def is_told(self, intent_id: str) -> bool:
        return intent_id not in self.lost()

    def lost(self) -> dict[str, list[int]]:
        told: dict[str, dict[int, str]] = {intent_id: {} for intent_id in self.intents}
        for event in self.receiver.accepted():
            if event["resource"]["id"] in told:
                told[event["resource"]["id"]][event["sequence"]] = event["type"]
        return {intent_id: sorted(events) for intent_id, events in told.items() if not _is_whole(events)}

    def _whole(self) -> int:
        return len(self.intents) - len(self.lost())

    def violations(self) -> list[str]:
        *_, last = self.service.manage("shell", "--no-imports", "-c", CHECK).splitlines()
        found: list[str] = json.loads(last)
        return found


def _is_whole(events: dict[int, str]) -> bool:
    """Numbered from 1 without a gap, and one says that the intent is settled, which ends an exact payment."""
    is_settled = any(name.endswith(".settled") for name in events.values())
    return is_settled and sorted(events) == list(range(1, len(events) + 1))


def passed(folder: Path, pay: Callable[[], object]) -> list[str]:
    """Every point that a payment passes, in the order in which it first does."""
    seen = folder / "seen"
    seen.unlink(missing_ok=True)
    pay()
    return list(dict.fromkeys(seen.read_text().splitlines()))


@contextmanager
def armed_at(folder: Path, point: str) -> Iterator[Path]:
    """A point is armed while the block runs. The file is gone once a process died there."""
    armed, unarmed = folder / "armed", folder / "arming"
    unarmed.write_text(point)
    unarmed.rename(armed)
    yield armed
    armed.unlink(missing_ok=True)


def begin(
    service: Service, merchant: Caller, receiver: Receiver, folder: Path, creates: str = "insert_together"
) -> Ordeal:
    register(merchant, receiver)
    return Ordeal(service, merchant, receiver, folder, creates=creates)


def armed_environment(folder: Path) -> dict[str, str]:
    """What arms a deployment; its points are named in files of this folder.

    Why no demo shop: it is a second receiver, of whose events nobody here keeps count.
    """
    return {
        "DJANGO_SETTINGS_MODULE": "tests.crash.settings",
        "CRASH_FOLDER": str(folder),
        "RATE_LIMIT_SCALE": "1000",
        "DEMO_SHOP": "false",
    }


def kinds_of(points: Iterable[str]) -> set[str]:
    """The points without their sides, and without the tables, which differ between the two databases."""
    names = [point.partition(" ")[2] for point in points]
    return {name if "payment_intent." in name else name.partition(" (")[0] for name in names}
