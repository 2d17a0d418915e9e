"""An embedded database of another version: that of a newer is refused, that of an older is copied before it changes.

Source: docs/upgrade.md, The embedded default.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from core.clock import now
from core.migrated import unknown_migrations

UNDER_WAY = "upgrade-under-way.sqlite3"
COPIES, KEPT_COPIES = "before-upgrade-*.sqlite3", 3


def refuse_newer() -> None:
    """Stop where a newer version made the tables. Raises: CommandError with what to do."""
    unknown = unknown_migrations()
    if not unknown:
        return
    copies = _copies()
    back = f", or put {copies[-1].name}, the copy of before the upgrade, in its place" if copies else ""
    raise CommandError(
        f"The database in {settings.LOCAL_DIR} is of a newer version of Causeway, which made {unknown[-1]}. "
        f"Start that version{back}."
    )


def keep_copy(path: Path) -> Path:
    """A whole copy of this database in ``LOCAL_DIR``. Raises: CommandError; nothing was changed then.

    One of an upgrade that did not come to its end stays as it is: it alone has what was before.
    Why by SQLite: what its write-ahead log holds is no part of the file. Source: https://www.sqlite.org/backup.html.
    """
    copy, unfinished = settings.LOCAL_DIR / UNDER_WAY, settings.LOCAL_DIR / f"{UNDER_WAY}.unfinished"
    try:
        with closing(sqlite3.connect(path)) as database:
            if copy.exists():
                with closing(sqlite3.connect(copy)) as kept:
                    if _applied(kept) != _applied(database):
                        return copy
            with closing(sqlite3.connect(unfinished)) as written:
                database.backup(written)
        return unfinished.rename(copy)
    except (sqlite3.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        sentence = f"The database could not be copied before its upgrade: {error}. Nothing was changed."
        raise CommandError(sentence) from error


def name_copy() -> None:
    """The upgrade came to its end: its copy is kept by the moment, with the two of before."""
    (settings.LOCAL_DIR / UNDER_WAY).rename(settings.LOCAL_DIR / COPIES.replace("*", f"{now():%Y%m%d-%H%M%S}"))
    for old in _copies()[:-KEPT_COPIES]:
        old.unlink()


def _copies() -> list[Path]:
    """The oldest first."""
    return sorted(settings.LOCAL_DIR.glob(COPIES))


def _applied(database: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(database.execute("SELECT app, name FROM django_migrations"))
