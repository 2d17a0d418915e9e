"""Events, their deliveries and attempts lie in a partition for each week: what ended is dropped whole.

What was written before becomes the first partitions, as it lies: no row is moved, and no index is made. The proof that
nothing in them is younger is made while they are written to; the change itself takes milliseconds. Only PostgreSQL has
partitions. An interrupted migration is run again. Source: docs/adr/0089.
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, ClassVar, Final

from django.db import migrations

from core.migrating import all_or_nothing, in_short_tries, taken_back_unless_done

WEEK_OF: Final = {
    "webhooks_event": "occurred_at",
    "webhooks_delivery": "event_at",
    "webhooks_deliveryattempt": "event_at",
}
"""The tables, each after what it refers to, with the column that says in which week a row lies."""
ENDS: Final = "lies_before_weeks"
TRIES: Final = 300
"""Payments stand behind a try, so each is short."""
BEFORE_WEEKS: Final = 2
"""Why not the next: until an interrupted migration is run again, its proof refuses what is younger."""
AHEAD_WEEKS: Final = 2


def lay_in_weeks(apps: Any, editor: Any) -> None:
    """Move the tables over. Nothing where it is done already, or where the database has no partitions."""
    if editor.connection.vendor != "postgresql":
        return
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT relkind = 'p' FROM pg_class WHERE oid = 'webhooks_event'::regclass")
        if cursor.fetchone()[0]:
            return
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        ends = today + timedelta(weeks=BEFORE_WEEKS, days=-today.weekday())
        cursor.execute("SET statement_timeout = 0")
        with taken_back_unless_done(editor.connection, partial(_refuse_nothing, cursor)):
            _prove(editor.connection, cursor, ends)
            swap = all_or_nothing(editor.connection, partial(_swap, cursor, ends))
            in_short_tries(editor.connection, swap, tries=TRIES)
        cursor.execute("RESET statement_timeout")
        cursor.execute("RESET lock_timeout")


def _prove(connection: Any, cursor: Any, ends: datetime) -> None:
    for table, key in WEEK_OF.items():
        promise = partial(_promise, cursor, table, f"CHECK ({key} < '{ends.isoformat()}')")
        in_short_tries(connection, all_or_nothing(connection, promise), tries=TRIES)
        cursor.execute("SET lock_timeout = 0")  # what reads the whole table keeps no reader or writer waiting
        cursor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {ENDS}")


def _promise(cursor: Any, table: str, younger: str) -> None:
    """Nothing younger is written from now on. Locks: the table, whole, for a moment."""
    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {ENDS}")
    cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {ENDS} {younger} NOT VALID")


def _refuse_nothing(cursor: Any) -> None:
    """Take the promises back. Why: left behind, they would refuse every event of after their end."""
    for table in WEEK_OF:
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {ENDS}")


def _swap(cursor: Any, ends: datetime) -> None:
    """All or nothing. Locks: the tables, whole, for as long as it takes to write down what belongs to what."""
    cursor.execute(f"LOCK TABLE {', '.join(WEEK_OF)} IN ACCESS EXCLUSIVE MODE")
    for name, table in _asked(cursor, _REFERENCES_AMONG, list(WEEK_OF)):
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    [(number,)] = _asked(cursor, "SELECT nextval(pg_get_serial_sequence('webhooks_deliveryattempt', 'id'))")
    cursor.execute("ALTER TABLE webhooks_deliveryattempt ALTER id DROP IDENTITY IF EXISTS")
    cursor.execute("ALTER TABLE webhooks_deliveryattempt ALTER id DROP DEFAULT")
    for table, key in WEEK_OF.items():
        _lay(cursor, table, key, ends)
    [(schema,)] = _asked(cursor, "SELECT quote_ident(current_schema())")
    for statement in (
        f"CREATE SEQUENCE webhooks_deliveryattempt_number START {number} OWNED BY webhooks_deliveryattempt.id",
        "ALTER TABLE webhooks_deliveryattempt ALTER id SET DEFAULT nextval('webhooks_deliveryattempt_number')",
        _MAKE.replace("{schema}", schema),
        _DROP.replace("{schema}", schema),
        f"SELECT webhooks_make_event_weeks({AHEAD_WEEKS})",
        *(_LEND.replace("{before}", _before(table, ends)).replace("{table}", table) for table in WEEK_OF),
        _LEND_WORK.replace("{before}", _before("webhooks_event", ends)),
    ):
        cursor.execute(statement)


def _before(table: str, ends: datetime) -> str:
    return f"{table}_before_{ends:%Y%m%d}"


def _asked(cursor: Any, question: str, *values: Any) -> list[Any]:
    cursor.execute(question, values)
    found: list[Any] = cursor.fetchall()
    return found


def _lay(cursor: Any, table: str, key: str, ends: datetime) -> None:
    """A table of partitions in the place of this one, which becomes the first of them.

    Unique keys stand in each partition and not over all: the old ones serve as they are. What is unique has one week.
    """
    before, default = _before(table, ends), f"{table}_default"
    indexes = _asked(cursor, _INDEXES, table)
    references = _asked(cursor, _REFERENCES, table)
    room = "WITH (fillfactor = 70)" if table == "webhooks_delivery" else ""
    for statement in (
        f"ALTER TABLE {table} RENAME TO {before}",
        *(f"ALTER INDEX {name} RENAME TO {name}_before" for name, _ in indexes),
        f"CREATE TABLE {table} (LIKE {before} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE ({key})",
        f"ALTER TABLE {table} DROP CONSTRAINT {ENDS}",
        *(definition for _, definition in indexes),
        *(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}" for name, definition in references),
        f"ALTER TABLE {table} ATTACH PARTITION {before} FOR VALUES FROM (MINVALUE) TO ('{ends.isoformat()}')",
        f"ALTER TABLE {before} DROP CONSTRAINT {ENDS}",
        f"CREATE TABLE {default} (LIKE {before} INCLUDING ALL) {room}",
        f"ALTER TABLE {table} ATTACH PARTITION {default} DEFAULT",
    ):
        cursor.execute(statement)


_REFERENCES_AMONG = """
SELECT quote_ident(conname), conrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND confrelid = ANY (%s::text[]::regclass[])
"""
"""None of them deletes anything; what they refuse, locks and the order of deleting prevent. Source: docs/adr/0089."""
_REFERENCES = """
SELECT quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND conrelid = %s::regclass
"""
_INDEXES = """
SELECT quote_ident(relname), pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = %s::regclass AND NOT indisunique
"""
_MAKE = """
CREATE FUNCTION webhooks_make_event_weeks(weeks integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' SET timezone = 'UTC' SET search_path = {schema}, pg_temp AS $$
DECLARE
    week date; starts timestamptz; ends timestamptz; kind record; part text; strays bigint; made integer := 0;
BEGIN
    FOR week IN SELECT date_trunc('week', now())::date + 7 * generate_series(0, least(weeks, 20) - 1) LOOP
        starts := week;
        ends := week + 7;
        CONTINUE WHEN to_regclass('webhooks_event_' || to_char(week, 'YYYYMMDD')) IS NOT NULL OR EXISTS (
            SELECT FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = 'webhooks_event'::regclass AND relname LIKE '%\\_before\\_%'
            AND right(relname, 8)::date > week);
        -- Rows of a week that was not made in time lie in the default partitions, and move. Too many would be held too long.
        SELECT count(*) INTO strays FROM (
            (SELECT FROM webhooks_event_default WHERE occurred_at >= starts AND occurred_at < ends LIMIT 20001)
            UNION ALL (SELECT FROM webhooks_delivery_default WHERE event_at >= starts AND event_at < ends LIMIT 20001)
            UNION ALL (SELECT FROM webhooks_deliveryattempt_default WHERE event_at >= starts AND event_at < ends LIMIT 20001)
        ) AS few;
        CONTINUE WHEN strays > 20000;
        FOR kind IN SELECT * FROM (VALUES
            ('webhooks_event', 'occurred_at', 100), ('webhooks_delivery', 'event_at', 70),
            ('webhooks_deliveryattempt', 'event_at', 100)
        ) AS kinds (name, key, fill) LOOP
            part := kind.name || '_' || to_char(week, 'YYYYMMDD');
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) WITH (fillfactor = %s)',
                part, kind.name || '_default', kind.fill);
            EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', kind.name || '_default');
            EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %2$I < %4$L RETURNING *)
                INSERT INTO %5$I SELECT * FROM moved', kind.name || '_default', kind.key, starts, ends, part);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                kind.name, part, starts, ends);
        END LOOP;
        made := made + 1;
    END LOOP;
    RETURN made;
END $$
"""
"""Why a function, and as its owner: the programs' role need not own the tables. Source: docs/operators.md."""
_DROP = """
CREATE FUNCTION webhooks_drop_event_week(ended timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' SET timezone = 'UTC' SET search_path = {schema}, pg_temp AS $$
DECLARE
    week text; ends timestamptz; asked text; is_kept boolean;
BEGIN
    ended := least(ended, now() - interval '1 day');
    FOR week IN SELECT substr(relname, 16) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'webhooks_event'::regclass AND relname ~ '_[0-9]{8}$' ORDER BY right(relname, 8)
    LOOP
        ends := right(week, 8)::date + CASE WHEN week LIKE 'before%' THEN 0 ELSE 7 END;
        EXIT WHEN ends > ended;
        asked := format('SELECT EXISTS (SELECT FROM %I WHERE kept_until > now())
            OR EXISTS (SELECT FROM %I WHERE outcome = ''due'')', 'webhooks_event_' || week, 'webhooks_delivery_' || week);
        EXECUTE asked INTO is_kept;
        CONTINUE WHEN is_kept;
        EXECUTE format('LOCK TABLE %I, %I, %I IN ACCESS EXCLUSIVE MODE',
            'webhooks_deliveryattempt_' || week, 'webhooks_delivery_' || week, 'webhooks_event_' || week);
        EXECUTE asked INTO is_kept;  -- what was put on its way again meanwhile
        CONTINUE WHEN is_kept;
        EXECUTE format('DROP TABLE %I, %I, %I',
            'webhooks_deliveryattempt_' || week, 'webhooks_delivery_' || week, 'webhooks_event_' || week);
        RETURN true;
    END LOOP;
    DELETE FROM webhooks_deliveryattempt_default WHERE ctid = ANY (ARRAY(
        SELECT stray.ctid FROM webhooks_deliveryattempt_default AS stray WHERE event_at < ended
        AND NOT EXISTS (SELECT FROM webhooks_delivery WHERE id = stray.delivery_id) LIMIT 1000));
    RETURN false;
END $$
"""
"""One week at a time, so that what holds up the next keeps nothing of this one."""
_LEND = """
DO $$
DECLARE
    lent record;
BEGIN
    FOR lent IN SELECT grantee::regrole::text AS who, privilege_type AS what
        FROM pg_class, aclexplode(relacl) WHERE oid = '{before}'::regclass AND grantee <> relowner AND grantee <> 0
    LOOP
        EXECUTE format('GRANT %s ON {table} TO %s', lent.what, lent.who);
    END LOOP;
END $$
"""
_LEND_WORK = """
DO $$
DECLARE
    lent record;
BEGIN
    REVOKE ALL ON FUNCTION webhooks_make_event_weeks, webhooks_drop_event_week FROM PUBLIC;
    FOR lent IN SELECT grantee::regrole::text AS who, privilege_type AS what
        FROM pg_class, aclexplode(relacl) WHERE oid = '{before}'::regclass AND grantee <> relowner AND grantee <> 0
    LOOP
        IF lent.what = 'INSERT' THEN
            EXECUTE format('GRANT USAGE ON SEQUENCE webhooks_deliveryattempt_number TO %s', lent.who);
        ELSIF lent.what = 'DELETE' THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION webhooks_make_event_weeks, webhooks_drop_event_week TO %s', lent.who);
        END IF;
    END LOOP;
END $$
"""
"""Whoever might use the tables may use the new ones; whoever might remove events may have weeks made and dropped."""


class Migration(migrations.Migration):
    """The models are as they were. Why nothing is undone: the release before works with partitions as well."""

    atomic = False
    dependencies: ClassVar = [("webhooks", "0007_weeks_of_deliveries")]
    operations: ClassVar = [migrations.RunPython(lay_in_weeks, migrations.RunPython.noop)]
