"""What clients read first: every word of it, who may read it, and that there is nothing else."""

from io import StringIO
from itertools import product
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.test import Client

from mcp.scopes import BASIC_SCOPES, Scope

BASE = settings.BASE_URL
SERVER, RESOURCE = "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"


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
        "client_id_metadata_document_supported": settings.OAUTH2_PROVIDER.get("CIMD_ENABLED", False),
    }


def test_the_protected_resource_names_its_server_and_the_least_scopes(client: Client) -> None:
    for path in (RESOURCE, f"{RESOURCE}/mcp"):
        assert client.get(path).json() == {
            "resource": f"{BASE}/mcp",
            "authorization_servers": [BASE],
            "scopes_supported": [str(scope) for scope in BASIC_SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "Causeway",
        }


def test_every_page_may_read_it() -> None:
    asked = Client(headers={"Origin": "https://inspector.example"})
    for path in (SERVER, RESOURCE, f"{RESOURCE}/mcp"):
        assert asked.get(path).headers["Access-Control-Allow-Origin"] == "*"
        first = asked.options(path)
        assert (first.status_code, first.headers["Access-Control-Allow-Headers"]) == (204, "MCP-Protocol-Version")


def test_no_page_of_others_may_ask_for_more(db: None) -> None:
    for path, method in product(("/oauth/token", "/oauth/revoke", "/oauth/register"), ("POST", "OPTIONS")):
        answer = Client(headers={"Origin": "https://evil.example"}).generic(method, path)
        assert "Access-Control-Allow-Origin" not in answer.headers, (method, path)


NOT_THERE = (
    *("/oauth", "/oauth/", "/oauth/introspect", "/oauth/device", "/oauth/device-authorization", "/oauth/userinfo"),
    *("/oauth/applications", "/oauth/applications/", "/oauth/authorized_tokens/", "/oauth/token/"),
    *("/.well-known/openid-configuration", "/.well-known/jwks.json", f"{SERVER}/tenant", f"{RESOURCE}/other"),
)


def test_what_is_not_there_says_so_in_json(client: Client) -> None:
    answers = {path: client.get(path) for path in NOT_THERE}
    codes = {path: (answer.status_code, answer.json()["code"]) for path, answer in answers.items()}
    assert codes == dict.fromkeys(NOT_THERE, (404, "not_found"))


def test_the_issuer_does_not_follow_the_host_that_was_asked() -> None:
    asked = Client(headers={"Host": "127.0.0.1"})
    assert asked.get(SERVER).json()["issuer"] == BASE
    assert asked.get(RESOURCE).json()["resource"] == f"{BASE}/mcp"


def test_the_library_warns_of_one_thing_only() -> None:
    said = StringIO()
    call_command("check", "--deploy", "--fail-level", "CRITICAL", stdout=said, stderr=said)
    warned = {word.strip("()") for word in said.getvalue().replace(":", " ").split() if "oauth2_provider." in word}
    assert warned == {"oauth2_provider.W008"}


def test_programs_that_print_codes_are_quiet(settings: Any) -> None:
    loggers = settings.LOGGING["loggers"]
    assert {loggers[name]["level"] for name in ("oauthlib", "oauth2_provider")} == {"WARNING"}
