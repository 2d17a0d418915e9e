"""Measures what a claim of deliveries asks, beside an endpoint that hangs with much waiting and with nothing."""

import hashlib
import uuid
from contextlib import ExitStack

import psycopg

from scripts.bench.growth import filled_database, time_in_turn
from scripts.bench.stage import INTENTS, Stage, read_sql

HANGING = uuid.UUID(hashlib.md5(b"endpoint0", usedforsecurity=False).hexdigest())
"""One of the ten endpoints of ``history.sql``."""


def measure_backlog(stage: Stage, *, backlog: int, repeats: int) -> tuple[dict[str, float], list[str]]:
    """The same claim for nine endpoints: the figure of the goal, and lines for people."""
    from scripts.bench.inside import beside_full  # noqa: PLC0415  Why: loads the service.

    with ExitStack() as stack:
        places = [stack.enter_context(filled_database(stage, INTENTS)) for _ in range(2)]
        pile_up(places[1], backlog)
        asked = [beside_full(place, HANGING) for place in places]
        databases = [stack.enter_context(psycopg.connect(place.database_url)) for place in places]
        none, many = time_in_turn(databases, asked, repeats)
    lines = [f"{waiting:>9,} waiting{took:>11.2f} ms" for waiting, took in ((0, none), (backlog, many))]
    return {"claim_backlog": many / none}, lines


def pile_up(stage: Stage, deliveries: int) -> None:
    """Make so many due at the endpoint that hangs, before everything else."""
    with psycopg.connect(stage.database_url, autocommit=True) as database:
        given = {"merchant_id": stage.merchant_id, "events": deliveries, "weeks": 1}
        database.execute(read_sql("deliveries.sql"), {**given, "endpoints": [str(HANGING)], "endpoint_count": 1})
        older = "UPDATE webhooks_delivery SET next_attempt_at = now() - interval '1 hour' WHERE endpoint_id = %s"
        database.execute(f"{older} AND outcome = 'due'", [HANGING])
        database.execute("VACUUM ANALYZE")
