"""How often the OAuth endpoints answer one address and one client. Source: agents, Settled; threat 25."""

from django.conf import settings
from django.http import HttpRequest

from core.caller import client_address
from core.rate_limits import Bucket, Limit, take_each
from core.throttling import address_bucket

ADDRESS_LIMITS = {
    "token": Limit(count=120, window_seconds=60),
    "revoke": Limit(count=120, window_seconds=60),
    "authorize": Limit(count=60, window_seconds=60),
    "register": Limit(count=settings.OAUTH_REGISTRATIONS_PER_MINUTE, window_seconds=60),
}
CLIENT_LIMIT = Limit(count=600, window_seconds=60)
"""Of one client from all addresses together. Why so much: a hosted client refreshes for all its people."""


def count(request: HttpRequest, endpoint: str, client_id: str | None = None) -> None:
    """Count a request by its address, and by the client if one is named. Raises: RateLimited.

    Why people are counted by address only: else a stranger could close the consent page to a client that many use.
    """
    address = address_bucket(client_address(request))
    wanted: list[Bucket] = [(f"oauth_{endpoint}:{address}", ADDRESS_LIMITS[endpoint])]
    if client_id:
        wanted.append((f"oauth_{endpoint}_client:{client_id[:255]}", CLIENT_LIMIT))
    request.rate_limit_headers = take_each(wanted).headers  # type: ignore[attr-defined]  # read by RequestIdMiddleware
