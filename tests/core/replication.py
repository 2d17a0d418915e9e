"""A streaming standby of the suite's own PostgreSQL, on this machine, for as long as it is asked for."""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.service_process import HOST, private_folder, running, unprivileged_user
from scripts.with_services import find_postgres_programs, succeeds


@contextmanager
def running_standby(primary: str) -> Iterator[int]:
    """Copy the server that this address names, follow it, and yield the port of what follows."""
    programs, user = find_postgres_programs(), unprivileged_user("postgres")
    with tempfile.TemporaryDirectory(prefix="causeway-standby-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o711)
        folder = private_folder(Path(name), "standby", user)
        copy = [str(programs / "pg_basebackup"), "-d", primary, "-D", str(folder / "cluster"), "--write-recovery-conf"]
        options = ["--checkpoint=fast", "--wal-method=stream", "--no-sync"]
        subprocess.run([*copy, *options], cwd=folder, user=user, check=True)

        def command_for(port: int) -> Sequence[str]:
            given = (f"port={port}", f"listen_addresses={HOST}", "unix_socket_directories=", "max_connections=500")
            # As docs/operators.md says: else it cancels what is read where the primary vacuums, as other tests make it.
            patient = ("hot_standby_feedback=on", "max_standby_streaming_delay=-1")
            flags = [part for option in (*given, *patient, "fsync=off", "timezone=UTC") for part in ("-c", option)]
            return [str(programs / "postgres"), "-D", str(folder / "cluster"), *flags]

        def is_ready(port: int) -> bool:
            return succeeds([str(programs / "pg_isready"), "-q", "-h", HOST, "-p", str(port)])

        with running(command_for, is_ready, log=folder / "log", user=user) as port:
            yield port
