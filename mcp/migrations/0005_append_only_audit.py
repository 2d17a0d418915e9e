"""The agents' audit is append-only in the database too: changing or removing a line is refused by a trigger.

A migration that rebuilds this table on SQLite (changing or removing a column does) must lay the triggers again.
"""

from typing import Any

from django.db import migrations

TABLE = "mcp_server_agentrecord"
REFUSAL = "the agents'' audit is append-only"
SQLITE = [
    f"""CREATE TRIGGER agent_record_keeps_{verb} BEFORE {verb} ON {TABLE}
    BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"""
    for verb in ("update", "delete")
]
POSTGRESQL = [
    f"""CREATE FUNCTION refuse_agent_record_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
    f"""CREATE TRIGGER agent_record_keeps BEFORE UPDATE OR DELETE ON {TABLE}
    FOR EACH ROW EXECUTE FUNCTION refuse_agent_record_change()""",
]
UNDO = {
    "sqlite": ["DROP TRIGGER agent_record_keeps_update", "DROP TRIGGER agent_record_keeps_delete"],
    "postgresql": [f"DROP TRIGGER agent_record_keeps ON {TABLE}", "DROP FUNCTION refuse_agent_record_change()"],
}


def lay(apps: Any, editor: Any) -> None:
    for statement in {"sqlite": SQLITE, "postgresql": POSTGRESQL}[editor.connection.vendor]:
        editor.execute(statement)


def lift(apps: Any, editor: Any) -> None:
    for statement in UNDO[editor.connection.vendor]:
        editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("mcp_server", "0004_policy_without_zeros")]

    operations = [migrations.RunPython(lay, lift)]
