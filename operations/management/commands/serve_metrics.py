"""``manage.py serve_metrics``: answers Prometheus, for all processes of this deployment together."""

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from operations import exporter, life_line


class Command(BaseCommand):
    """Serves until it is told to end."""

    help = "Serve this deployment's metrics for Prometheus, on a port of their own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where. Why this machine alone unless said: figures of a payment service are not for everybody."""
        parser.add_argument("--port", type=int, default=settings.METRICS_PORT)
        parser.add_argument("--bind", default="127.0.0.1")

    def handle(self, *_: Any, port: int, bind: str, **__: Any) -> None:
        """Serve until SIGTERM or Ctrl-C."""
        try:
            server = exporter.serve(port, bind)
        except OSError as error:
            raise CommandError(f"Metrics cannot be served on port {port} of {bind}: {error.strerror}.") from error
        life_line.begin("metrics")
        over = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: over.set())
        over.wait()
        server.shutdown()
