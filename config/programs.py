"""The two programs of the embedded default: the web server, and a task worker with the clock inside."""

import copy
import gc
import logging
import os
import signal
import threading
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from celery.beat import Service
from celery.exceptions import SecurityWarning
from django.conf import settings
from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.log import LogLevels

from config.beat import NotedScheduler
from config.celery import app
from operations.supervisor import end_with_parent
from payments.services import advance as intents
from payments.services import reading
from payouts.services import advance as payouts
from refunds.services import advance as refunds
from webhooks import delivery

WORKER_THREADS = 7
"""One for each sweep that can run long, so that none of them delays another."""
_USUAL_COLLECTION = (700, 10, 10)
"""Python's own thresholds, which ``manage.py`` raises while everything is loaded."""

logger = logging.getLogger("causeway.up")


def load_everything() -> None:
    """Import what both programs need. Why: started from a process that has it, they share its memory."""
    for name in (settings.ROOT_URLCONF, "celery.apps.worker", "celery.concurrency.thread", "celery.app.trace"):
        import_module(name)
    app.loader.import_default_modules()
    app.finalize()
    gc.set_threshold(*_USUAL_COLLECTION)
    gc.collect()
    gc.freeze()  # else the first collection in a child copies every page it looks at


def serve_web() -> None:
    """Answer HTTP on this machine only."""
    server = Granian(
        "config.asgi:application",
        address="127.0.0.1",
        port=settings.PORT,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=False,
        workers=1,
        loop=Loops.asyncio,
        log_level=LogLevels.warning,
        log_dictconfig=copy.deepcopy(settings.LOGGING),
    )
    server.serve(target_loader=_load_application, wrap_loader=False)


def _load_application() -> Callable[..., Any]:
    end_with_parent()
    application: Callable[..., Any] = import_module("config.asgi").application
    return application


def run_worker() -> None:
    """Run tasks, and send the messages of the beat table.

    Why it takes leases over: ``up`` holds a lock on the data, so whoever held them is dead.
    """
    for sweep in (intents.SWEEP, refunds.SWEEP, payouts.SWEEP):
        sweep.take_over()
    reading.take_over_leases()
    delivery.take_over_leases()
    warnings.simplefilter("ignore", SecurityWarning)  # in a container, a newcomer is root
    os.environ["CELERY_SKIP_CHECKS"] = "1"  # they load every admin screen, which a worker never shows
    worker = app.Worker(
        hostname="worker@localhost",
        pool="threads",
        concurrency=WORKER_THREADS,
        quiet=True,
        loglevel="WARNING",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    threading.Thread(target=_run_beat, name="beat", daemon=True).start()
    worker.start()


def _run_beat() -> None:
    """Tick until the process ends. Why it takes the process with it: a worker without a clock only looks alive."""
    app.set_current()
    try:
        Service(
            app,
            max_interval=1,
            scheduler_cls=NotedScheduler,
            schedule_filename=str(settings.LOCAL_DIR / "beat-schedule"),
        ).start()
    except Exception:
        logger.exception("beat failed")
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
