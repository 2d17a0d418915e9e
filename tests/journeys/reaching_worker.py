"""A worker with one thing changed: it reaches servers of this machine, too. Usage: reaching_worker upkeep|delivery

For upkeep those of clients' documents, for delivery receivers of live events. Why: the suite dials no address but its
own machine's, and the service none of those in live mode.
"""

import sys

from celery.__main__ import main

from config.celery import app

if __name__ == "__main__":
    [queue] = sys.argv[1:]
    app.loader.import_default_modules()
    from core.outbound.addresses import Reach
    from mcp.oauth import documents
    from webhooks.delivery import rounds

    documents.read_documents.__defaults__ = (Reach.PUBLIC_AND_LOOPBACK,)
    setattr(rounds, "reach_of", lambda mode: Reach.PUBLIC_AND_LOOPBACK)  # noqa: B010 - the name is imported there
    sys.argv = [
        "celery", *("--app", "config.celery", "worker", "--queues", queue, "--hostname", f"{queue}@%h"),
        *("--without-gossip", "--without-mingle", "--concurrency", "2", "--loglevel", "WARNING"),
    ]  # fmt: skip
    main()
