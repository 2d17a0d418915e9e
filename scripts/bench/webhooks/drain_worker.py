"""Runs the service's own drain, as the task ``webhooks.drain`` does, again and again until stopped.

Usage: python -m scripts.bench.webhooks.drain_worker    Starts at the first line that it reads.
"""

import sys
import time

import django

NOTHING_DUE_SECONDS = 0.05


def main() -> None:
    """Load everything, say so, wait for the word, drain."""
    django.setup()
    from config.collector import collect_rarely  # noqa: PLC0415  Why: as a worker process does, once all is loaded.
    from webhooks.delivery import drain  # noqa: PLC0415  Why: needs the models.

    collect_rarely()
    print("ready", flush=True)
    sys.stdin.readline()
    while True:
        if not drain():
            time.sleep(NOTHING_DUE_SECONDS)


if __name__ == "__main__":
    main()
