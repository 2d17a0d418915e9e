"""Starts the measurements of live mode, in a process and on a database of their own.

Why: settings are read once in a process, and a database belongs to one network for ever.
"""

import json
import os
import subprocess
import sys
from unittest.mock import patch

from scripts.bench.stage import ROOT, Stage, fresh_database, set_up

LIVE = {"NETWORK_PROFILE": "localnet", "UNFINALIZED_CAP_USD": "1000000"}
"""Why so high a cap: hundreds of one merchant's payments settle here before any of them is final."""


def measure_live(stage: Stage, *, is_quick: bool) -> tuple[dict[str, float], list[str]]:
    """Run them all: the goals' figures, and lines for people."""
    with fresh_database(stage.database_url) as database_url, patch.dict(os.environ, LIVE):
        place = set_up(database_url, stage.folder)
        command = [sys.executable, "-m", "scripts.bench.live.run", str(place.merchant_id), str(stage.folder)]
        given = {**os.environ, "DATABASE_URL": database_url}
        asked = [*command, *(["--quick"] if is_quick else [])]
        said = subprocess.run(asked, cwd=ROOT, env=given, stdout=subprocess.PIPE, text=True, check=True).stdout
    answer = json.loads(said.splitlines()[-1])
    return answer["figures"], answer["lines"]
