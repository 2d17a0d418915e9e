"""What is thrown away: whatever of OAuth can no longer be used, and clients that nobody ever said yes to."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from oauth2_provider.models import clear_expired

from core.clock import now
from mcp.models import AgentConnection, Application, ClientDocument, UsedCode

UNUSED_CLIENTS_KEPT: Final = timedelta(days=7)
"""Source: docs/adr/0021."""


def purge() -> None:
    """Delete it, in small statements that each stand for themselves."""
    clear_expired()
    forget_unused_clients()
    kept = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    UsedCode.objects.filter(used_at__lte=now() - kept).delete()
    ClientDocument.objects.filter(wanted_at__lte=now() - kept).exclude(
        url__in=Application.objects.values("client_id")
    ).delete()


def forget_unused_clients() -> int:
    """Delete clients that came by themselves and were never granted anything; returns how many."""
    source = Application.RegistrationSource
    unused = Application.objects.filter(
        registration_source__in=[source.DCR, source.CIMD], created__lte=now() - UNUSED_CLIENTS_KEPT
    ).exclude(pk__in=AgentConnection.objects.values("application_id"))
    return sum(bool(one.delete()[0]) for one in unused.only("pk")[:1000])
