"""Connections to the database that a worker keeps from one task to the next.

Why not Celery's own way: it closes them before and after each task. With five tasks a second a worker opened as many
connections, and was the first to suffer where there were none left.
Source: docs/operators.md, What stands in front.
"""

from typing import Any

from celery import Celery
from celery.fixups import django as adjustment
from django.db import close_old_connections

_celery: Any = adjustment
"""Why untyped: the stubs know an older one."""


class _KeptConnections(_celery.DjangoWorkerFixup):  # type: ignore[misc]  # see above
    """Closes what is broken or too old, as between two requests, and nothing else."""

    def close_database(self, **_: Any) -> None:
        """What Celery calls before and after each task."""
        close_old_connections()


class _Fixup(_celery.DjangoFixup):  # type: ignore[misc]  # see above
    """Makes those once a worker starts. Why not at once: the application has no settings yet."""

    _kept: _KeptConnections | None = None

    @property
    def worker_fixup(self) -> _KeptConnections:
        """What acts in a worker."""
        if self._kept is None:
            self._kept = _KeptConnections(self.app)
        return self._kept


def keep_connections(app: "Celery[Any]") -> Any:
    """Celery's adjustment to Django, with that. Named in the application's ``fixups``."""
    return _Fixup(app).install()
