"""Which network this database belongs to: fixed at its first start, and never another one after that.

Why: play money can never settle a live intent if a database never changes networks.
"""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, transaction

from chains.models import NetworkProfile


def fix_network_profile(**_: object) -> None:
    """Write the configured profile down, unless the database has one already or is not fully migrated."""
    if NetworkProfile._meta.db_table not in connection.introspection.table_names():
        return
    with transaction.atomic():
        if not NetworkProfile.objects.exists():
            NetworkProfile.objects.create(profile=settings.NETWORK_PROFILE)


def foreign_profile() -> str | None:
    """The profile this database belongs to, when that is not the configured one.

    Why a missing table or an unreachable database is no answer: migrating and waiting are others' work.
    """
    try:
        profiles = list(NetworkProfile.objects.values_list("profile", flat=True))
    except DatabaseError:
        return None
    return next((profile for profile in profiles if profile != settings.NETWORK_PROFILE), None)


def refuse_foreign_network() -> None:
    """Stop a process that was started on another network's database. Raises: ImproperlyConfigured."""
    profile = foreign_profile()
    if profile is not None:
        raise ImproperlyConfigured(_sentence(profile))


@register(Tags.database)
def check_network_profile(databases: Any = None, **_: object) -> list[CheckMessage]:
    """``manage.py check --database default``: the same refusal."""
    profile = foreign_profile() if databases else None
    return [Error(_sentence(profile), id="causeway.E001")] if profile is not None else []


def _sentence(profile: str) -> str:
    return (
        f"This database belongs to the network profile {profile}, but NETWORK_PROFILE is {settings.NETWORK_PROFILE}. "
        "A database never changes networks: use another database, or set NETWORK_PROFILE back."
    )
