"""``manage.py up`` over a database of another version: an older one is copied first, a newer one refused."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from config.older_database import keep_copy, name_copy
from tests.config.served import served, start
from tests.journeys.programs import DATABASE, clean_environment, run_to_end
from tests.machine import PATIENCE_SECONDS, own_port
from tests.templates import copy_sqlite

pytestmark = pytest.mark.embedded

NEWEST = ("payments", "0018_one_index_of_merchants")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of a version before, whose newest migrations are not applied."""
    made = tmp_path / "data"
    made.mkdir()
    copy_sqlite(made / DATABASE)
    with closing(sqlite3.connect(made / DATABASE)) as database, database:
        database.execute("DELETE FROM chains_networkprofile")
    back = (sys.executable, "manage.py", "migrate", "payments", "0014", "--verbosity=0")
    run_to_end(back, clean_environment(LOCAL_DIR=str(made)))
    return made


def applied(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as database:
        return set(database.execute("SELECT app, name FROM django_migrations"))


def test_an_older_one_is_copied_whole_and_then_migrated(folder: Path) -> None:
    before = applied(folder / DATABASE)
    assert NEWEST not in before
    with served(folder) as running:
        assert running.ask("/api/public/v1/payment-intents", {"amount": 25}, running.demo["test_secret_key"])[0] == 201
        assert NEWEST in applied(folder / DATABASE)
        [copy] = folder.glob("*upgrade*")
        assert copy.name.startswith("before-upgrade-")
        assert (applied(copy), copy.stat().st_mode & 0o077) == (before, 0)
    with served(folder):
        assert list(folder.glob("*upgrade*")) == [copy], "nothing is copied where nothing is migrated"


def test_a_newer_one_is_refused_in_words_and_left_alone(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('payments', '9999_later', '2030-01-01')"
        )
    before = applied(folder / DATABASE)

    def said() -> str:
        log = folder.parent / "log"
        assert start(folder, own_port(), log).wait(PATIENCE_SECONDS) == 1
        return log.read_text().strip()

    newer = f"CommandError: The database in {folder} is of a newer version of Causeway, which made payments.9999_later."
    assert said() == f"{newer} Start that version."
    (folder / "before-upgrade-20261127-120000.sqlite3").touch()
    back = "put before-upgrade-20261127-120000.sqlite3, the copy of before the upgrade, in its place"
    assert said() == f"{newer} Start that version, or {back}."
    assert applied(folder / DATABASE) == before


@pytest.fixture
def data(tmp_path: Path, settings: Any) -> Path:
    """A database that this process copies by itself."""
    settings.LOCAL_DIR = tmp_path
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database, database:
        database.execute("CREATE TABLE django_migrations (app, name)")
    return tmp_path


def apply(folder: Path, name: str) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.execute("INSERT INTO django_migrations VALUES ('payments', ?)", [name])


def test_the_copy_of_an_upgrade_that_was_not_finished_stays(data: Path) -> None:
    apply(data, "first")
    copy = keep_copy(data / DATABASE)
    apply(data, "second")
    assert applied(keep_copy(data / DATABASE)) == {("payments", "first")}
    name_copy()
    assert not copy.exists()
    assert applied(keep_copy(data / DATABASE)) == {("payments", "first"), ("payments", "second")}


def test_three_copies_are_kept_and_where_none_can_be_made_nothing_is_changed(data: Path) -> None:
    older = [data / f"before-upgrade-2020112{day}-120000.sqlite3" for day in range(4)]
    for path in older:
        path.touch()
    keep_copy(data / DATABASE)
    name_copy()
    kept = sorted(path.name for path in data.glob("before-upgrade-*"))
    assert (kept[:2], len(kept)) == ([path.name for path in older[2:]], 3)
    with pytest.raises(CommandError) as refusal:
        keep_copy(data / "away" / DATABASE)
    why = "unable to open database file. Nothing was changed."
    assert str(refusal.value) == f"The database could not be copied before its upgrade: {why}"
