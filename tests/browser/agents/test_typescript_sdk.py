"""The official TypeScript SDK goes the whole way, in both eras of the protocol."""

from pathlib import Path

import pytest

from tests.browser.agents.sdk import (
    CLIENTS,
    DISCOVERY,
    FIRST_PAGE,
    NODE_PACKAGES,
    PAYING,
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


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_from_the_sign_in_to_the_last_refusal(
    visit: Visit, service: Embedded, shop: Caller, tmp_path: Path, mode: str
) -> None:
    """At the end the SDK tries its refresh token too, and then wants consent again."""
    person, intent = Person(visit=visit, service=service), settled_intent(shop)
    facts = (str(NODE_PACKAGES), f"{service.base_url}/mcp", mode, intent, f"TypeScript, {mode}")
    report = report_of(
        ["node", str(CLIENTS / "typescript_client.mjs"), *facts],
        tmp_path,
        {"open": lambda event: person.allow(event["url"])},
    )
    payout, wire = report.pop("payout"), report.pop("wire")
    assert set(payout) == {"result"}
    assert set(payout["result"]) == {"payoutId"}
    assert person.pages == [FIRST_PAGE, SECOND_PAGE]
    assert report == {
        "event": "report",
        "protocol_version": REVISIONS[mode],
        "server": "causeway",
        "tools": TOOLS,
        "tokens_listed": 1,
        "settlement": "settled",
        "payout_status": "paid",
        "scopes": [READING, PAYING],
        "given_back": 200,
        "refused_as": "UnauthorizedError",
        "wire_after_revocation": ["POST /mcp 401", "POST /oauth/token 400"],
    }
    assert ("POST /mcp 202" in wire) is (mode == "legacy")
    assert without_handshake(wire) == [
        *("POST /mcp 401", *DISCOVERY, "POST /oauth/register 201", "POST /oauth/token 200", "POST /mcp 200"),
        *("POST /mcp 403", "POST /oauth/token 200", "POST /mcp 200"),
    ]
