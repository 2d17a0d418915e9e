"""Who may ask how often. Source: docs/design/requests.md, Rates."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core.buckets import Bucket, Limit
from core.modes import Mode
from core.rate_limits import count_each
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
LIMITS: Final[Mapping[str, Mapping[Mode, tuple[Limit, ...]]]] = {
    "requests": MERCHANT_LIMITS,
    "payment_intents.create": CREATE_LIMITS,
    **dict.fromkeys(
        (
            *("refunds.create", "refunds.repay", "payouts.replay", "webhook_endpoints.rotate_secret"),
            *("webhook_endpoints.certify", "request_log.list"),
        ),
        dict.fromkeys(Mode, CAREFUL_LIMITS),
    ),
}
"""What a merchant may ask how often, as its keys are shown it: all that views name in ``throttle_action_limits``."""
CHECKOUT_LIMITS = (Limit(count=120, window_seconds=60),)
PAYER_LIMITS = (Limit(count=240, window_seconds=60),)
"""A page asks at most 85 times a minute while money is moving, and a payer may have it open twice."""
PAYERS_LIMITS = (Limit(count=2400, window_seconds=60),)
"""Of all payers behind one address together."""


COUNTED_PLACE: Final = "causeway.counted"
"""Where a request is kept that was counted before it came to its view: the buckets, and what they said."""


def merchant_buckets(principal: Principal) -> list[Bucket]:
    """Where every request of a merchant's in one mode is counted."""
    return [(f"merchant:{principal.merchant_id}:{principal.mode}", limit) for limit in MERCHANT_LIMITS[principal.mode]]


def action_buckets(principal: Principal, view: str, action: str, limits: Sequence[Limit]) -> list[Bucket]:
    """The tighter buckets of one action of one resource. Why by resource: two resources may both have ``create``."""
    scope = f"{action}:{view}:{principal.merchant_id}:{principal.mode}"
    return [(scope, limit) for limit in limits]


def payer_buckets(address: str, payment: str) -> list[Bucket]:
    """Where what a payer asks about one payment is counted; ``payment`` as its path names it."""
    own = [(f"payer:{address}:{payment}", limit) for limit in PAYER_LIMITS]
    return [*own, *((f"payers:{address}", limit) for limit in PAYERS_LIMITS)]


class PrincipalThrottle(BaseThrottle):
    """Counts per merchant and mode; a view's ``throttle_action_limits`` adds tighter limits to some actions."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request. Raises: RateLimited."""
        principal = request.user
        if isinstance(principal, Principal):
            _count_once(request, [*merchant_buckets(principal), *_tighter_buckets(principal, view)])
        return True


def _count_once(request: Request, wanted: Sequence[Bucket]) -> None:
    """Count a request, unless it was before it came to its view. Raises: RateLimited."""
    counted, verdict = request.META.get(COUNTED_PLACE, (None, None))
    leave_headers(request, verdict if counted == wanted else count_each(wanted))


def _tighter_buckets(principal: Principal, view: "APIView") -> list[Bucket]:
    action = getattr(view, "action", None) or ""
    tighter = getattr(view, "throttle_action_limits", {}).get(action, ())
    limits: tuple[Limit, ...] = tighter[principal.mode] if isinstance(tighter, dict) else tighter
    return action_buckets(principal, type(view).__name__, action, limits)


def count_session_of(key: KnownKey, request: Request) -> None:
    """Count a session that a publishable key opened. Raises: RateLimited.

    Why apart from the merchant's own requests: the key is on public pages, and whoever copies it must not be able to
    slow the merchant's servers down.
    """
    principal = key.principal
    leave_headers(request, count_each([(f"sessions:{key.id}", limit) for limit in MERCHANT_LIMITS[principal.mode]]))


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

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request. Raises: RateLimited."""
        _count_once(request, payer_buckets(self.bucket(request), view.kwargs.get("intent_id", "")))
        return True


class PublicThrottle(AddressThrottle):
    """Counts requests to the token list per address."""
