"""Who may ask how often. Source: docs/design/requests.md, Rates."""

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core.buckets import Bucket, Limit
from core.modes import Mode
from core.rate_limits import take_each
from core.throttling import AddressThrottle, leave_headers
from merchants.authentication import KnownKey
from merchants.principal import Principal

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView

MERCHANT_LIMITS = {
    Mode.LIVE: (Limit(count=100, window_seconds=1),),
    Mode.TEST: (Limit(count=25, window_seconds=1),),
}
CREATE_LIMITS = {
    Mode.LIVE: (Limit(count=25, window_seconds=1), Limit(count=600, window_seconds=60)),
    Mode.TEST: (Limit(count=25, window_seconds=1), Limit(count=300, window_seconds=60)),
}
CAREFUL_LIMITS = (Limit(count=5, window_seconds=1),)
CHECKOUT_LIMITS = (Limit(count=120, window_seconds=60),)
PAYER_LIMITS = (Limit(count=240, window_seconds=60),)
"""A page asks at most 85 times a minute while money is moving, and a payer may have it open twice."""
PAYERS_LIMITS = (Limit(count=2400, window_seconds=60),)
"""Of all payers behind one address together."""


class PrincipalThrottle(BaseThrottle):
    """Counts per merchant and mode; a view's ``throttle_action_limits`` adds tighter limits to some actions."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request. Raises: RateLimited."""
        principal = request.user
        if isinstance(principal, Principal):
            scope = f"merchant:{principal.merchant_id}:{principal.mode}"
            everything = [(scope, limit) for limit in MERCHANT_LIMITS[principal.mode]]
            leave_headers(request, take_each([*everything, *_action_buckets(principal, view)]))
        return True


def _action_buckets(principal: Principal, view: "APIView") -> list[Bucket]:
    """The tighter buckets of one action of one resource. Why by resource: two resources may both have ``create``."""
    action = getattr(view, "action", None) or ""
    tighter = getattr(view, "throttle_action_limits", {}).get(action, ())
    limits: tuple[Limit, ...] = tighter[principal.mode] if isinstance(tighter, dict) else tighter
    scope = f"{action}:{type(view).__name__}:{principal.merchant_id}:{principal.mode}"
    return [(scope, limit) for limit in limits]


def count_session_of(key: KnownKey, request: Request) -> None:
    """Count a session that a publishable key opened. Raises: RateLimited.

    Why apart from the merchant's own requests: the key is on public pages, and whoever copies it must not be able to
    slow the merchant's servers down.
    """
    principal = key.principal
    leave_headers(request, take_each([(f"sessions:{key.id}", limit) for limit in MERCHANT_LIMITS[principal.mode]]))


class CheckoutThrottle(AddressThrottle):
    """Counts payers' and pollers' requests per address."""

    limits = CHECKOUT_LIMITS
    scope = "checkout"


class RefundStatusThrottle(AddressThrottle):
    """Counts questions about refunds per address, apart from those about payments."""

    limits = CHECKOUT_LIMITS
    scope = "refund_status"


class PayerThrottle(AddressThrottle):
    """Counts a payer's requests per address and payment, under a ceiling per address.

    Why by payment: many payers share one address, each with its own. Why the ceiling: ids can be made up.
    """

    limits = PAYER_LIMITS
    scope = "payer"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request. Raises: RateLimited."""
        address = self.bucket(request)
        payment = f"{self.scope}:{address}:{view.kwargs.get('intent_id', '')}"
        everyone = [(f"payers:{address}", limit) for limit in PAYERS_LIMITS]
        leave_headers(request, take_each([*((payment, limit) for limit in self.limits), *everyone]))
        return True


class PublicThrottle(AddressThrottle):
    """Counts requests to the token list per address."""
