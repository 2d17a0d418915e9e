"""Measures what a settled payment leaves in the database, at once and 90 days later."""

import json
import os
import subprocess
import sys
import urllib.request
from typing import Any, Final
from unittest.mock import patch

import psycopg

from scripts.bench.stage import ROOT, Stage, answers, fresh_database, read_sql, set_up, web_server
from scripts.service_process import HOST, running

BEFORE: Final = 20
"""Payments that fill the first pages of each table, so that a page of 8 kB weighs little."""
PAYMENTS: Final = 150
LOOKS: Final = 3
DAYS: Final = 90
ROUNDS: Final = 600
"""Of a tenth of a second: how long the last payment may take to settle and the last event to arrive."""
_PROGRAM: Final = """
import sys, time
from datetime import timedelta
from django.utils import timezone

names, rounds, days = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3])
real = timezone.now
timezone.now = lambda: real() + timedelta(days=days)

import django

django.setup()
from config.schedule import work_of
from payments.models import PaymentIntent
from webhooks.models import Delivery

for _ in range(rounds):
    for name in names:
        work_of(name)()
    ended = not PaymentIntent.objects.exclude(status="settled").exists()
    if not days and ended and not Delivery.objects.filter(outcome="due").exists():
        break
    time.sleep(0.1)
else:
    sys.exit(0 if days else "not all settled and arrived")
"""


def measure_left(stage: Stage) -> tuple[dict[str, float], list[str]]:
    """Bytes of a payment that was paid, settled and delivered: the goal's figure, and lines for people."""
    from config.schedule import SCHEDULE  # noqa: PLC0415  Why: loads the service.

    purges = [name for name in SCHEDULE if ".purge_" in name or ".make_" in name]
    with fresh_database(stage.database_url) as database_url, patch.dict(os.environ, DATABASE_URL=database_url):
        place = set_up(database_url, stage.folder)
        with (
            web_server(place.folder) as base_url,
            running(_receiver, answers, log=place.folder / "receiver.log", user=None) as port,
        ):
            api = f"{base_url}/api/public/v1"
            _ask(place, f"{api}/webhook-endpoints", {"url": f"http://{HOST}:{port}/", "events": ["*"]})
            sizes = [_sizes_after(place, api, count) for count in (BEFORE, PAYMENTS)]
        _work(purges, rounds=3, days=DAYS)
        sizes.append(_sizes(database_url))
    before, *held = sizes
    left = {
        table: [max(0, size.get(table, 0) - before.get(table, 0)) / PAYMENTS for size in held]
        for table in sorted(held[0], key=lambda name: -held[0][name])
    }
    totals = [sum(each) for each in zip(*left.values(), strict=True)]
    lines = [f"{'bytes a payment':<40}{'at once':>12}{f'{DAYS} days later':>16}"]
    shown = {**{table: each for table, each in left.items() if any(each)}, "in all": totals}
    lines += [f"{table:<40}{once:>12,.0f}{later:>16,.0f}" for table, (once, later) in shown.items()]
    return {"bytes_left": totals[1]}, lines


def _receiver(port: int) -> list[str]:
    return ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "scripts.bench.webhooks.receiver", str(port)]


def _sizes_after(place: Stage, api: str, count: int) -> dict[str, int]:
    """What each table holds after so many more payments, each settled, looked at and delivered."""
    for number in range(count):
        asked = {"amount": 25, "reference": f"order-{count}-{number}", "metadata": {"order": str(number)}}
        intent = _ask(place, f"{api}/payment-intents", asked, f"create-{count}-{number}")["id"]
        _ask(place, f"{api}/test-helpers/payment-intents/{intent}/pay", {}, f"pay-{count}-{number}")
        for _ in range(LOOKS):
            _ask(place, f"{api}/payment-intents/{intent}")
    _work(["payments.sweep_due", "webhooks.drain"], rounds=ROUNDS, days=0)
    return _sizes(place.database_url)


def _ask(place: Stage, url: str, body: object = None, key: str = "") -> Any:
    headers = {"Authorization": f"Bearer {place.credential}", "Content-Type": "application/json"}
    headers |= {"Idempotency-Key": key} if key else {}
    given = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, given, headers), timeout=30) as answer:  # noqa: S310 - ours
        return json.load(answer)


def _work(names: list[str], *, rounds: int, days: int) -> None:
    """Let the clock's work be done so many days from now, until all is settled or for so many rounds."""
    command = [sys.executable, "-c", _PROGRAM, ",".join(names), str(rounds), str(days)]
    subprocess.run(command, cwd=ROOT, check=True)


def _sizes(database_url: str) -> dict[str, int]:
    """What each table that has a row holds with its indexes and partitions, in bytes, without room for later rows."""
    with psycopg.connect(database_url, autocommit=True) as database:
        database.execute("VACUUM FULL")
        found: list[tuple[Any, ...]] = database.execute(read_sql("sizes.sql")).fetchall()
    return {table: int(size) for table, size in found}
