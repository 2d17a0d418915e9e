"""Where each program of the day listens, on this machine's loopback."""

from typing import Final

from scripts.cluster import hosts

LOCAL: Final = "127.0.0.1"
POSTGRES_PORT, REDIS_PORT, METRICS_PORT, PROMETHEUS_PORT, SILENT_PORT = (hosts.WEB_PORT + 93 + n for n in range(5))
PROMETHEUS: Final = f"http://{LOCAL}:{PROMETHEUS_PORT}"
RECEIVER: Final = f"http://{hosts.RECEIVER}:{hosts.RECEIVER_PORT}/"
SILENT: Final = f"http://{LOCAL}:{SILENT_PORT}/"
"""An endpoint that takes connections and never answers."""
