"""Tries how it stands so many days on: everything that is kept for a while is purged, and the invariants hold.

Usage: python -m scripts.soak.later DAYS    With the service's settings in the environment. Prints, as JSON,
what is broken then, which tables are purged by the clock, and which grow with nothing. Moves the clock of this process
alone, and no row.
"""

import json
import os
import sys
from datetime import timedelta
from unittest.mock import patch

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402 - needs the set-up above
from django.utils import timezone  # noqa: E402 - needs the set-up above

from config.retention import KEPT, Kept  # noqa: E402 - as above
from config.schedule import work_of  # noqa: E402 - as above
from operations.invariants import Scope, violations  # noqa: E402 - as above

ROUNDS = 50
"""Each purge takes ten seconds at most, and then asks for another turn."""
IN_USE = ("SigningSecret", "Subscription", "WebhookEndpoint", "Application", "ClientDocument")
"""Of tables that are purged, what is in use stays."""
FEW = ("Merchants, people", "Settings of merchants", "Chains, tokens", "Django's and", "Checks of", "Origins that")
"""How the lines begin that say what is kept for ever and is a row for each person, chain, or setting."""


def tables(kept: Kept) -> list[str]:
    """The names of its tables, but for those of which a part is in use."""
    return [name.replace(".", "_").lower() for name in kept.models if name.partition(".")[2] not in IN_USE]


def main() -> None:
    """Purge, check, and say what is purged."""
    real, ahead = timezone.now, timedelta(days=int(sys.argv[1]))
    jobs = [kept for kept in KEPT if kept.job]
    with patch.object(timezone, "now", lambda: real() + ahead):
        for name in dict.fromkeys(kept.job for kept in jobs):
            for _ in range(ROUNDS if ahead else 0):
                work_of(name)()
        broken = [f"{ahead.days} days later: {sentence}" for sentence in violations(Scope())]
    bounded = [name for kept in KEPT if kept.what.startswith(FEW) for name in tables(kept)]
    # Why not where no setting says how long: these jobs purge what is over for hours.
    over = [kept for kept in jobs if not kept.setting or getattr(settings, kept.setting) < ahead.days]
    purged = [name for kept in over for name in tables(kept)]
    print(json.dumps({"purged": purged, "bounded": bounded, "broken": broken}))


if __name__ == "__main__":
    main()
