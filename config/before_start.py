"""What the entry of the production form asks before it starts a program: one that is half of itself is refused.

Usage: ``python -m config.before_start PROGRAM``, which ends with 78 and one sentence where something is missing. Must
not ask the database: that it is away for a while is no reason not to start.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.environment import env

MISCONFIGURED = 78
"""``EX_CONFIG`` of sysexits(3): starting it again changes nothing, so the units in deploy/systemd do not."""
MANIFEST = "staticfiles.json"


def refuse_half(program: str) -> None:
    """Stop a program that would run, and not be the service. Raises: ImproperlyConfigured.

    Why here and not in the settings: those are read by tests, builds and commands of people at a terminal, too.
    """
    # Before the settings are read: they would begin the embedded default's files, and have a BASE_URL of their own.
    if not env.str("DATABASE_URL", default=""):
        raise ImproperlyConfigured(
            "DATABASE_URL is not set, and this is the entry of the production form. Nothing reads .env by itself: "
            "docs/install.md says who does. The embedded default is started by manage.py up."
        )
    if not env.str("BASE_URL", default=""):
        raise ImproperlyConfigured("BASE_URL is not set: payers and merchants would be sent to this machine itself.")
    if settings.SECURE:
        _refuse_open(program)


def _refuse_open(program: str) -> None:
    """Why only with https: anything else is a name of this machine alone, where somebody tries things out."""
    if not env.str("ENCRYPTION_KEYS", default=""):
        raise ImproperlyConfigured(
            "ENCRYPTION_KEYS is not set: SECRET_KEY would seal what is stored, too, and neither could be replaced "
            "alone. Set it to a key of its own, and where the service ran without it to NEW_KEY,SECRET_KEY."
        )
    if program != "web":
        return
    if settings.SECURE_SSL_REDIRECT and not settings.BEHIND_PROXY:
        raise ImproperlyConfigured(
            "BASE_URL is https and BEHIND_PROXY is not true: this program speaks http to a proxy that ends TLS, and "
            "would send every caller to https for ever."
        )
    folder = settings.STATIC_ROOT
    if folder is None or not Path(folder, MANIFEST).is_file():
        raise ImproperlyConfigured(
            "Static files are not collected, so every page would fail. Run manage.py collectstatic --noinput, once for "
            "each version."
        )


def main(words: Sequence[str]) -> None:
    """Let the program of this name start. Raises: SystemExit."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        refuse_half(words[0])
    except ImproperlyConfigured as error:
        sys.stderr.write(f"Causeway cannot start: {error}\n")
        sys.exit(MISCONFIGURED)


if __name__ == "__main__":
    main(sys.argv[1:])
