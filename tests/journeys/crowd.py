"""Honest payers of one merchant who come one after another, and how long each of them takes."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from threading import Thread

from tests.journeys.live_payer import LivePayer
from tests.journeys.live_stage import EVM, LiveStage, Shop
from tests.journeys.programs import ROOT, clean_environment
from tests.machine import PATIENCE_SECONDS, pause, stopwatch

BETWEEN_SECONDS = 1.0
WHOLE, A_CENT = Decimal(25), Decimal("0.01")
"""What each of them pays, and what strangers' dust may add."""
ASKED_EVERY_SECONDS = "0.25"


@dataclass(kw_only=True)
class Crowd:
    """What was measured, and who is paying just now."""

    stage: LiveStage
    shop: Shop
    chain: str = EVM
    settled: list[float] = field(default_factory=list)
    """Seconds from the intent's making to its end."""
    asked: list[float] = field(default_factory=list)
    """Seconds that the merchant waited for an intent that he asked for meanwhile."""
    payers: list[LivePayer] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What else was done meanwhile."""
    failures: list[BaseException] = field(default_factory=list)

    def pay(self, payers: int, between_seconds: float = BETWEEN_SECONDS) -> None:
        """Let so many pay. Raises: the first failure of any."""
        come = [LivePayer(stage=self.stage, shop=self.shop, chain=self.chain) for _ in range(payers)]
        for one in come:
            one.endow()
        with self._asking():
            threads = [
                Thread(target=self._one, args=(one, number * between_seconds), daemon=True)
                for number, one in enumerate(come)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(2 * PATIENCE_SECONDS)
        if self.failures:
            raise self.failures[0]
        received = [Decimal(one.seen()["amount_received"]) for one in come]
        assert all(Decimal(0) <= units - WHOLE < A_CENT for units in received), received

    def _one(self, payer: LivePayer, seconds: float) -> None:
        try:
            pause(seconds)
            took = stopwatch()
            self.payers.append(payer)
            payer.pay()
            self.settled.append(took())
        except BaseException as error:
            self.failures.append(error)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Ask for one intent of the merchant's again and again, as another program on the same machine."""
        made = self.shop.merchant.post("/payment-intents", {"amount": 25, **self.place()})
        assert made.status == 201, made.raw
        merchant = self.shop.merchant
        asking = subprocess.Popen(
            (sys.executable, "-m", "tests.journeys.asking", merchant.base_url, made.body["id"], ASKED_EVERY_SECONDS),
            env=clean_environment(KEY=merchant.key),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield
        finally:
            printed, _ = asking.communicate(timeout=PATIENCE_SECONDS)
        assert asking.returncode == 0, printed
        for status, seconds in map(str.split, printed.splitlines()):
            assert status == "200", printed
            self.asked.append(float(seconds))

    def place(self) -> dict[str, str]:
        """Where the merchant is paid."""
        return LivePayer(stage=self.stage, shop=self.shop, chain=self.chain).place
