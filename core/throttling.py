"""Counting requests per address: for endpoints that need no key. Source: docs/design/requests.md, Rates."""

import ipaddress
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core.buckets import Limit, Verdict
from core.caller import client_address
from core.rate_limits import count_each

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView

PUBLIC_LIMITS = (Limit(count=60, window_seconds=60),)
_IPV6_NETWORK_BITS = 64


def address_bucket(address: str) -> str:
    """The name under which an address is counted. Why the network for IPv6: one customer owns all of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed.packed, _IPV6_NETWORK_BITS), strict=False))
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def leave_headers(request: Request, verdict: Verdict) -> None:
    """Leave ``RateLimit-*`` for the answer; the request middleware puts them on it."""
    request._request.rate_limit_headers = verdict.headers  # type: ignore[attr-defined]  # read by RequestIdMiddleware


class AddressThrottle(BaseThrottle):
    """Counts requests per address; subclasses name their bucket and its limits."""

    limits: tuple[Limit, ...] = PUBLIC_LIMITS
    scope = "public"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request. Raises: RateLimited."""
        leave_headers(request, count_each([(f"{self.scope}:{self.bucket(request)}", limit) for limit in self.limits]))
        return True

    def bucket(self, request: Request) -> str:
        """Whose requests are counted together."""
        inner: Any = request._request
        return address_bucket(client_address(inner if isinstance(inner, HttpRequest) else HttpRequest()))


class HealthThrottle(AddressThrottle):
    """Counts questions about health apart, so that probes and clients never wait for each other."""

    scope = "health"
