"""Runs the production form for hours of test time and minutes of real time, and says what grows.

Usage: python -m scripts.with_services --durable -- python -m scripts.soak [--hours 6] [--minutes 30] [--rate 3]
``make soak``. Ends with 1 where anything grows, is broken, or was said as an error.
"""

import argparse
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path

from scripts.bench.stage import fresh_database
from scripts.cluster.programs import ROOT, Supervisor
from scripts.service_process import ServiceError
from scripts.soak import verdict
from scripts.soak.form import Form
from scripts.soak.run import Soak
from scripts.with_services import INTERRUPTED, Terminated, terminate

RECORD = ROOT / ".local" / "soak.json"
"""All that was seen in the last run, for programs."""


def main() -> int:
    """Read the command line, run all parts; whether nothing grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=6, help="of test time, which pass within minutes")
    parser.add_argument("--minutes", type=float, default=30, help="of real load after that")
    parser.add_argument("--rate", type=float, default=3, help="payments a second; one in three is paid")
    parser.add_argument("--folder", type=Path, default=ROOT / ".local" / "soak")
    arguments = parser.parse_args()
    if arguments.minutes < verdict.FEWEST:
        parser.error(f"it looks once a minute, and fewer than {verdict.FEWEST} minutes say nothing")
    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGHUP, terminate)
    supervisor = Supervisor()
    try:
        with fresh_database(os.environ["DATABASE_URL"]) as database_url:
            form = Form(
                database_url=database_url,
                redis_url=os.environ["REDIS_URL"],
                folder=arguments.folder,
                supervisor=supervisor,
            )
            soak = Soak(form)
            try:
                misses = soak.run(hours=arguments.hours, minutes=arguments.minutes, rate=arguments.rate)
            finally:
                supervisor.end()
                record = {"parts": soak.parts, "samples": [asdict(sample) for sample in soak.samples]}
                RECORD.write_text(json.dumps(record, indent=1))
    except ServiceError as error:
        print(f"{error}\nWhat each program said stands in {arguments.folder}.", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Terminated):
        return INTERRUPTED
    print("\n".join(["", *(f"MISSED: {miss}" for miss in misses)]) if misses else "\nNothing grew.")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
