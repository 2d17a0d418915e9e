"""GET /account: what a key may know of itself, and nothing of anybody else's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.test import override_settings
from django.urls import URLPattern, URLResolver, get_resolver

from core.buckets import Limit
from core.clock import now, wire_time
from core.modes import Mode
from merchants.models import ApiKey, KeyKind
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.services import NewMerchant
from merchants.throttling import LIMITS
from tests.conftest import ApiClient
from tests.merchants.test_restricted_keys import make
from tests.payments.world import World

OPERATIONS = {
    "PaymentIntentViewSet": "payment_intents",
    "RefundViewSet": "refunds",
    "PayersViewSet": "refunds",
    "PayoutViewSet": "payouts",
    "WebhookEndpointViewSet": "webhook_endpoints",
    "ReceiverCertificateViewSet": "webhook_endpoints",
    "RequestLogViewSet": "request_log",
}


@override_settings(RATE_LIMIT_SCALE=1)
def test_a_secret_key_reads_whose_it_is_and_how_often_it_may_ask(
    world: World, account: NewMerchant, api: ApiClient
) -> None:
    key = ApiKey.objects.get(merchant=account.merchant, mode=Mode.TEST, kind=KeyKind.SECRET)
    reply = api.get("/account")
    assert (reply.status, reply.body) == (
        200,
        {
            "merchant": {"id": str(account.merchant.pk), "name": account.merchant.name},
            "mode": "test",
            "key": {"id": str(key.pk), "kind": "secret", "scopes": [str(scope) for scope in KeyScope]},
            "limits": [
                {"name": "requests", "limit": 25, "per_seconds": 1},
                {"name": "payment_intents.create", "limit": 25, "per_seconds": 1},
                {"name": "payment_intents.create", "limit": 300, "per_seconds": 60},
                {"name": "refunds.create", "limit": 5, "per_seconds": 1},
                {"name": "refunds.repay", "limit": 5, "per_seconds": 1},
                {"name": "payouts.replay", "limit": 5, "per_seconds": 1},
                {"name": "webhook_endpoints.rotate_secret", "limit": 5, "per_seconds": 1},
                {"name": "webhook_endpoints.certify", "limit": 5, "per_seconds": 1},
                {"name": "request_log.list", "limit": 5, "per_seconds": 1},
            ],
            "server_time": wire_time(now()),
            "api_version": "1.2.0",
        },
    )
    assert account.test.secret_key.encode() not in reply.raw
    assert key.digest.encode() not in reply.raw


@override_settings(RATE_LIMIT_SCALE=2)
def test_a_live_key_reads_its_own_limits_as_they_are_set(live_api: ApiClient) -> None:
    body = live_api.get("/account").body
    assert (body["mode"], body["limits"][0]) == ("live", {"name": "requests", "limit": 200, "per_seconds": 1})


def test_a_restricted_key_reads_what_it_was_given(principal: Principal, other_api: ApiClient) -> None:
    made = make(principal, (KeyScope.WRITE_REFUNDS,))
    body = ApiClient(made.secret).get("/account").body
    assert body["key"] == {"id": str(made.key.pk), "kind": "restricted", "scopes": ["refunds:write"]}
    other = other_api.get("/account").body
    assert other["merchant"]["id"] != body["merchant"]["id"]


def views(patterns: Sequence[Any]) -> Iterator[type]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and hasattr(pattern.callback, "cls"):
            yield pattern.callback.cls


def by_mode(limits: Mapping[Mode, tuple[Limit, ...]] | tuple[Limit, ...]) -> Mapping[Mode, tuple[Limit, ...]]:
    return limits if isinstance(limits, Mapping) else dict.fromkeys(Mode, limits)


def test_it_lists_each_limit_that_an_operation_has() -> None:
    found = {
        f"{OPERATIONS[view.__name__]}.{action}": by_mode(limits)
        for view in views(get_resolver().url_patterns)
        for action, limits in getattr(view, "throttle_action_limits", {}).items()
    }
    assert {name: limits for name, limits in LIMITS.items() if name != "requests"} == found
