"""A PostgreSQL whose log is archived by pgBackRest as docs/backup.md says, and what it is restored to in its place.

Must not import the service: databases come back whatever it thinks of them.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from scripts.service_process import HOST, private_folder, running, unprivileged_user
from scripts.with_services import find_postgres_programs, postgres
from tests.machine import PATIENCE_SECONDS, wait_until

STANZA = "causeway"
PASSPHRASE = "the-drills-own-passphrase-guards-nothing"  # noqa: S105 - of a repository that lives for minutes
ARCHIVED_WITHIN = "archive_timeout=5"
"""Seconds. In earnest a minute: that much is lost at most with the whole machine."""
_SETTINGS = """\
[global]
repo1-path={folder}/repository
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass={passphrase}
repo1-retention-full=2
lock-path={folder}/lock
spool-path={folder}/spool
log-level-console=warn
log-level-file=off
start-fast=y

[{stanza}]
pg1-path={data}
pg1-port={port}
pg1-socket-path={folder}
pg1-user=causeway
"""


@dataclass(kw_only=True)
class Archive:
    """Where backups and the log go, and the cluster that they are of."""

    folder: Path
    user: str | None
    data: Path
    url: str = ""

    @classmethod
    def beside(cls, parent: Path) -> "Archive":
        """One whose cluster will lie in ``parent``."""
        user = unprivileged_user("postgres")
        folder = private_folder(parent, "archive", user)
        return cls(folder=folder, user=user, data=parent / "postgres" / "cluster")

    @property
    def settings(self) -> tuple[str, ...]:
        """What archiving needs of PostgreSQL."""
        pushed = " ".join((*self._command("archive-push"), "%p"))
        return (
            f"unix_socket_directories={self.folder}",
            "archive_mode=on",
            f"archive_command={pushed}",
            ARCHIVED_WITHIN,
        )

    def open(self, url: str) -> None:
        """Let pgBackRest know a running cluster."""
        self.url, at = url, urlsplit(url)
        self._write(".pgpass", f"*:*:*:{at.username}:{at.password}\n")
        filled = _SETTINGS.format(
            folder=self.folder, passphrase=PASSPHRASE, stanza=STANZA, data=self.data, port=at.port
        )
        self._write("pgbackrest.conf", filled)
        self.run("stanza-create")

    def back_up(self) -> None:
        """Make a full backup while the cluster goes on. What was checked before: that the log arrives."""
        self.run("check")
        self.run("backup", "--type=full")

    def archive_all(self) -> None:
        """Wait until all that was written by now lies in the archive."""
        with psycopg.connect(self.url, autocommit=True) as server:
            last = server.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
            assert last is not None
            wait_until(
                lambda: (
                    server.execute("SELECT last_archived_wal >= %s FROM pg_stat_archiver", last).fetchone() == (True,)
                ),
                "the log in the archive",
            )

    @contextmanager
    def restored(self, moment: str, *options: str, database: str) -> Iterator[str]:
        """A new cluster as it was at a moment, running while the block does; the URL of a database in it."""
        cluster = private_folder(self.folder, "restored", self.user)
        target = ("--type=time", f"--target={moment}", "--target-action=promote")
        self.run("restore", f"--pg1-path={cluster}", *target, *options)
        programs = find_postgres_programs()

        def command_for(port: int) -> Sequence[str]:
            given = (f"port={port}", f"listen_addresses={HOST}", "unix_socket_directories=", "max_connections=500")
            return [str(programs / "postgres"), "-D", str(cluster), *(part for one in given for part in ("-c", one))]

        with running(command_for, self._leads, log=self.folder / "restored.log", user=self.user) as port:
            yield urlsplit(self.url)._replace(netloc=self._netloc(port), path=f"/{database}").geturl()

    def run(self, what: str, *options: str) -> None:
        """A command of pgBackRest. Raises: AssertionError with what it printed."""
        done = subprocess.run(
            (*self._command(what), *options), user=self.user, cwd=self.folder, text=True, timeout=PATIENCE_SECONDS,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{what}:\n{done.stdout}"

    def _command(self, what: str) -> tuple[str, ...]:
        return ("pgbackrest", f"--config={self.folder}/pgbackrest.conf", f"--stanza={STANZA}", what)

    def _leads(self, port: int) -> bool:
        """Whether the log was played to its end: until then only readers get in."""
        try:
            with psycopg.connect(urlsplit(self.url)._replace(netloc=self._netloc(port)).geturl()) as server:
                return server.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)
        except psycopg.OperationalError:
            return False

    def _netloc(self, port: int) -> str:
        return f"{urlsplit(self.url).netloc.rpartition(':')[0]}:{port}"

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o600)
        if self.user:
            shutil.chown(path, self.user)


@contextmanager
def archived(parent: Path) -> Iterator[Archive]:
    """A cluster that is archived, running while the block does."""
    archive = Archive.beside(parent)
    with postgres(parent, settings=archive.settings) as url:
        archive.open(url)
        yield archive
