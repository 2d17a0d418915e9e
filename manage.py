#!/usr/bin/env python
"""Entry to Django's commands."""

import gc
import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def keep_driver_out() -> None:
    """Serve the embedded default without the driver of PostgreSQL.

    Why: Django REST framework imports it wherever it is installed, and it costs the one command 9 MB of memory.
    """
    if settings.EMBEDDED:
        sys.modules["psycopg"] = None  # type: ignore[assignment]  # Python's own mark of a module not to be had


if __name__ == "__main__":
    gc.set_threshold(100_000)  # starting allocates much and frees little
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        if sys.argv[1:2] == ["up"]:
            keep_driver_out()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Causeway cannot start: {error}")
