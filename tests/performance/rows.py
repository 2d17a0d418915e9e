"""Fills the tables by the benchmark's own SQL."""

from django.db import connection

from scripts.bench.stage import read_sql


def fill(merchant_id: int, intents: int) -> None:
    """So many intents of one merchant, with their events and deliveries."""
    with connection.cursor() as cursor:
        for script in ("intents.sql", "history.sql"):
            for statement in read_sql(script).rstrip().rstrip(";").split(";\n"):
                cursor.execute(statement, {"merchant_id": merchant_id, "intents": intents})
