"""The queue of intents gets a table of its own; what waits is moved over at once.

PostgreSQL keeps the old columns for one release, so that programs of before and of now run side by side: what those of
before write is followed by a trigger. Source: docs/operators.md, A new version.
"""

from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models

WAITS = """
    INSERT INTO payments_queuedintent (intent_id, due_at, listed_at, is_over)
    SELECT id, next_attempt_at, next_attempt_at, status IN ('settled', 'failed', 'expired', 'cancelled', 'refunded')
    FROM payments_paymentintent
    WHERE next_attempt_at IS NOT NULL AND NOT (status = 'created' AND next_attempt_at >= expires_due_at)
"""
"""Why not what is new: its time alone can end, which ``expires_due_at`` says."""
WAITED = """
    UPDATE payments_paymentintent SET next_attempt_at = CASE WHEN status = 'created' THEN expires_due_at ELSE
        (SELECT due_at FROM payments_queuedintent WHERE intent_id = payments_paymentintent.id) END
    WHERE status = 'created' OR id IN (SELECT intent_id FROM payments_queuedintent)
"""
FOLLOWS = """
    CREATE FUNCTION payments_queue_follows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.next_attempt_at IS NULL THEN
            DELETE FROM payments_queuedintent WHERE intent_id = NEW.id;
        ELSE
            INSERT INTO payments_queuedintent AS queued (intent_id, due_at, listed_at, is_over)
            VALUES (NEW.id, NEW.next_attempt_at, NEW.next_attempt_at,
                    NEW.status IN ('settled', 'failed', 'expired', 'cancelled', 'refunded'))
            ON CONFLICT (intent_id) DO UPDATE
            SET due_at = EXCLUDED.due_at, listed_at = EXCLUDED.listed_at, is_over = EXCLUDED.is_over;
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER payments_queue_follows AFTER UPDATE OF next_attempt_at ON payments_paymentintent
    FOR EACH ROW EXECUTE FUNCTION payments_queue_follows()
"""
FOLLOWS_NO_MORE = """
    DROP TRIGGER payments_queue_follows ON payments_paymentintent;
    DROP FUNCTION payments_queue_follows()
"""


def leave_room(apps: Any, editor: Any) -> None:
    """On each page, so that a row that is rewritten finds place beside itself, and no index is written."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE payments_queuedintent SET (fillfactor = 70)")


def move_over(apps: Any, editor: Any) -> None:
    """The trigger first: it waits for whoever writes intents, and keeps others waiting until this is done."""
    if editor.connection.vendor == "postgresql":
        editor.execute(FOLLOWS)
    editor.execute(WAITS)


def move_back(apps: Any, editor: Any) -> None:
    """To where it stood before."""
    if editor.connection.vendor == "postgresql":
        editor.execute(FOLLOWS_NO_MORE)
    editor.execute(WAITED)


def leave_columns(apps: Any, editor: Any) -> None:
    """SQLite has one program, and nothing to wait for. On PostgreSQL a new row names neither column any more."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE payments_paymentintent ALTER COLUMN attempts SET DEFAULT 0")
        return
    intent = apps.get_model("payments", "PaymentIntent")
    [due] = [index for index in intent._meta.indexes if index.name == "intent_due"]
    editor.remove_index(intent, due)
    for name in ("next_attempt_at", "attempts"):
        editor.remove_field(intent, intent._meta.get_field(name))


def bring_columns_back(apps: Any, editor: Any) -> None:
    """As they were before; on SQLite the table is made anew, with the index."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE payments_paymentintent ALTER COLUMN attempts DROP DEFAULT")
        return
    intent = apps.get_model("payments", "PaymentIntent")
    for name in ("next_attempt_at", "attempts"):
        editor.add_field(intent, intent._meta.get_field(name))


class Migration(migrations.Migration):
    """What waits is moved in one statement, which finds it by its index."""

    dependencies: ClassVar = [("payments", "0014_routes_by_age")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="QueuedIntent",
            fields=[
                (
                    "intent",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="queued",
                        serialize=False,
                        to="payments.paymentintent",
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("listed_at", models.DateTimeField()),
                ("is_over", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [models.Index(fields=["is_over", "listed_at"], name="queued_intent_due")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("listed_at__lte", models.F("due_at"))),
                        name="queued_intent_is_listed_in_time",
                    )
                ],
            },
        ),
        migrations.RunPython(leave_room, migrations.RunPython.noop),
        migrations.RunPython(move_over, move_back),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(leave_columns, bring_columns_back)],
            state_operations=[
                migrations.RemoveIndex("paymentintent", "intent_due"),
                migrations.RemoveField("paymentintent", "next_attempt_at"),
                migrations.RemoveField("paymentintent", "attempts"),
            ],
        ),
    ]
