"""Publishes one task of the baseline for every delivery id that it reads.

Usage: python -m scripts.bench.webhooks.publish QUEUE
"""

import os
import sys

from celery import Celery


def main() -> None:
    """Read ids, one a line, and publish them over one connection."""
    app = Celery("bench", broker=os.environ["REDIS_URL"])
    with app.producer_pool.acquire(block=True) as producer:
        for line in sys.stdin:
            app.send_task("bench.deliver", [line.strip()], queue=sys.argv[1], producer=producer)


if __name__ == "__main__":
    main()
