"""How often the OAuth endpoints answer one address and one client.

Source: docs/design/agents.md, Counts at the OAuth endpoints.
"""

from django.conf import settings
from django.http import HttpRequest

from core.buckets import Limit
from core.caller import client_address
from core.rate_limits import take
from core.throttling import address_bucket

ADDRESS_LIMITS = {
    "token": Limit(count=120, window_seconds=60),
    "revoke": Limit(count=120, window_seconds=60),
    "authorize": Limit(count=60, window_seconds=60),
    "register": Limit(count=settings.OAUTH_REGISTRATIONS_PER_MINUTE, window_seconds=60),
}
CLIENT_LIMIT = Limit(count=600, window_seconds=60)
"""Exchanges of one client from all addresses together. Why so much: a hosted client refreshes for all its people."""
FAILURE_LIMIT = Limit(count=60, window_seconds=60)
"""Of one client from one address."""


def count(request: HttpRequest, endpoint: str) -> None:
    """Count a request by its address. Raises: RateLimited.

    Why not by the client that is named: anybody may name it, and would use it up for all who do.
    """
    address = address_bucket(client_address(request))
    verdict = take(f"oauth_{endpoint}:{address}", (ADDRESS_LIMITS[endpoint],))
    request.rate_limit_headers = verdict.headers  # type: ignore[attr-defined]  # read by RequestIdMiddleware


def count_exchange(client_id: str) -> None:
    """Count for a client what brought it tokens. Raises: RateLimited, in the exchange's own transaction, which ends."""
    take(f"oauth_token_client:{client_id[:255]}", (CLIENT_LIMIT,))


def count_failure(request: HttpRequest, client_id: str) -> None:
    """Count for a client at one address what brought it none. Raises: RateLimited."""
    take(f"oauth_token_failures:{address_bucket(client_address(request))}:{client_id[:255]}", (FAILURE_LIMIT,))
