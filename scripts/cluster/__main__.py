"""Starts the production form on this machine, takes one part away after the other, and says what was lost.

Usage: python -m scripts.cluster [--writes N] [--rate N] [--only NAME ...]    ``make cluster``. Ends with 1 on any miss.
"""

import argparse
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.cluster import engines, hosts, live
from scripts.cluster.engines import Place
from scripts.cluster.programs import ROOT, Program, Supervisor
from scripts.cluster.proof import Proof
from scripts.cluster.service import Service
from scripts.service_process import ServiceError
from scripts.with_services import INTERRUPTED, Terminated, terminate


@contextmanager
def running(folder: Path) -> Iterator[Proof]:
    """The whole cluster, fresh, while the block runs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.chmod(0o711)
    place = Place(folder=folder, password=secrets.token_hex(16))
    supervisor = Supervisor()
    service = Service(place, supervisor, **live.settings())
    try:
        engines.start_keepers(place, supervisor)
        engines.start_databases(place, supervisor)
        engines.start_redises(place, supervisor)
        engines.start_front(place, supervisor)
        supervisor.add(Program.of_ours("chain", "scripts.cluster.live", ["node"], folder))
        service.lay_tables()
        service.start()
        yield Proof(place, supervisor, service)
    finally:
        supervisor.end()
        for name in hosts.DATABASES:
            engines.kill_postgres(place, name)


def main() -> int:
    """Read the command line, run the proof; whether nothing was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / ".local" / "cluster")
    parser.add_argument("--writes", type=int, default=2000, help="acknowledged creates, at least")
    parser.add_argument("--rate", type=float, default=6, help="creates a second; one in ten is paid")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of what is lost")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGHUP, terminate)
    begun = time.monotonic()
    try:
        with running(arguments.folder) as proof:
            is_whole = proof.run(arguments.writes, arguments.rate, arguments.only)
    except ServiceError as error:
        print(f"{error}\nWhat each program said stands in {arguments.folder}.", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Terminated):
        return INTERRUPTED
    print(f"{'Nothing was missed' if is_whole else 'MISSED'}, after {time.monotonic() - begun:.0f} s.")
    return 0 if is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
