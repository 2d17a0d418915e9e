"""What the authorization endpoint refuses before it asks anybody: the error, who is told, and that nothing came of it.

The page itself is tested in ``tests/mcp/consent``.
"""

from io import StringIO
from itertools import product
from typing import Any

from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import Client

from mcp.models import AccessToken
from mcp.oauth.resource import RESOURCE
from mcp.scopes import BASIC_SCOPES, Scope
from tests.mcp.consent.person import NOTHING, Person, stored
from tests.mcp.oauth.flow import BASIC, CALLBACK, OTHER_RESOURCES, ask, challenge_of, new_application

BASE = django_settings.BASE_URL
Changes = dict[str, Any]
TO_THE_CLIENT: list[tuple[Changes, str]] = [
    ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    *(({"code_challenge": text}, "invalid_request") for text in ("", "a" * 42, "a" * 44, "a" * 42 + "=")),
    *(({"code_challenge_method": method}, "invalid_request") for method in (None, "plain", "S512", "s256")),
    ({"code_challenge": [challenge_of("a"), challenge_of("b")]}, "invalid_request"),
    ({"code_challenge_method": ["S256", "plain"]}, "invalid_request"),
    ({"response_type": None}, "invalid_request"),
    *(
        ({"response_type": kind}, "unsupported_response_type")
        for kind in ("token", "id_token", "code token", "code id_token", "none")
    ),
    *(
        ({"scope": scope}, "invalid_scope")
        for scope in (f"{BASIC} everything", "admin", "oauth2_provider:registration", "*")
    ),
    *(({"resource": resource}, "invalid_target") for resource in OTHER_RESOURCES),
    ({"resource": f"{RESOURCE}#a"}, "invalid_target"),
]
OTHER_REDIRECTS = (
    *("https://evil.example/callback", CALLBACK.replace("https", "http"), CALLBACK.replace("agent", "AGENT") + "/"),
    *(CALLBACK.replace(".example", ".example:8443"), f"{CALLBACK}/more", f"{CALLBACK}/../callback", f"{CALLBACK}#a"),
    *(f"{CALLBACK}?next=https://evil.example", CALLBACK.replace("://", "://agent.example@evil.")),
    *(CALLBACK.replace("/callback", ".evil.example/callback"), "javascript:alert(1)"),
    [CALLBACK, "https://evil.example/"],
)
TO_NOBODY: list[Changes] = [
    *({"client_id": client} for client in (None, "unknown", ["a", "b"])),
    *({"redirect_uri": redirect} for redirect in OTHER_REDIRECTS),
    *({"state": state} for state in (["a", "b"], "a\x00b")),
    *({"scope": scope} for scope in (["tokens:read", "payouts:write"], "tokens:read\r\nSet-Cookie: a=b")),
]


def test_what_the_client_is_told(person: Person) -> None:
    application = new_application()
    for changes, error in TO_THE_CLIENT:
        page = person.opens(application, **changes)
        assert (page.status, page.target) == (302, CALLBACK), changes
        assert page.answer["error"] == error, changes
        assert (page.answer["state"], page.answer["iss"], "code" in page.answer) == ("xyz", BASE, False)
    assert stored() == NOTHING


def test_what_sends_nobody_anywhere(person: Person) -> None:
    application = new_application()
    for changes in TO_NOBODY:
        page = person.opens(application, **changes)
        assert (page.status, "Location" in page.headers) == (400, False), changes
        assert "Nothing was allowed" in page.text, changes
    person.client.raise_request_exception = False
    for query in ("client_id=%zz", "client_id=%00", "&&&", "a", "=", "%", "client_id=\xff"):
        assert person.follows(f"/oauth/authorize?{query}").status == 400, query
    assert stored() == NOTHING


def test_a_program_on_this_machine_may_use_any_port(person: Person) -> None:
    application = new_application(redirect_uris="http://localhost:3000/callback")
    for redirect in ("http://localhost:51234/callback", "http://localhost/callback"):
        assert person.opens(application, redirect_uri=redirect).status == 200
    assert person.opens(application, redirect_uri="http://127.0.0.1/callback").status == 400


def test_every_code_is_for_this_door(person: Person) -> None:
    application = new_application()
    for resource in (None, RESOURCE, RESOURCE.replace("http", "HTTP").replace("localhost", "LOCALHOST")):
        page = person.presses(person.opens(application, resource=resource))
        form = {"grant_type": "authorization_code", "client_id": application.client_id, "code": page.answer["code"]}
        reply = ask("/oauth/token", form | {"code_verifier": person.verifier, "redirect_uri": CALLBACK})
        assert reply.status == 200
        assert AccessToken.objects.latest("pk").resource == [RESOURCE]


SERVER, PROTECTED = "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"


def test_the_authorization_server_describes_itself(client: Client) -> None:
    assert client.get(SERVER).json() == {
        "issuer": BASE,
        "authorization_endpoint": f"{BASE}/oauth/authorize",
        "token_endpoint": f"{BASE}/oauth/token",
        "revocation_endpoint": f"{BASE}/oauth/revoke",
        "registration_endpoint": f"{BASE}/oauth/register",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "scopes_supported": sorted(Scope),
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": django_settings.OAUTH2_PROVIDER.get("CIMD_ENABLED", False),
    }


def test_the_protected_resource_names_its_server_and_the_least_scopes(client: Client) -> None:
    for path in (PROTECTED, f"{PROTECTED}/mcp"):
        assert client.get(path).json() == {
            "resource": f"{BASE}/mcp",
            "authorization_servers": [BASE],
            "scopes_supported": [str(scope) for scope in BASIC_SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "Causeway",
        }
    # Every page may read it.
    asked = Client(headers={"Origin": "https://inspector.example"})
    for path in (SERVER, PROTECTED, f"{PROTECTED}/mcp"):
        assert asked.get(path).headers["Access-Control-Allow-Origin"] == "*"
        first = asked.options(path)
        assert (first.status_code, first.headers["Access-Control-Allow-Headers"]) == (204, "MCP-Protocol-Version")
    # The issuer does not follow the host that was asked.
    asked = Client(headers={"Host": "127.0.0.1"})
    assert asked.get(SERVER).json()["issuer"] == BASE
    assert asked.get(PROTECTED).json()["resource"] == f"{BASE}/mcp"


def test_no_page_of_others_may_ask_for_more(db: None) -> None:
    for path, method in product(("/oauth/token", "/oauth/revoke", "/oauth/register"), ("POST", "OPTIONS")):
        answer = Client(headers={"Origin": "https://evil.example"}).generic(method, path)
        assert "Access-Control-Allow-Origin" not in answer.headers, (method, path)


NOT_THERE = (
    *("/oauth", "/oauth/", "/oauth/introspect", "/oauth/device", "/oauth/device-authorization", "/oauth/userinfo"),
    *("/oauth/applications", "/oauth/applications/", "/oauth/authorized_tokens/", "/oauth/token/"),
    *("/.well-known/openid-configuration", "/.well-known/jwks.json", f"{SERVER}/tenant", f"{PROTECTED}/other"),
)


def test_what_is_not_there_says_so_in_json(client: Client) -> None:
    answers = {path: client.get(path) for path in NOT_THERE}
    codes = {path: (answer.status_code, answer.json()["code"]) for path, answer in answers.items()}
    assert codes == dict.fromkeys(NOT_THERE, (404, "not_found"))


def test_the_library_warns_of_one_thing_only() -> None:
    said = StringIO()
    call_command("check", "--deploy", "--fail-level", "CRITICAL", stdout=said, stderr=said)
    warned = {word.strip("()") for word in said.getvalue().replace(":", " ").split() if "oauth2_provider." in word}
    assert warned == {"oauth2_provider.W008"}
