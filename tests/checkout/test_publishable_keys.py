"""A publishable key acts nowhere but at the checkout: every other endpoint says so."""

import re
from itertools import product
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.views import APIView

from merchants.authentication import SecretKeyAuthentication
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.world import create

ANY_ID = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"


def _routes(resolver: URLResolver, prefix: str = "") -> list[tuple[str, Any]]:
    found = []
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            found += _routes(entry, path)
        elif isinstance(entry, URLPattern):
            found.append((path, entry.callback))
    return found


def secret_endpoints() -> list[tuple[str, str]]:
    """Every method and path that asks for a secret key."""
    found = []
    for path, callback in _routes(get_resolver()):
        view = getattr(callback, "cls", None) or getattr(callback, "view_class", None)
        if view is None or not issubclass(view, APIView) or not path.startswith("api/public/"):
            continue
        if SecretKeyAuthentication in view.authentication_classes:
            actions = getattr(callback, "actions", None) or {
                name: name for name in ("get", "post", "put", "patch", "delete") if hasattr(view, name)
            }
            filled = "/" + re.sub(r"<[^>]+>", ANY_ID, path)
            found += [(method.upper(), filled) for method in actions if method != "head"]
    return found


def test_the_endpoints_of_the_specification_are_among_them() -> None:
    found = set(secret_endpoints())
    intents = "/api/public/v1/payment-intents"
    hooks = "/api/public/v1/webhook-endpoints"
    assert {
        ("POST", intents),
        ("GET", intents),
        ("GET", f"{intents}/{ANY_ID}"),
        ("POST", f"{intents}/{ANY_ID}/cancel"),
        ("GET", f"{intents}/{ANY_ID}/transactions"),
        ("GET", f"{intents}/{ANY_ID}/routing"),
        ("POST", hooks),
        ("GET", hooks),
        ("PATCH", f"{hooks}/{ANY_ID}"),
        ("DELETE", f"{hooks}/{ANY_ID}"),
        ("POST", f"{hooks}/{ANY_ID}/rotate-secret"),
    } <= found


@pytest.mark.spec("Contract 5.12; Contract 14.3")
@pytest.mark.spec("Publishable keys: elsewhere 401 secret_key_required")
def test_publishable_keys_are_refused(api: ApiClient, account: Any) -> None:
    intent = create(api)
    before = all_rows()
    for (method, path), pair in product(secret_endpoints(), (account.test, account.live)):
        for target in (path, path.replace(ANY_ID, intent["id"])):
            body = {"amount": 25} if method == "POST" else None
            reply = ApiClient(pair.publishable_key).send(method, target, body)
            assert (reply.status, reply.body["code"]) == (401, "secret_key_required"), (method, target)
            assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert all_rows() == before
