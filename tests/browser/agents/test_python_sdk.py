"""The official Python SDK goes the whole way, in both eras of the protocol."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.agents.sdk import (
    CLIENTS,
    DISCOVERY,
    FIRST_PAGE,
    PAYING,
    PYTHON,
    READING,
    REVISIONS,
    SECOND_PAGE,
    TOOLS,
    Person,
    report_of,
    without_handshake,
)
from tests.browser.conftest import Visit
from tests.browser.payer import settled_intent
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def person(visit: Visit, service: Embedded) -> Person:
    """Who is asked for consent."""
    return Person(visit=visit, service=service)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_from_the_first_refusal_to_the_last(
    person: Person, service: Embedded, shop: Caller, tmp_path: Path, mode: str
) -> None:
    """In the modern era a person revokes on the dashboard; in the older one the client gives its token back."""
    intent, name, url = settled_intent(shop), f"Python, {mode}", f"{service.base_url}/mcp"
    report = report_of(
        [str(PYTHON), "-P", str(CLIENTS / "python_client.py"), url, mode, intent, name],
        tmp_path,
        {
            "open": lambda event: person.allow(event["url"]),
            "revoke": lambda event: None if mode == "legacy" else person.revoke(name),
        },
    )
    assert person.pages == [FIRST_PAGE, SECOND_PAGE]
    assert_it_signed_in(report, url)
    assert ("POST /mcp 202" in report["wire"]) is (mode == "legacy")
    assert_it_was_served(report, intent, mode)
    assert report["given_back"] == (200 if mode == "legacy" else None)
    assert report["wire_after_revocation"] == ["POST /mcp 401", *DISCOVERY]
    assert 'error="invalid_token"' in report["challenges"][-1]
    assert "answered_afterwards" not in report


def assert_it_signed_in(report: dict[str, Any], url: str) -> None:
    """Challenge, metadata, registration, consent, step-up and refresh: each once, in this order."""
    assert without_handshake(report["wire"]) == [
        *("POST /mcp 401", *DISCOVERY, "POST /oauth/register 201", "POST /oauth/token 200", "POST /mcp 200"),
        *("POST /mcp 403", "POST /oauth/token 200", "POST /mcp 200"),
        *("POST /oauth/token 200", "POST /mcp 200"),
    ]
    usual = {"resource": url, "code_challenge_method": "S256"}
    wanted = [READING, f"{READING} payouts:write", READING]
    assert report["asked"] == [{"scope": scope, **usual} for scope in wanted]
    assert report["scopes"] == [READING, PAYING, PAYING]
    first, second, _ = report["challenges"]
    assert (f'scope="{READING}"' in first, "error=" in first) == (True, False)
    assert second.startswith('Bearer error="insufficient_scope", scope="payouts:write", resource_metadata="')
    assert (report["consents_for_payout"], report["refreshes"]) == (1, 1)


def assert_it_was_served(report: dict[str, Any], intent: str, mode: str) -> None:
    """The tools, the settlement, and one payout that is paid."""
    assert (report["protocol_version"], report["server"]) == (REVISIONS[mode], "causeway")
    assert (report["second_version"], report["second_tools"]) == (REVISIONS[mode], 9)
    assert (report["tools"], report["tokens_listed"]) == (TOOLS, 1)
    settlement = report["settlement"]
    assert (settlement["id"], settlement["status"], settlement["mode"]) == (intent, "settled", "test")
    assert settlement["net_settlement_usd"] == "25.00"
    payout = report["payout_followed"]
    assert report["payout"] == report["payout_again"] == {"result": {"payoutId": payout["id"]}}
    assert (payout["status"], payout["amount"], payout["payment_intent_id"]) == ("paid", "25.00", intent)
    assert report["after_refresh"] == "settled"
