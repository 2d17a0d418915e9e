"""Programs register themselves: what they get, and every description that is refused with nothing stored."""

import json
from itertools import product
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from core import rate_limits
from core.rate_limits import Limit
from mcp.models import AccessToken, Application
from mcp.oauth.access import believed_access_token
from mcp.oauth.throttles import ADDRESS_LIMITS
from tests.conftest import Reply, read_reply
from tests.mcp.oauth.flow import BASIC, CALLBACK
from tests.mcp.oauth.test_redirects import REFUSED

GOOD = {"client_name": "Helpful Agent", "redirect_uris": [CALLBACK, "http://127.0.0.1/callback"]}
METADATA, REDIRECT = "invalid_client_metadata", "invalid_redirect_uri"

BAD: dict[str, tuple[object, str]] = {
    "no body": (b"", METADATA),
    "no JSON": (b"{", METADATA),
    "not UTF-8": (b'{"client_name": "\xff"}', METADATA),
    "a list": ([GOOD], METADATA),
    "a text": ("client", METADATA),
    "nested too deep": (b"[" * 20_000, METADATA),
    "too long": (GOOD | {"filler": "a" * 20_000}, METADATA),
    "no redirects": ({"client_name": "A"}, REDIRECT),
    "an empty list of redirects": ({"redirect_uris": []}, REDIRECT),
    "redirects as a text": ({"redirect_uris": CALLBACK}, METADATA),
    "a number among redirects": ({"redirect_uris": [1]}, METADATA),
    "null among redirects": ({"redirect_uris": [CALLBACK, None]}, METADATA),
    "too many redirects": ({"redirect_uris": [f"{CALLBACK}/{number}" for number in range(11)]}, REDIRECT),
    "two redirects in one": ({"redirect_uris": [f"{CALLBACK} https://evil.example/"]}, REDIRECT),
    "two on two lines": ({"redirect_uris": [f"{CALLBACK}\nhttps://evil.example/"]}, REDIRECT),
    "a good and a bad redirect": ({"redirect_uris": [CALLBACK, "http://evil.example/"]}, REDIRECT),
    "a name that is no text": (GOOD | {"client_name": {"en": "A"}}, METADATA),
    "the password grant": (GOOD | {"grant_types": ["password"]}, METADATA),
    "the client grant": (GOOD | {"grant_types": ["client_credentials"]}, METADATA),
    "the implicit grant": (GOOD | {"grant_types": ["implicit"]}, METADATA),
    "the device grant": (GOOD | {"grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]}, METADATA),
    "a good and a bad grant": (GOOD | {"grant_types": ["authorization_code", "password"]}, METADATA),
    "refresh alone": (GOOD | {"grant_types": ["refresh_token"]}, METADATA),
    "no grants": (GOOD | {"grant_types": []}, METADATA),
    "grants as a text": (GOOD | {"grant_types": "authorization_code"}, METADATA),
    "the token response": (GOOD | {"response_types": ["token"]}, METADATA),
    "code and token": (GOOD | {"response_types": ["code", "token"]}, METADATA),
    "a key of its own": (GOOD | {"token_endpoint_auth_method": "private_key_jwt"}, METADATA),
    "a method that is no text": (GOOD | {"token_endpoint_auth_method": ["none"]}, METADATA),
    "a scope that is no text": (GOOD | {"scope": ["payouts:write"]}, METADATA),
}


def register(described: object, path: str = "/oauth/register", method: str = "POST", token: str = "") -> Reply:
    """Send a description."""
    body = described if isinstance(described, bytes) else json.dumps(described).encode()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    client = Client(raise_request_exception=False, headers=headers)
    return read_reply(client.generic(method, path, body, content_type="application/json"))


def path_of(reply: Reply) -> str:
    """Where a registration is managed."""
    return str(reply.body["registration_client_uri"].removeprefix(settings.BASE_URL))


@pytest.mark.django_db
def test_a_registered_client_is_public_and_told_everything() -> None:
    reply = register(GOOD | {"token_endpoint_auth_method": "client_secret_basic", "logo_uri": "https://x.example/a"})
    application = Application.objects.get()
    assert reply.status == 201
    assert reply.headers["Cache-Control"] == "no-store"
    token = reply.body.pop("registration_access_token")
    assert len(token) > 40
    assert reply.body == {
        "client_id": application.client_id,
        "client_id_issued_at": int(application.created.timestamp()),
        "client_secret_expires_at": 0,
        "client_name": "Helpful Agent",
        "redirect_uris": GOOD["redirect_uris"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "registration_client_uri": f"{settings.BASE_URL}/oauth/register/{application.client_id}",
        "scope": BASIC,
    }
    assert (application.client_type, application.client_secret, application.registration_source, application.user) == (
        "public",
        "",
        "dcr",
        None,
    )
    assert token not in repr(list(AccessToken.objects.values()))


@pytest.mark.django_db
def test_only_known_scopes_are_promised() -> None:
    promised = {
        "payouts:write openid everything": "payouts:write",
        "openid": BASIC,
        "payouts:write payouts:write tokens:read": "payouts:write tokens:read",
    }
    assert {asked: register(GOOD | {"scope": asked}).body["scope"] for asked in promised} == promised


@pytest.mark.django_db
def test_names_are_made_plain() -> None:
    shown = {
        "Claude\u202edualC": "ClaudedualC",
        "Cla\u200bude\x00\x07": "Claude",
        "  two\n\nlines\t ": "two lines",
        "wide\u3000blank\u2028line": "wide blank line",
        "x" * 300: "x" * 80,
        "\ud83d": "",
        "Café 🤖": "Café 🤖",
    }
    assert {name: register(GOOD | {"client_name": name}).body["client_name"] for name in shown} == shown


ALL_BAD = BAD | {name: ({"redirect_uris": [uri]}, REDIRECT) for name, uri in REFUSED.items()}
REFUSALS = {name: (400, error) for name, (_, error) in ALL_BAD.items()}


def refusal(described: object, *place: str) -> tuple[int, str]:
    """Status and code of the refusal of a description."""
    reply = register(described, *place)
    return reply.status, reply.body["error"]


@pytest.mark.django_db
def test_a_bad_description_registers_nothing() -> None:
    assert {name: refusal(described) for name, (described, _) in ALL_BAD.items()} == REFUSALS
    assert not Application.objects.exists()
    assert not AccessToken.objects.exists()


@pytest.mark.django_db
def test_a_registration_token_opens_no_door() -> None:
    token = register(GOOD).body["registration_access_token"]
    assert AccessToken.objects.get().user is None
    assert believed_access_token(token) is None


@pytest.mark.django_db
def test_what_is_registered_can_be_read_and_replaced() -> None:
    first = register(GOOD)
    path, token = path_of(first), first.body["registration_access_token"]
    assert register(b"", path, "GET", token).body["client_name"] == "Helpful Agent"
    changed = register({"client_name": "Other", "redirect_uris": ["https://other.example/"]}, path, "PUT", token)
    assert (changed.status, changed.body["redirect_uris"]) == (200, ["https://other.example/"])
    assert register(b"", path, "GET", token).status == 401
    assert register(b"", path, "GET", changed.body["registration_access_token"]).status == 200


@pytest.mark.django_db
def test_replacing_follows_the_same_rules() -> None:
    first = register(GOOD)
    before = Application.objects.values().get()
    place = (path_of(first), "PUT", first.body["registration_access_token"])
    assert {name: refusal(described, *place) for name, (described, _) in ALL_BAD.items()} == REFUSALS
    assert Application.objects.values().get() == before
    assert register(b"", path_of(first), "GET", first.body["registration_access_token"]).status == 200


@pytest.mark.django_db
def test_only_its_registration_token_manages_a_client() -> None:
    first, other = register(GOOD), register(GOOD)
    before = list(Application.objects.values())
    for token, method in product(("", "a", other.body["registration_access_token"]), ("GET", "PUT")):
        assert register(GOOD | {"client_name": "Stolen"}, path_of(first), method, token).status == 401
    assert list(Application.objects.values()) == before


@pytest.mark.django_db
def test_a_client_cannot_delete_itself() -> None:
    first = register(GOOD)
    assert register(b"", path_of(first), "DELETE", first.body["registration_access_token"]).status == 405
    assert Application.objects.exists()


@pytest.mark.django_db
def test_an_access_token_manages_no_client(agent: Any) -> None:
    pair = agent.signed_in()
    path = f"/oauth/register/{agent.application.client_id}"
    assert register(GOOD, path, "PUT", pair["access_token"]).status == 401


@pytest.mark.django_db
def test_registering_is_counted_by_address(settings: Any) -> None:
    assert ADDRESS_LIMITS["register"] == Limit(count=60, window_seconds=60)
    settings.RATE_LIMIT_SCALE = 0.05
    rate_limits.buckets.cache_clear()
    assert [register(GOOD).status for _ in range(4)] == [201, 201, 201, 429]
    assert Application.objects.count() == 3
    last = register(GOOD)
    assert (last.body["code"], int(last.headers["Retry-After"]) >= 1) == ("rate_limited", True)
