"""No body whatever gets more than a refusal in the one form, and none leaves anything behind."""

import uuid
from collections.abc import Iterator
from itertools import cycle, islice, product
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from core.exception_handler import as_service_error
from merchants.services import NewMerchant
from tests.conftest import Reply, read_reply
from tests.core.error_form import assert_error_form, assert_refused
from tests.core.hostile_bodies import HOSTILE, MEGABYTE, Hostile
from tests.factories.rows import all_rows

CREATE = "/api/public/v1/payment-intents"


def send(method: str, path: str, key: str, hostile: Hostile) -> Reply:
    """Send a body exactly as declared."""
    headers = {"Authorization": f"Bearer {key}", **hostile.headers}
    client = Client(raise_request_exception=False, headers=headers)
    return read_reply(client.generic(method, path, hostile.body, content_type=hostile.content_type))


@pytest.mark.spec("Contract 1.4; Contract 5.3; Contract 5.15; Contract 12.2")
@pytest.mark.spec("Errors: body; create intent: 400 invalid input")
def test_create_refuses(account: NewMerchant) -> None:
    before = all_rows()
    for hostile in HOSTILE:
        reply = send("POST", CREATE, account.test.secret_key, hostile)
        assert (reply.status, reply.body.get("code")) == (hostile.status, hostile.code), hostile.name
        assert_error_form(reply)
        if hostile.reason is not None:
            assert reply.body["details"] == {"reason": hostile.reason}, hostile.name
        if hostile.status == 413:
            assert reply.body["details"] == {"limit_bytes": 256 * 1024}, hostile.name
    assert all_rows() == before


def test_the_corpus_is_large() -> None:
    names = [hostile.name for hostile in HOSTILE]
    assert len(names) == len(set(names)) >= 100


def routes_that_write(patterns: Any = None, before: str = "/") -> Iterator[tuple[str, str]]:
    """Every route below /api/ that takes a body, with its methods."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes_that_write(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern) and path.startswith("/api/"):
            methods = allowed_methods(pattern) & {"post", "patch", "put", "delete"}
            yield from ((method.upper(), path) for method in sorted(methods))


def allowed_methods(pattern: URLPattern) -> set[str]:
    """The methods that a route's view answers."""
    if (actions := getattr(pattern.callback, "actions", None)) is not None:
        return set(actions)
    view = getattr(pattern.callback, "cls", None)
    return {name for name in ("post", "patch", "put", "delete") if hasattr(view, name)}


ROUTES = sorted(set(routes_that_write()))


def test_every_writing_route_is_found() -> None:
    assert len(ROUTES) >= 15
    assert ("POST", "/api/public/v1/payment-intents") in ROUTES
    assert ("PATCH", "/api/public/v1/webhook-endpoints/<str:endpoint_id>") in ROUTES


SMALL = [hostile for hostile in HOSTILE if len(hostile.body) < MEGABYTE]
HERE = 10
"""So many for each route here, always others, so that each body has its turn somewhere."""


def try_route(method: str, route: str, key: str, bodies: list[Hostile]) -> None:
    """With an id that exists nowhere: whatever a route looks at first, it never fails."""
    parts = [str(uuid.uuid4()) if part.startswith("<") else part for part in route.split("/")]
    for hostile in bodies:
        reply = send(method, "/".join(parts), key, hostile)
        assert reply.status < 500, f"{method} {route} with {hostile.name}: {reply.raw[:300]!r}"
        if reply.status >= 400:
            assert_error_form(reply)


def test_no_route_breaks(account: NewMerchant) -> None:
    dealt = cycle(SMALL)
    for method, route in ROUTES:
        try_route(method, route, account.test.secret_key, list(islice(dealt, HERE)))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("method", "route"), ROUTES)
def test_no_route_breaks_by_any_body(method: str, route: str, account: NewMerchant) -> None:
    try_route(method, route, account.test.secret_key, SMALL)


def test_no_path_breaks(account: NewMerchant) -> None:
    characters = ("%00", "%ff", "%ed%a0%80", "%2e%2e%2f", "%F0%9F%92%B8", "a" * 5000, "%0d%0aX:y")
    for path, character in product(("payment-intents/", "webhook-endpoints/", "checkout/", ""), characters):
        reply = send("GET", f"/api/public/v1/{path}{character}", account.test.secret_key, Hostile("", b""))
        assert_refused(reply, 404, "not_found")


@pytest.mark.spec("Contract 5.19")
def test_an_unexpected_failure_says_nothing_of_the_inside() -> None:
    refusal = as_service_error(RuntimeError("password is hunter2"))
    assert (refusal.http_status, refusal.code, refusal.details) == (500, "internal_error", {"retryable": True})
    assert "hunter2" not in refusal.message
