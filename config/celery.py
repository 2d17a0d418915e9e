"""The task application of the production form: a queue for each kind of worker, and messages by the clock's table."""

import os
from contextlib import suppress
from typing import Any

from celery import Celery
from celery.signals import (
    beat_init,
    import_modules,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
)
from celery.states import SUCCESS
from django.conf import settings
from django.db import Error, connections
from kombu import Queue

from config.broker import FRESH_SECONDS
from config.collector import collect_rarely
from config.schedule import AT_ONCE, LIMIT_SECONDS, SCHEDULE, work_of
from core.clock import ticks
from core.dispatch import LIFE, SIGN_OF_LIFE_SECONDS, UPKEEP, WORKERS, ask_for_life
from core.request_id import begin_task
from core.tasks import show_life as answer
from core.traces import traces
from operations import life_line

LONGEST_WAIT_SECONDS = 600
"""After that, what a worker was to do at once is better left to the clock."""

MOST_KILOBYTES = 400_000
"""A child of a worker that ever held more ends after the task that it is at, and another one begins.

Why: more than twice what one holds after hours of load, so none that is well ends by it; what Python and malloc keep
of an hour with large answers is given back. A worker with threads has no children, and is not bounded by this.
Source: docs/capacity.md, Memory.
"""

MOST_EXPIRED_KEPT = 1_000
"""Of the messages that expired before a worker came to them, so many are remembered, for an answer to who revokes them.

Why: nobody does, and Celery keeps 50,000 in each worker, for three hours: 15 MB of the process that starts the others,
which grows by 1 MB in ten minutes as soon as there is more to do than is done.
Source: https://docs.celeryq.dev/en/stable/userguide/workers.html#revoke-revoking-tasks.
"""

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("causeway", amqp="config.broker:Broker", fixups=["config.worker_connections:keep_connections"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_acks_late=True,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_time_limit=LIMIT_SECONDS,
    task_default_queue=UPKEEP,
    task_queues=[Queue(name) for name in WORKERS],
    worker_prefetch_multiplier=1,
    worker_max_memory_per_child=MOST_KILOBYTES,
    worker_redirect_stdouts=False,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    timezone="UTC",
    task_routes={name: {"queue": turn.worker} for name, turn in SCHEDULE.items()},
)
# A message that nobody took before the next one is worthless, so each one expires.
app.conf.beat_schedule = {
    name: {"task": name, "schedule": turn.every, "options": {"expires": max(turn.every, FRESH_SECONDS)}}
    for name, turn in SCHEDULE.items()
}


@import_modules.connect(sender=app)
def _learn_tasks(**_: Any) -> None:
    for name, turn in SCHEDULE.items():
        app.task(name=name, time_limit=turn.limit, shared=False)(work_of(name))
    app.task(name=LIFE, shared=False)(answer)


@worker_init.connect
def _refuse_foreign_network(**_: Any) -> None:
    from config.network_profile import refuse_foreign_network  # noqa: PLC0415  Why: needs the models.
    from core.migrated import refuse_unmigrated  # noqa: PLC0415  Why: as above.
    from operations.sealed import tell_unreadable  # noqa: PLC0415  Why: as above.

    refuse_foreign_network()
    refuse_unmigrated()
    tell_unreadable()
    connections.close_all()  # this process only starts others, or threads, which have their own


@worker_init.connect
def forget_expired_messages(**_: Any) -> None:
    """Remember few of the messages that expired, in the process that starts a worker's others."""
    from celery.worker.state import revoked  # noqa: PLC0415  Why: only a worker has it.

    revoked.maxlen = MOST_EXPIRED_KEPT


@worker_init.connect
@worker_process_init.connect
def _count(**_: Any) -> None:
    from core.metrics import totals  # noqa: PLC0415  Why: needs the models.

    totals.keep()
    if settings.TRACES:
        traces.begin("worker")


@worker_process_shutdown.connect
def _send_last_traces(**_: Any) -> None:
    """Why by this signal: such a process ends without a farewell to anything else."""
    traces.end()


@worker_process_init.connect
def _collect_rarely(**_: Any) -> None:
    collect_rarely()


@task_prerun.connect
def _name_the_task(task: Any, task_id: str, **_: Any) -> None:
    begin_task(task_id)
    task.request.began_at = ticks()


@task_postrun.connect
def _show_life(task: Any, state: str | None = None, **_: Any) -> None:
    """Why after each task: behind slow ones the message that only asks for a sign of life waits as they do."""
    from core.heartbeats import show_life  # noqa: PLC0415  Why: needs the models.
    from core.metrics import TASKS, totals  # noqa: PLC0415  Why: as above.

    outcome = "done" if state == SUCCESS else "failed"
    TASKS.observe(task.name, outcome, seconds=ticks() - task.request.began_at)
    if totals.is_due():
        totals.take_turn()
    queue = (task.request.delivery_info or {}).get("routing_key")
    if queue in WORKERS:
        with suppress(Error):  # whatever is wrong with the database, the task itself said so
            show_life(queue)


@worker_ready.connect
def _begin_at_once(sender: Any, **_: Any) -> None:
    """Be known as alive, and do what comes before the clock's first round; through the broker as later.

    Why signs of life by the worker's own timer: sent by the clock, they would say that all workers died with it. It
    goes on after the broker was away.
    """
    mine = app.amqp.queues.consume_from
    life_line.begin(f"worker {' '.join(mine)}")
    for queue in mine:
        sender.timer.call_repeatedly(SIGN_OF_LIFE_SECONDS, ask_for_life, (queue,))
        ask_for_life(queue)
    for name in AT_ONCE:
        if SCHEDULE[name].worker in mine:
            app.send_task(name, expires=min(SCHEDULE[name].every, LONGEST_WAIT_SECONDS), retry=False)


@beat_init.connect
def _begin_beat(**_: Any) -> None:
    life_line.begin("beat")
