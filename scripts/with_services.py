"""Runs a command with a private PostgreSQL and Redis, and stops both when it ends.

Usage: python -m scripts.with_services [--durable] -- command ...
The command sees DATABASE_URL and REDIS_URL. What these already name is used as it is.
Must not know what the command does. Standard library only.
"""

import argparse
import glob
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from scripts.service_process import HOST, STOP_SECONDS, ServiceError, private_folder, running, unprivileged_user

ROLE = "causeway"
INTERRUPTED = 130

# Why: the tests' database lives for minutes; without these, waiting for the disk is half of the run.
FORGETFUL = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def find_postgres_programs() -> Path:
    """Return the folder of the newest installed PostgreSQL server programs."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[4]))
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(str(Path(on_path).resolve().parent))
    if not folders:
        raise ServiceError("PostgreSQL is not installed (Debian: apt-get install postgresql).")
    return Path(folders[-1])


@contextmanager
def postgres(parent: Path, *, settings: Sequence[str]) -> Iterator[str]:
    """Run a fresh PostgreSQL cluster and yield its DATABASE_URL."""
    programs = find_postgres_programs()
    user = unprivileged_user("postgres")
    folder = private_folder(parent, "postgres", user)
    password = secrets.token_hex(16)
    initialise_cluster(programs, folder, user, password)

    def command_for(port: int) -> Sequence[str]:
        options = (
            f"port={port}",
            f"listen_addresses={HOST}",
            "unix_socket_directories=",
            "wal_keep_size=1GB",  # a standby that is copied beside busy tests is not done before its log is gone
            "max_connections=500",  # two workers with a hundred callers each, and what both hold besides
            "shared_buffers=256MB",
            "timezone=UTC",
            *settings,
        )
        flags = [part for option in options for part in ("-c", option)]
        return [str(programs / "postgres"), "-D", str(folder / "cluster"), *flags]

    def is_ready(port: int) -> bool:
        return succeeds([str(programs / "pg_isready"), "-q", "-h", HOST, "-p", str(port)])

    with running(command_for, is_ready, log=folder / "log", user=user) as port:
        subprocess.run(
            [str(programs / "createdb"), "-h", HOST, "-p", str(port), "-U", ROLE, ROLE],
            env={**os.environ, "PGPASSWORD": password},
            check=True,
        )
        yield f"postgres://{ROLE}:{password}@{HOST}:{port}/{ROLE}"


def initialise_cluster(programs: Path, folder: Path, user: str | None, password: str) -> None:
    """Create the data folder of a cluster whose only role has this password."""
    password_file = folder / "password"
    password_file.write_text(password)
    password_file.chmod(0o644)
    command = [
        *(str(programs / "initdb"), "-D", str(folder / "cluster"), "-U", ROLE),
        *("--auth=scram-sha-256", f"--pwfile={password_file}"),
        *("--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"),
    ]
    made = subprocess.run(command, cwd=folder, user=user, capture_output=True, text=True, check=False)
    password_file.unlink()
    if made.returncode:
        raise ServiceError(f"initdb failed:\n{made.stdout}{made.stderr}")


@contextmanager
def redis(parent: Path) -> Iterator[str]:
    """Run a Redis that keeps nothing on disk and yield its REDIS_URL."""
    program = shutil.which("redis-server")
    if program is None:
        raise ServiceError("Redis is not installed (Debian: apt-get install redis-server).")
    user = unprivileged_user("redis")
    folder = private_folder(parent, "redis", user)

    def command_for(port: int) -> Sequence[str]:
        return [program, "--port", str(port), "--bind", HOST, "--save", "", "--appendonly", "no", "--databases", "72"]

    with running(command_for, redis_answers, log=folder / "log", user=user) as port:
        yield f"redis://{HOST}:{port}/0"


def redis_answers(port: int) -> bool:
    """Tell whether a Redis on this port answers a ping."""
    try:
        with socket.create_connection((HOST, port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def succeeds(command: Sequence[str]) -> bool:
    """Tell whether a command ends well."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@contextmanager
def services(given: Mapping[str, str], *, settings: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield DATABASE_URL and REDIS_URL: those given, or of services started for this run."""
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="causeway-", ignore_cleanup_errors=True))
        folder = Path(name)
        folder.chmod(0o711)
        found = {key: given[key] for key in ("DATABASE_URL", "REDIS_URL") if given.get(key)}
        if "DATABASE_URL" not in found:
            found["DATABASE_URL"] = stack.enter_context(postgres(folder, settings=settings))
        if "REDIS_URL" not in found:
            found["REDIS_URL"] = stack.enter_context(redis(folder))
        yield found


class Terminated(BaseException):
    """Somebody asked this program, and perhaps only this one, to end."""


def run_command(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the command to its end, passing on a request to terminate."""
    process = subprocess.Popen(command, env=environment)
    try:
        return process.wait()
    except Terminated:
        process.send_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("Stopping ...", file=sys.stderr)  # the terminal has told the command too
    return wait_or_kill(process)


def wait_or_kill(process: subprocess.Popen[bytes]) -> int:
    """Give an interrupted command time to clean up, then end it."""
    try:
        process.wait(STOP_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt, Terminated):
        process.kill()
        process.wait()
    return INTERRUPTED


def terminate(_signal: int, _frame: FrameType | None) -> None:
    """Turn a request to terminate into the way out that stops the services."""
    raise Terminated


def main() -> int:
    """Read the command line, run the command among its services, return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--durable", action="store_true", help="write to disk as in production")
    parser.add_argument("command", nargs="+", help="what to run, after --")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGHUP, terminate)
    settings = () if arguments.durable else FORGETFUL
    try:
        with services(os.environ, settings=settings) as found:
            return run_command(arguments.command, {**os.environ, **found})
    except ServiceError as error:
        print(error, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Terminated):
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
