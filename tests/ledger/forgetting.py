"""Going around the books: what a program of the release before leaves, and what nobody may write."""

from django.db import connection

from core.append_only import no_triggers, triggers

TABLE = "ledger_posting"


def went_around(statement: str, *values: str | int | bytes, table: str = TABLE) -> None:
    """Run a statement as whoever owns the tables can: the triggers are switched off for it."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(statement, values)
            cursor.execute("SET LOCAL session_replication_role = origin")
            return
        for trigger in no_triggers(table)["sqlite"]:
            cursor.execute(trigger)
        cursor.execute(statement, values)
        for trigger in triggers(table)["sqlite"]:
            cursor.execute(trigger)


def forget_the_books(*, of: str = "") -> None:
    """Rows of money, and nothing booked of one of them, or of all."""
    if of:
        went_around("DELETE FROM ledger_posting WHERE source_id = %s", of)
    else:
        went_around("DELETE FROM ledger_posting")
