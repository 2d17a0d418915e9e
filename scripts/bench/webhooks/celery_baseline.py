"""The ordinary way to deliver webhooks: one Celery task per delivery, posting with ``requests``.

Started by the bench as a Celery application. Its commits may reach the disk late, as those of the drain.
"""

import os
import time
from datetime import UTC, datetime
from functools import cache

import django
import requests
from celery import Celery
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

django.setup()

from webhooks.models import Delivery, DeliveryAttempt  # noqa: E402 - needs the set-up above
from webhooks.signatures import SIGNATURE_HEADER, signature_header  # noqa: E402 - needs the set-up above

QUEUE = os.environ["BENCH_QUEUE"]
SECRET = "whsec_bench"  # noqa: S105 - signs for nobody

app = Celery("bench", broker=os.environ["REDIS_URL"])
app.conf.update(
    task_default_queue=QUEUE,
    task_ignore_result=True,
    worker_prefetch_multiplier=4,
    # Why: else Celery closes the database connection after every task, which alone makes it ten times slower.
    CELERY_DB_REUSE_MAX=1_000_000,
)


def relax_commits(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Let this connection commit as the drain does."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")


connection_created.connect(relax_commits)


@cache
def session() -> requests.Session:
    """One pool of connections per process."""
    return requests.Session()


@app.task(name="bench.deliver")
def deliver(delivery_id: str) -> None:
    """Read one delivery, post it, write down what came of it."""
    delivery = Delivery.objects.select_related("event", "endpoint").get(pk=delivery_id)
    body, at = delivery.event.payload.encode(), datetime.now(UTC)
    headers = {
        "Content-Type": "application/json",
        SIGNATURE_HEADER: signature_header([SECRET], int(at.timestamp()), body),
    }
    started = time.perf_counter()
    answer = session().post(delivery.endpoint.url, data=body, headers=headers, timeout=10, allow_redirects=False)
    with transaction.atomic():
        DeliveryAttempt.objects.create(
            merchant_id=delivery.merchant_id,
            mode=delivery.mode,
            delivery=delivery,
            number=1,
            at=at,
            latency_ms=round((time.perf_counter() - started) * 1000),
            response_status=answer.status_code,
            response_body=answer.text,
        )
        Delivery.objects.filter(pk=delivery.pk, outcome="due").update(
            outcome="delivered", next_attempt_at=None, finished_at=datetime.now(UTC)
        )
