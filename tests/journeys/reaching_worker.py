"""The worker of upkeep, with one thing changed: it reads clients' documents from servers of this machine, too.

Why: the attack is a server that does not answer, and the suite dials no address but its own machine's.
"""

import sys

from celery.__main__ import main

from config.celery import app

if __name__ == "__main__":
    app.loader.import_default_modules()
    from core.outbound.addresses import Reach
    from mcp.oauth import documents

    documents.read_documents.__defaults__ = (Reach.PUBLIC_AND_LOOPBACK,)
    sys.argv = [
        "celery", *("--app", "config.celery", "worker", "--queues", "upkeep", "--hostname", "upkeep@%h"),
        *("--without-gossip", "--without-mingle", "--concurrency", "2", "--loglevel", "WARNING"),
    ]  # fmt: skip
    main()
