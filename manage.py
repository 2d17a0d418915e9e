#!/usr/bin/env python
"""Entry to Django's commands."""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

LATER = ("pygments", "requests")


def begin_up(arguments: Sequence[str]) -> None:
    """Fork ``manage.py up`` before anything is loaded: whoever looks after it stays small, and only the child returns.

    Why the port is read here: settings are read before a command sees its arguments.
    """
    from operations.supervisor import supervise

    supervise("The service")
    from argparse import ArgumentParser

    reader = ArgumentParser(add_help=False, exit_on_error=False)
    reader.add_argument("--port")
    port = reader.parse_known_args(arguments)[0].port
    if port:
        os.environ["PORT"] = port


def load_framework_alone() -> None:
    """Serve the embedded default without the driver of PostgreSQL, and load others when something needs them.

    Why: Django REST framework imports what it could use wherever that is installed. The driver costs 9 MB of memory,
    the other two with all that they import 4 MB.
    """
    from django.conf import settings

    if settings.EMBEDDED:
        sys.modules.update(dict.fromkeys(("psycopg", *LATER)))  # type: ignore[arg-type]  # None: Python's mark of a module not to be had
        import_module("rest_framework.compat")
        for name in LATER:
            del sys.modules[name]


def main() -> None:
    """Run a command. Raises: SystemExit with a sentence where a setting makes no sense."""
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    gc.set_threshold(100_000)  # starting allocates much and frees little
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        if sys.argv[1:2] == ["up"]:
            load_framework_alone()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Causeway cannot start: {error}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["up"]:
        begin_up(sys.argv[2:])
    main()
