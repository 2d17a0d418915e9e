"""What the authorization endpoint refuses before it asks anybody: the error, who is told, and that nothing came of it.

The page itself is tested in ``tests/mcp/consent``.
"""

from io import StringIO
from itertools import product
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import Client

from core import rate_limits
from mcp.models import Application
from mcp.oauth.access import believed_access_token
from mcp.oauth.resource import RESOURCE
from mcp.scopes import BASIC_SCOPES, Scope
from tests.mcp.consent.person import NOTHING, Person, stored
from tests.mcp.oauth.flow import BASIC, CALLBACK, Agent, ask, challenge_of, new_application, new_verifier

Changes = dict[str, Any]
PAIR = [RESOURCE, "https://evil.example/mcp"]
TO_THE_CLIENT: dict[str, tuple[Changes, str]] = {
    "no challenge": ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    "an empty challenge": ({"code_challenge": ""}, "invalid_request"),
    "a plain challenge": ({"code_challenge_method": "plain"}, "invalid_request"),
    "no challenge method": ({"code_challenge_method": None}, "invalid_request"),
    "an unknown challenge method": ({"code_challenge_method": "S512"}, "invalid_request"),
    "a small letter in the method": ({"code_challenge_method": "s256"}, "invalid_request"),
    "a short challenge": ({"code_challenge": "a" * 42}, "invalid_request"),
    "a long challenge": ({"code_challenge": "a" * 44}, "invalid_request"),
    "a padded challenge": ({"code_challenge": "a" * 42 + "="}, "invalid_request"),
    "two challenges": ({"code_challenge": [challenge_of("a"), challenge_of("b")]}, "invalid_request"),
    "two challenge methods": ({"code_challenge_method": ["S256", "plain"]}, "invalid_request"),
    "the token response": ({"response_type": "token"}, "unsupported_response_type"),
    "an identity": ({"response_type": "id_token"}, "unsupported_response_type"),
    "code and token": ({"response_type": "code token"}, "unsupported_response_type"),
    "code and identity": ({"response_type": "code id_token"}, "unsupported_response_type"),
    "the none response": ({"response_type": "none"}, "unsupported_response_type"),
    "no response type": ({"response_type": None}, "invalid_request"),
    "an unknown scope": ({"scope": f"{BASIC} everything"}, "invalid_scope"),
    "an administrator's scope": ({"scope": "admin"}, "invalid_scope"),
    "the registration scope": ({"scope": "oauth2_provider:registration"}, "invalid_scope"),
    "a wildcard": ({"scope": "*"}, "invalid_scope"),
    "a foreign resource": ({"resource": "https://evil.example/mcp"}, "invalid_target"),
    "the server instead of its door": ({"resource": django_settings.BASE_URL}, "invalid_target"),
    "a path below the door": ({"resource": f"{RESOURCE}/admin"}, "invalid_target"),
    "a resource with a user": ({"resource": RESOURCE.replace("://", "://evil@")}, "invalid_target"),
    "a resource with a fragment": ({"resource": f"{RESOURCE}#a"}, "invalid_target"),
    "a resource that is no URI": ({"resource": "everything"}, "invalid_target"),
    "ours and another resource": ({"resource": PAIR}, "invalid_target"),
}
TO_NOBODY: dict[str, Changes] = {
    "no client": {"client_id": None},
    "an unknown client": {"client_id": "unknown"},
    "two clients": {"client_id": ["a", "b"]},
    "a foreign redirect": {"redirect_uri": "https://evil.example/callback"},
    "the redirect on http": {"redirect_uri": CALLBACK.replace("https", "http")},
    "the redirect's host in capitals": {"redirect_uri": CALLBACK.replace("agent", "AGENT") + "/"},
    "the redirect with another port": {"redirect_uri": CALLBACK.replace(".example", ".example:8443")},
    "the redirect with a longer path": {"redirect_uri": f"{CALLBACK}/more"},
    "the redirect with dot segments": {"redirect_uri": f"{CALLBACK}/../callback"},
    "the redirect with a query": {"redirect_uri": f"{CALLBACK}?next=https://evil.example"},
    "the redirect with a fragment": {"redirect_uri": f"{CALLBACK}#a"},
    "the redirect with a user": {"redirect_uri": CALLBACK.replace("://", "://agent.example@evil.")},
    "the redirect as a prefix": {"redirect_uri": CALLBACK.replace("/callback", ".evil.example/callback")},
    "a script": {"redirect_uri": "javascript:alert(1)"},
    "two redirects": {"redirect_uri": [CALLBACK, "https://evil.example/"]},
    "two states": {"state": ["a", "b"]},
    "two scopes": {"scope": ["tokens:read", "payouts:write"]},
}


def test_what_the_client_is_told(person: Person) -> None:
    application = new_application()
    for name, (changes, error) in TO_THE_CLIENT.items():
        page = person.opens(application, **changes)
        assert (page.status, page.target) == (302, CALLBACK), name
        assert page.answer["error"] == error, name
        assert (page.answer["state"], page.answer["iss"], "code" in page.answer) == (
            "xyz",
            django_settings.BASE_URL,
            False,
        )
    assert stored() == NOTHING


def test_what_sends_nobody_anywhere(person: Person) -> None:
    application = new_application()
    for name, changes in TO_NOBODY.items():
        page = person.opens(application, **changes)
        assert (page.status, "Location" in page.headers) == (400, False), name
    person.client.raise_request_exception = False
    for query in ("client_id=%zz", "client_id=%00", "&&&", "a", "=", "%", "client_id=\xff"):
        assert person.follows(f"/oauth/authorize?{query}").status == 400, query
    assert stored() == NOTHING


def test_asking_for_automatic_approval_shows_the_page_all_the_same(agent: Agent, person: Person) -> None:
    agent.signed_in()
    before = stored()
    for word in ("auto", "force", "none"):
        page = person.opens(agent.application, approval_prompt=word, prompt="none")
        assert (page.status, "ticket" in page.fields) == (200, True)
    assert stored() == before


def test_a_program_on_this_machine_may_use_any_port(person: Person) -> None:
    application = new_application(redirect_uris="http://localhost:3000/callback")
    for redirect in ("http://localhost:51234/callback", "http://localhost/callback"):
        assert person.opens(application, redirect_uri=redirect).status == 200
    assert person.opens(application, redirect_uri="http://127.0.0.1/callback").status == 400


def test_every_code_is_for_this_door(person: Person) -> None:
    application = new_application()
    for resource in (None, RESOURCE, RESOURCE.replace("http", "HTTP").replace("localhost", "LOCALHOST")):
        page = person.presses(person.opens(application, resource=resource))
        assert page.answer["iss"] == django_settings.BASE_URL
        form = {"grant_type": "authorization_code", "client_id": application.client_id, "code": page.answer["code"]}
        reply = ask("/oauth/token", form | {"code_verifier": person.verifier, "redirect_uri": CALLBACK})
        believed = believed_access_token(reply.body["access_token"])
        assert believed is not None
        assert believed.resource == [RESOURCE]


@pytest.mark.spec("Contract 16.1")
def test_the_code_is_only_for_who_has_the_verifier(person: Person) -> None:
    application = new_application()
    code = person.presses(person.opens(application)).answer["code"]
    form = {"grant_type": "authorization_code", "client_id": application.client_id, "code": code}
    assert ask("/oauth/token", form | {"code_verifier": new_verifier()}).body["error"] == "invalid_grant"
    assert ask("/oauth/token", form | {"code_verifier": person.verifier}).body["error"] == "invalid_grant"


def test_asking_is_counted_by_address(person: Person, settings: Any) -> None:
    application: Application = new_application()
    settings.RATE_LIMIT_SCALE = 0.05
    rate_limits.buckets.cache_clear()
    assert [person.opens(application).status for _ in range(4)] == [200, 200, 200, 429]


BASE = django_settings.BASE_URL
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
    # Programs that print codes are quiet.
    loggers: Any = django_settings.LOGGING["loggers"]
    assert {loggers[name]["level"] for name in ("oauthlib", "oauth2_provider")} == {"WARNING"}
