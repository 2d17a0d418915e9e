"""The request log lies in a partition for each day: what ended is dropped whole, and a day is made before it comes.

What was written before becomes the first partition, as it lies: no row is moved. Its unique index and the proof that
nothing in it is younger are made while the log is written; the change itself takes milliseconds. Only PostgreSQL has
partitions. Both ways an interrupted migration is run again. Source: docs/adr/0084.
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, ClassVar

from django.db import migrations

from core.migrating import all_or_nothing, in_short_tries, taken_back_unless_done

BEFORE_ENDS_IN = timedelta(days=3)
AHEAD_DAYS = 10
KEY, ENDS = "merchants_requestrecord_key", "merchants_requestrecord_ends"
INDEXES = ("request_of_merchant", "request_of_object", "request_by_name")


def lay_in_days(apps: Any, editor: Any) -> None:
    """Move the table over. Nothing where it is done already, or where the database has no partitions."""
    if editor.connection.vendor != "postgresql":
        return
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT relkind = 'p' FROM pg_class WHERE oid = 'merchants_requestrecord'::regclass")
        if cursor.fetchone()[0]:
            return
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        ends = today + BEFORE_ENDS_IN
        cursor.execute("SET statement_timeout = 0")
        with taken_back_unless_done(editor.connection, partial(_refuse_nothing, cursor)):
            _prepare(editor.connection, cursor, ends)
            swap = partial(_swap, cursor, f"merchants_requestrecord_before_{ends:%Y%m%d}", ends)
            in_short_tries(editor.connection, all_or_nothing(editor.connection, swap))
        cursor.execute("RESET statement_timeout")
        cursor.execute("RESET lock_timeout")


def _prepare(connection: Any, cursor: Any, ends: datetime) -> None:
    """What takes long, while rows are written; what needs the table to itself is made in short tries."""
    cursor.execute("SET lock_timeout = 0")  # neither waits for anything that keeps a reader or writer waiting
    cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {KEY}")
    cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {KEY} ON merchants_requestrecord (id, created_at)")
    in_short_tries(connection, all_or_nothing(connection, partial(_promise, cursor, ends)))
    cursor.execute("SET lock_timeout = 0")
    cursor.execute(f"ALTER TABLE merchants_requestrecord VALIDATE CONSTRAINT {ENDS}")


def _promise(cursor: Any, ends: datetime) -> None:
    """Nothing younger is written from now on. Locks: the table, whole, for a moment."""
    _refuse_nothing(cursor)
    younger = f"CHECK (created_at < '{ends.isoformat()}')"
    cursor.execute(f"ALTER TABLE merchants_requestrecord ADD CONSTRAINT {ENDS} {younger} NOT VALID")


def _refuse_nothing(cursor: Any) -> None:
    """Take the promise back. Why: left behind, it would refuse every line of after its end."""
    cursor.execute(f"ALTER TABLE merchants_requestrecord DROP CONSTRAINT IF EXISTS {ENDS}")


def _swap(cursor: Any, before: str, ends: datetime) -> None:
    """All or nothing. Locks: the table, whole, for as long as it takes to write down what belongs to what."""
    cursor.execute("LOCK TABLE merchants_requestrecord IN ACCESS EXCLUSIVE MODE")
    cursor.execute("SELECT nextval(pg_get_serial_sequence('merchants_requestrecord', 'id'))")
    number = cursor.fetchone()[0]
    cursor.execute("SELECT quote_ident(current_schema())")
    schema = cursor.fetchone()[0]
    for statement in (
        "ALTER TABLE merchants_requestrecord ALTER id DROP IDENTITY IF EXISTS",
        "ALTER TABLE merchants_requestrecord ALTER id DROP DEFAULT",
        "ALTER TABLE merchants_requestrecord DROP CONSTRAINT merchants_requestrecord_pkey",
        f"ALTER TABLE merchants_requestrecord RENAME TO {before}",
        f"ALTER TABLE {before} ADD CONSTRAINT {before}_pkey PRIMARY KEY USING INDEX {KEY}",
        *(f"ALTER INDEX {name} RENAME TO {name}_before" for name in INDEXES),
        f"CREATE TABLE merchants_requestrecord (LIKE {before} INCLUDING CONSTRAINTS) PARTITION BY RANGE (created_at)",
        f"ALTER TABLE merchants_requestrecord DROP CONSTRAINT {ENDS}",
        f"CREATE SEQUENCE merchants_requestrecord_number START {number} OWNED BY merchants_requestrecord.id",
        "ALTER TABLE merchants_requestrecord ALTER id SET DEFAULT nextval('merchants_requestrecord_number')",
        "ALTER TABLE merchants_requestrecord ADD CONSTRAINT merchants_requestrecord_pkey PRIMARY KEY (id, created_at)",
        "CREATE INDEX request_of_merchant ON merchants_requestrecord (merchant_id, mode, id DESC)",
        "CREATE INDEX request_of_object ON merchants_requestrecord (object_id, id DESC) WHERE object_id IS NOT NULL",
        "CREATE INDEX request_by_name ON merchants_requestrecord (request_id)",
        f"ALTER TABLE merchants_requestrecord ATTACH PARTITION {before}"
        f" FOR VALUES FROM (MINVALUE) TO ('{ends.isoformat()}')",
        f"ALTER TABLE {before} DROP CONSTRAINT {ENDS}",
        "CREATE TABLE merchants_requestrecord_default PARTITION OF merchants_requestrecord DEFAULT",
        _MAKE.replace("{schema}", schema),
        _DROP.replace("{schema}", schema),
        f"SELECT merchants_make_request_days({AHEAD_DAYS})",
        _LEND.replace("{before}", before),
    ):
        cursor.execute(statement)


_MAKE = """
CREATE FUNCTION merchants_make_request_days(days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '500ms' SET timezone = 'UTC' SET search_path = {schema}, pg_temp AS $$
DECLARE
    day date; part text; starts timestamptz; ends timestamptz; strays bigint; made integer := 0;
BEGIN
    FOR day IN SELECT current_date + generate_series(0, least(days, 60) - 1) LOOP
        part := 'merchants_requestrecord_' || to_char(day, 'YYYYMMDD');
        starts := day;
        ends := day + 1;
        CONTINUE WHEN to_regclass(part) IS NOT NULL OR EXISTS (
            SELECT FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = 'merchants_requestrecord'::regclass AND relname LIKE '%\\_before\\_%'
            AND right(relname, 8)::date > day);
        -- Rows of a day that was not made in time lie in the default partition, and move. Too many would be held too long.
        SELECT count(*) INTO strays FROM (
            SELECT FROM merchants_requestrecord_default WHERE created_at >= starts AND created_at < ends LIMIT 50001
        ) AS few;
        CONTINUE WHEN strays > 50000;
        EXECUTE format('CREATE TABLE %I (LIKE merchants_requestrecord INCLUDING CONSTRAINTS)', part);
        LOCK TABLE merchants_requestrecord_default IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('WITH moved AS (
            DELETE FROM merchants_requestrecord_default WHERE created_at >= %L AND created_at < %L RETURNING *
        ) INSERT INTO %I SELECT * FROM moved', starts, ends, part);
        EXECUTE format('ALTER TABLE merchants_requestrecord ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
            part, starts, ends);
        made := made + 1;
    END LOOP;
    RETURN made;
END $$
"""
"""Why a function, and as its owner: the programs' role need not own the tables. Source: docs/operators.md."""
_DROP = """
CREATE FUNCTION merchants_drop_request_days(ended timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '500ms' SET timezone = 'UTC' SET search_path = {schema}, pg_temp AS $$
DECLARE
    part text; ends timestamptz; dropped integer := 0;
BEGIN
    ended := least(ended, now() - interval '1 day');
    FOR part IN SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'merchants_requestrecord'::regclass AND relname ~ '_[0-9]{8}$' ORDER BY relname
    LOOP
        ends := right(part, 8)::date + CASE WHEN part LIKE '%\\_before\\_%' THEN 0 ELSE 1 END;
        IF ends <= ended THEN
            EXECUTE format('DROP TABLE %I', part);
            dropped := dropped + 1;
        END IF;
    END LOOP;
    DELETE FROM merchants_requestrecord_default WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM merchants_requestrecord_default WHERE created_at < ended LIMIT 10000));
    RETURN dropped;
END $$
"""
_LEND = """
DO $$
DECLARE
    lent record;
BEGIN
    REVOKE ALL ON FUNCTION merchants_make_request_days, merchants_drop_request_days FROM PUBLIC;
    FOR lent IN SELECT grantee::regrole::text AS who, privilege_type AS what
        FROM pg_class, aclexplode(relacl) WHERE oid = '{before}'::regclass AND grantee <> relowner AND grantee <> 0
    LOOP
        EXECUTE format('GRANT %s ON merchants_requestrecord TO %s', lent.what, lent.who);
        IF lent.what = 'INSERT' THEN
            EXECUTE format('GRANT USAGE ON SEQUENCE merchants_requestrecord_number TO %s', lent.who);
        ELSIF lent.what = 'DELETE' THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION merchants_make_request_days, merchants_drop_request_days TO %s',
                lent.who);
        END IF;
    END LOOP;
END $$
"""
"""Whoever might use the table may use the new one; whoever might remove rows may have days made and dropped."""


class Migration(migrations.Migration):
    """The model is as it was. Why nothing is undone: the release before works with partitions as well."""

    atomic = False
    dependencies: ClassVar = [("merchants", "0004_fewer_indexes_of_requests")]
    operations: ClassVar = [migrations.RunPython(lay_in_days, migrations.RunPython.noop)]
