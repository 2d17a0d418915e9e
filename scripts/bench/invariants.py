"""Measures an hour's check of the invariants: so many payments changed, among as many as the growth part has."""

import json
from typing import Final

import psycopg

from scripts.bench.growth import filled_database
from scripts.bench.stage import Stage, manage, read_sql

CHANGED: Final = 1_000
"""Payments, each with its history, its arrival, three events and their deliveries, and the answer to its key."""
_PROGRAM: Final = """
import json, time
from datetime import timedelta
from django.db import connection
from core.clock import now
from core.models import InvariantCheck
from core.secrets import encrypt
from merchants.models import IdempotencyRecord
from operations.invariants.schedule import run_due_check
from payments.models import PaymentIntent

moment = now()
made = PaymentIntent.objects.order_by("-created_at", "pk").values_list("pk", flat=True)[:{changed}]
IdempotencyRecord.objects.bulk_create(
    IdempotencyRecord(
        scope="m1:test", key=str(pk), fingerprint="", http_status=201, created_at=moment, expires_at=moment,
        answer=encrypt(json.dumps(dict(id=str(pk), checkout_url="")).encode()),
    )
    for pk in made
)
InvariantCheck.objects.create(
    asked_at=moment, started_at=moment, finished_at=moment - timedelta(hours=1), covered_until=moment
)
asked, started, used = [], time.perf_counter(), time.process_time()
with connection.execute_wrapper(lambda execute, *given: asked.append(1) or execute(*given)):
    check = run_due_check()
said = dict(seconds=time.perf_counter() - started, own=time.process_time() - used, queries=len(asked))
print(json.dumps(said | dict(found=check.violations[:3], moved=check.covered_until > moment)))
"""


def measure_invariants(stage: Stage, *, rows: int) -> tuple[dict[str, float], list[str]]:
    """The seconds of one check with a cold process. Raises: RuntimeError where it found something or did not end."""
    with filled_database(stage, rows, "lines.sql") as place:
        with psycopg.connect(place.database_url, autocommit=True) as database:
            cursor = psycopg.ClientCursor(database)
            cursor.execute(read_sql("changed.sql"), {"merchant_id": place.merchant_id, "changed": CHANGED})
        program = _PROGRAM.replace("{changed}", str(CHANGED))
        shown = manage({"DATABASE_URL": place.database_url}, "shell", "--no-imports", "-c", program)
    said = json.loads(shown.splitlines()[-1])
    if said["found"] or not said["moved"]:
        raise RuntimeError(f"the check did not end as it must: {said}")
    taken = f"{said['seconds']:.1f} s, {said['own']:.1f} s of its own processor time, {said['queries']:,} questions"
    line = f"{CHANGED:,} of {rows:,} payments changed: {taken}"
    return {"invariants_seconds": said["seconds"]}, [line]
