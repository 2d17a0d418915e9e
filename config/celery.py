"""The task application: queues and the table of everything that happens by the clock."""

import os
from contextlib import suppress
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_init, worker_process_init, worker_ready
from django.db import Error
from kombu import Queue
from kombu.transport import TRANSPORT_ALIASES

from config.collector import collect_rarely
from core.dispatch import DELIVERY, MONEY, READER, SIGN_OF_LIFE_SECONDS, UPKEEP, WORKERS, ask_for_life
from core.request_id import begin_task

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

TRANSPORT_ALIASES["folder"] = "config.folder_broker:Transport"

app = Celery("causeway", amqp="config.broker:Broker")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_acks_late=True,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_time_limit=120,
    task_default_queue=UPKEEP,
    task_queues=[Queue(name) for name in WORKERS],
    worker_prefetch_multiplier=1,
    worker_redirect_stdouts=False,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    timezone="UTC",
    task_routes={
        "payments.sweep_chains": {"queue": READER},
        # Why apart: their contracts are anybody's, and payments must not wait for what those say.
        "payments.sweep_wallet_words": {"queue": UPKEEP},
        "payments.sweep_searches": {"queue": UPKEEP},
        "payments.*": {"queue": MONEY},
        "refunds.*": {"queue": MONEY},
        "payouts.*": {"queue": MONEY},
        "webhooks.*": {"queue": DELIVERY},
        "tokens.refresh_prices": {"queue": MONEY},
        "tokens.*": {"queue": UPKEEP},
        "merchants.send_mail": {"queue": DELIVERY},
        "merchants.*": {"queue": UPKEEP},
        "mcp.*": {"queue": UPKEEP},
        "core.*": {"queue": UPKEEP},
        "config.*": {"queue": UPKEEP},
    },
)
app.autodiscover_tasks()

EVERY_SECOND, EVERY_HOUR = 1.0, 3600.0
"""A beat message that nobody took before the next one is worthless, so each one expires."""

app.conf.beat_schedule = {
    name: {"task": name, "schedule": every, "options": {"expires": max(every, 2.0)}}
    for name, every in {
        "payments.sweep_due": EVERY_SECOND,
        "payments.sweep_chains": EVERY_SECOND,
        "payments.sweep_wallet_words": EVERY_SECOND,
        "payments.sweep_contract_proofs": 5.0,
        "payments.sweep_settlement_changes": 10.0,
        "payments.sweep_unknown_payers": 60.0,
        "payments.sweep_searches": 30.0,
        "refunds.sweep_due": EVERY_SECOND,
        "refunds.sweep_late": 10.0,
        "refunds.sweep_contract_claims": EVERY_SECOND,
        "payouts.sweep_due": EVERY_SECOND,
        "tokens.refresh_prices": 30.0,
        "tokens.refresh_tokens": EVERY_HOUR,
        "webhooks.drain": EVERY_SECOND,
        "config.check_invariants": 10.0,
        "config.seal_audits": 60.0,
        "webhooks.disable_failing_endpoints": 600.0,
        "webhooks.purge_old_events": EVERY_HOUR,
        "merchants.send_mail": 5.0,
        "merchants.purge_mail": EVERY_HOUR,
        "merchants.purge_idempotency_records": EVERY_HOUR,
        "merchants.purge_request_records": EVERY_HOUR,
        "mcp.sweep_approvals": 600.0,
        "mcp.sweep_lenders": 60.0,
        "mcp.read_client_documents": 5.0,
        "mcp.purge_oauth": EVERY_HOUR,
    }.items()
}


@worker_init.connect
def _refuse_foreign_network(**_: Any) -> None:
    from config.network_profile import refuse_foreign_network  # noqa: PLC0415  Why: needs the models.
    from core.migrated import refuse_unmigrated  # noqa: PLC0415  Why: as above.
    from operations.sealed import tell_unreadable  # noqa: PLC0415  Why: as above.

    refuse_foreign_network()
    refuse_unmigrated()
    tell_unreadable()


@worker_process_init.connect
def _collect_rarely(**_: Any) -> None:
    collect_rarely()


@task_prerun.connect
def _name_the_task(task_id: str, **_: Any) -> None:
    begin_task(task_id)


@task_postrun.connect
def _show_life(task: Any, **_: Any) -> None:
    """Why after each task: behind slow ones the message that only asks for a sign of life waits as they do."""
    from core.heartbeats import show_life  # noqa: PLC0415  Why: needs the models.

    queue = (task.request.delivery_info or {}).get("routing_key")
    if queue in WORKERS:
        with suppress(Error):  # whatever is wrong with the database, the task itself said so
            show_life(queue)


@worker_ready.connect
def _begin_at_once(sender: Any, **_: Any) -> None:
    """Be known as alive, and know what things cost, before the clock's first round; through the broker as later.

    Why signs of life by the worker's own timer: sent by the clock, they would say that all workers died with it. It
    goes on after the broker was away.
    """
    mine = app.amqp.queues.consume_from
    for queue in mine:
        sender.timer.call_repeatedly(SIGN_OF_LIFE_SECONDS, ask_for_life, (queue,))
        ask_for_life(queue)
    if MONEY in mine:
        app.send_task("tokens.refresh_prices", expires=30, retry=False)
    if UPKEEP in mine:
        app.send_task("tokens.refresh_tokens", expires=600, retry=False)
