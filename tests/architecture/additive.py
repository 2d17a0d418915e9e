"""What a migration does that code of the release before does not bear, or that keeps others waiting: read, not run.

Source: docs/upgrade.md, What a migration may do; docs/adr/0095.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from core.indexes import AddIndexMeanwhile
from tests.architecture.source import APPS, ROOT

LAST_RELEASE = ROOT / "config" / "last_release.txt"
IN_ITS_TEXT = re.compile(
    r"\b(?:DROP (?:TABLE|COLUMN|CONSTRAINT|DEFAULT|IDENTITY|TRIGGER|FUNCTION)|RENAME|SET NOT NULL"
    r"|ALTER \w+ (?:SET DATA )?TYPE"
    r"|(?:CREATE|ADD) (?:UNIQUE )?INDEX (?!CONCURRENTLY)|remove_field|delete_model|alter_field|add_index|rename_\w+)\b"
)
"""What is looked for in migrations that speak SQL themselves."""
NOT_ADDITIVE: dict[type[Operation], str] = {
    migrations.DeleteModel: "drops a table",
    migrations.RenameModel: "renames a table",
    migrations.AlterModelTable: "renames a table",
    migrations.RemoveField: "drops a column",
    migrations.AddConstraint: "adds a constraint, which code of before may break",
    migrations.AlterUniqueTogether: "adds or drops a unique key",
    migrations.RenameIndex: "renames an index",
}
RUNS_AGAIN = (AddIndexMeanwhile, migrations.RunPython, migrations.SeparateDatabaseAndState)


def released() -> frozenset[str]:
    """The migrations of the last release, as the names of their modules."""
    lines = LAST_RELEASE.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith(("#", "release ")))


def findings(of_before: frozenset[str]) -> Iterator[str]:
    """What each younger migration of ours does that has to be decided by a person."""
    loader = MigrationLoader(None)
    state = ProjectState(real_apps=loader.unmigrated_apps)
    for node in _in_order(loader):
        migration: Any = loader.graph.nodes[node]
        name = migration.__module__
        is_judged = name.partition(".")[0] in APPS and name not in of_before
        if is_judged:
            yield from (f"{name}: {what}" for what in judged(migration, state))
        state = migration.mutate_state(state, preserve=False)


def _in_order(loader: MigrationLoader) -> list[Any]:
    order: dict[Any, None] = {}
    for leaf in sorted(loader.graph.leaf_nodes()):
        order.update(dict.fromkeys(loader.graph.forwards_plan(leaf)))
    return list(order)


def judged(migration: migrations.Migration, before: ProjectState) -> Iterator[str]:
    """What one migration does. ``before``: the tables as it finds them."""
    made: set[str] = set()
    state = before.clone()
    for operation in migration.operations:
        done = (
            operation.database_operations if isinstance(operation, migrations.SeparateDatabaseAndState) else [operation]
        )
        for one in done:
            yield from _additive(one, migration.app_label, state, made)
            yield from _waits(one, made)
        if not migration.atomic and not isinstance(operation, RUNS_AGAIN):
            yield f"{operation.describe()}: cannot be run again where the migration was interrupted after it"
        operation.state_forwards(migration.app_label, state)
    yield from _text(migration)


def _additive(operation: Operation, app: str, before: ProjectState, made: set[str]) -> Iterator[str]:
    """Whether code of the release before goes on with the tables afterwards."""
    if isinstance(operation, migrations.CreateModel):
        made.add(operation.name_lower)
    elif getattr(operation, "model_name_lower", "") in made:
        return
    elif type(operation) in NOT_ADDITIVE:
        yield f"{operation.describe()}: {NOT_ADDITIVE[type(operation)]}"
    elif isinstance(operation, migrations.AddField):
        field: Any = operation.field
        if not (field.null or field.has_db_default() or field.many_to_many):
            yield f"{operation.describe()}: has no default in the database, and code of before writes none"
    elif isinstance(operation, migrations.RenameField | migrations.AlterField | migrations.RemoveConstraint):
        model = before.models[app, operation.model_name_lower]
        yield from (f"{operation.describe()}: {what}" for what in _changed(operation, model))


def _changed(operation: Any, model: ModelState) -> Iterator[str]:
    if isinstance(operation, migrations.AlterField):
        yield from _narrower(model.get_field(operation.name), operation.field)
    elif isinstance(operation, migrations.RenameField):
        if not model.get_field(operation.old_name).db_column:
            yield "renames a column"
    elif any(
        isinstance(one, models.UniqueConstraint) and one.name == operation.name for one in model.options["constraints"]
    ):
        yield "drops a unique key, which statements of before may name"


def _narrower(old: Any, new: Any) -> Iterator[str]:
    """What an altered column no longer takes."""
    if old.get_internal_type() != new.get_internal_type():
        yield "changes the type"
    for limit in ("max_length", "max_digits", "decimal_places"):
        had, has = getattr(old, limit, None), getattr(new, limit, None)
        if has is not None and (had is None or has < had):
            yield f"narrows {limit}"
    if old.null and not new.null:
        yield "takes no NULL any more"
    if old.has_db_default() and not new.has_db_default():
        yield "drops the default in the database"
    if new.unique and not old.unique:
        yield "adds a unique key"
    if (old.db_column or "") != (new.db_column or ""):
        yield "renames a column"


def _waits(operation: Operation, made: set[str]) -> Iterator[str]:
    """Whether readers or writers of a table with rows in it wait for as long as the table is read or written."""
    if getattr(operation, "model_name_lower", "") in made or isinstance(operation, AddIndexMeanwhile):
        return
    if isinstance(operation, migrations.AddIndex):
        yield f"{operation.describe()}: writers wait for the index; AddIndexMeanwhile keeps nobody waiting"
    if isinstance(operation, migrations.AddField):
        field: Any = operation.field
        if field.unique or field.db_index or (field.remote_field and getattr(field, "db_constraint", False)):
            yield f"{operation.describe()}: writers wait for its index or its references"


def _text(migration: migrations.Migration) -> Iterator[str]:
    """What stands in a migration's own SQL and Python, in one finding."""
    operations = list(_all(migration.operations))
    texts = [str(one.sql) for one in operations if isinstance(one, migrations.RunSQL)]
    if any(isinstance(one, migrations.RunPython) for one in operations):
        texts.append(Path(sys.modules[migration.__module__].__file__ or "").read_text(encoding="utf-8"))
    words = sorted({" ".join(found.split()) for text in texts for found in IN_ITS_TEXT.findall(text)})
    if words:
        yield f"its text has {', '.join(words)}"


def _all(operations: Iterable[Operation]) -> Iterator[Operation]:
    for operation in operations:
        yield operation
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            yield from _all(operation.database_operations)
