"""Programs register themselves: what they get, each description and redirect that is refused with nothing stored."""

import json
from itertools import product
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.test import Client

from core import rate_limits
from core.buckets import Limit
from mcp.models import AccessToken, Application
from mcp.oauth.access import believed_access_token
from mcp.oauth.throttles import ADDRESS_LIMITS
from mcp.redirects import RedirectRefused, check_redirect_uri
from tests.conftest import Reply, read_reply
from tests.mcp.oauth.flow import BASIC, CALLBACK, new_application

pytestmark = pytest.mark.django_db
REFUSED = (
    # Where anybody on the way reads along, or what only looks like one's own machine.
    *("http://evil.example/callback", "http://10.0.0.1/callback", "http://0.0.0.0/callback"),
    *("http://127.0.0.2/callback", "http://127.1/callback", "http://[::ffff:127.0.0.1]/callback"),
    *("http://localhost.evil.example/callback", "https://localhost.evil.example/callback"),
    *("https://evil-localhost.example/callback", "http://localhost./callback", "http://LOCALHOST/callback"),
    *("http://127.0.0.1.evil.example/callback", "https://127.0.0.1.evil.example/callback"),
    *("http://2130706433/callback", "https://2130706433/callback"),
    *("https://0x7f.0.0.1/callback", "https://0177.0.0.1/callback"),
    # A host that is another one than it seems.
    *("https://agent.example@evil.example/callback", "https://@evil.example/callback"),
    *("http://localhost@evil.example/callback", "https://evil.example\\@agent.example/callback"),
    *("https://agent.example/\\evil.example", "https://agent%2eexample/callback"),
    *("https://аgent.example/callback", "https://agent。example/callback", "https://*.example/callback"),
    # A place within the site that is another one than it seems.
    *("https://agent.example/callback#token", "https://agent.example/callback#"),
    *("https://agent.example/callback/../steal", "https://agent.example/callback/%2e%2e/steal"),
    *("https://agent.example/call back", "https://agent.example/callback\nhttps://evil.example/"),
    *("https://agent.example/call\tback", "https://agent.example/call\x00back"),
    # Another scheme, or none.
    *("javascript:alert(1)", "javascript://agent.example/%0aalert(1)", "data:text/html,hello", "file:///etc/passwd"),
    *("evilapp://callback", "cursors://callback", "HTTPS://agent.example/callback", "urn:ietf:wg:oauth:2.0:oob"),
    *("//agent.example/callback", "/callback", "https:///callback", "https:/agent.example/callback", ""),
    # No port, and no end.
    *("https://agent.example:65536/callback", "http://localhost:0/callback", "http://localhost:/callback"),
    "https://agent.example/" + "a" * 1024,
)
ALLOWED = (
    *("https://claude.ai/api/mcp/auth_callback", "https://vscode.dev/redirect"),
    *("https://agent.example:8443/callback?tenant=a", "cursor://anysphere.cursor-mcp/oauth/callback"),
    *("http://localhost:33418/callback", "http://localhost/callback", "http://127.0.0.1/"),
    *("http://127.0.0.1:7777/oauth/callback", "http://[::1]:9000/callback"),
)
WORSE: list[tuple[str, object]] = [
    ("redirect_uris", "http://evil.example/callback"),
    ("redirect_uris", "https://agent.example/a https://localhost.evil.example/b"),
    ("redirect_uris", ""),
    *(("authorization_grant_type", grant) for grant in ("password", "client-credentials", "implicit")),
    ("skip_authorization", True),
]


def test_what_no_code_is_sent_to() -> None:
    for uri in REFUSED:
        with pytest.raises(RedirectRefused):
            check_redirect_uri(uri)
    # What clients really use.
    for uri in ALLOWED:
        check_redirect_uri(uri)
        Application(redirect_uris=uri, client_type="public", authorization_grant_type="authorization-code").clean()
    # An operator writes no worse client.
    for field, value in WORSE:
        application = new_application()
        setattr(application, field, value)
        with pytest.raises(ValidationError) as refused:
            application.full_clean()
        assert field in refused.value.message_dict


GOOD = {"client_name": "Helpful Agent", "redirect_uris": [CALLBACK, "http://127.0.0.1/callback"]}
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
METADATA, REDIRECT = "invalid_client_metadata", "invalid_redirect_uri"
BAD: list[tuple[object, str]] = [
    *((body, METADATA) for body in (b"", b"{", b'{"client_name": "\xff"}', [GOOD], "client", b"[" * 20_000)),
    (GOOD | {"filler": "a" * 20_000}, METADATA),
    ({"client_name": "A"}, REDIRECT),
    *(({"redirect_uris": uris}, METADATA) for uris in (CALLBACK, [1], [CALLBACK, None])),
    *(({"redirect_uris": uris}, REDIRECT) for uris in ([], [f"{CALLBACK}/{number}" for number in range(11)])),
    *(
        ({"redirect_uris": [CALLBACK + more]}, REDIRECT)
        for more in (" https://evil.example/", "\nhttps://evil.example/")
    ),
    ({"redirect_uris": [CALLBACK, "http://evil.example/"]}, REDIRECT),
    *(({"redirect_uris": [uri]}, REDIRECT) for uri in REFUSED),
    *((GOOD | {"grant_types": [grant]}, METADATA) for grant in ("password", "client_credentials", "implicit", DEVICE)),
    *((GOOD | {"grant_types": ["authorization_code", "password"]}, METADATA), (GOOD | {"grant_types": []}, METADATA)),
    *((GOOD | {"grant_types": grants}, METADATA) for grants in (["refresh_token"], "authorization_code")),
    *((GOOD | {"response_types": kinds}, METADATA) for kinds in (["token"], ["code", "token"])),
    *((GOOD | {"token_endpoint_auth_method": method}, METADATA) for method in ("private_key_jwt", ["none"])),
    *((GOOD | {name: ["text"]}, METADATA) for name in ("client_name", "scope")),
]


def register(described: object, path: str = "/oauth/register", method: str = "POST", token: str = "") -> Reply:
    body = described if isinstance(described, bytes) else json.dumps(described).encode()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    client = Client(raise_request_exception=False, headers=headers)
    return read_reply(client.generic(method, path, body, content_type="application/json"))


def path_of(reply: Reply) -> str:
    return str(reply.body["registration_client_uri"].removeprefix(settings.BASE_URL))


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
    assert (application.client_type, application.client_secret) == ("public", "")
    assert (application.registration_source, application.user) == ("dcr", None)
    assert token not in repr(list(AccessToken.objects.values()))
    # A registration token opens no door.
    assert AccessToken.objects.get().user is None
    assert believed_access_token(token) is None


def test_only_known_scopes_are_promised_and_names_are_made_plain() -> None:
    promised = {
        "payouts:write openid everything": "payouts:write",
        "openid": BASIC,
        "payouts:write payouts:write tokens:read": "payouts:write tokens:read",
    }
    assert {asked: register(GOOD | {"scope": asked}).body["scope"] for asked in promised} == promised
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


def refusal(described: object, *place: str) -> tuple[int, str]:
    reply = register(described, *place)
    return reply.status, reply.body["error"]


def test_a_bad_description_registers_nothing() -> None:
    expected = [(described, (400, error)) for described, error in BAD]
    assert [(described, refusal(described)) for described, _ in BAD] == expected
    assert not Application.objects.exists()
    assert not AccessToken.objects.exists()
    # Replacing follows the same rules.
    first = register(GOOD)
    before = Application.objects.values().get()
    place = (path_of(first), "PUT", first.body["registration_access_token"])
    assert [(described, refusal(described, *place)) for described, _ in BAD] == expected
    assert Application.objects.values().get() == before
    assert register(b"", path_of(first), "GET", first.body["registration_access_token"]).status == 200


def test_only_its_registration_token_reads_and_replaces_a_client(agent: Any) -> None:
    first, other = register(GOOD), register(GOOD)
    path, token = path_of(first), first.body["registration_access_token"]
    before = list(Application.objects.values())
    strange = ("", "a", other.body["registration_access_token"], agent.signed_in()["access_token"])
    for stranger, method in product(strange, ("GET", "PUT")):
        assert register(GOOD | {"client_name": "Stolen"}, path, method, stranger).status == 401
    # A client cannot delete itself.
    assert register(b"", path, "DELETE", token).status == 405
    assert list(Application.objects.values()) == before
    assert register(b"", path, "GET", token).body["client_name"] == "Helpful Agent"
    changed = register({"client_name": "Other", "redirect_uris": ["https://other.example/"]}, path, "PUT", token)
    assert (changed.status, changed.body["redirect_uris"]) == (200, ["https://other.example/"])
    assert register(b"", path, "GET", token).status == 401
    assert register(b"", path, "GET", changed.body["registration_access_token"]).status == 200


def test_registering_is_counted_by_address(settings: Any) -> None:
    assert ADDRESS_LIMITS["register"] == Limit(count=60, window_seconds=60)
    settings.RATE_LIMIT_SCALE = 0.05
    rate_limits.forget()
    assert [register(GOOD).status for _ in range(4)] == [201, 201, 201, 429]
    assert Application.objects.count() == 3
    last = register(GOOD)
    assert (last.body["code"], int(last.headers["Retry-After"]) >= 1) == ("rate_limited", True)
