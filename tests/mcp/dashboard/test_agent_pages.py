"""Connected agents: what the team sees, and what owners and admins change. Who may come here at all stands in
tests/dashboard/test_every_page.py.
"""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from core.clock import now
from core.money import usd
from mcp.calls import Ended, record_call, record_refusal
from mcp.models import AgentConnection, AgentPolicy, AgentRecord, Application
from mcp.scopes import Scope
from mcp.services.audit import Outcome
from merchants.services import NewMerchant
from tests.mcp.charter.stories import caller_of
from tests.mcp.dashboard.pages import followed
from tests.mcp.rows import FACTS, connection_of
from tests.merchants.people import OWNER, send_form, text_of
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of

pytestmark = pytest.mark.slow
AGENTS = "/dashboard/test/agents/"
LIMITS = {"per_call_usd": "25", "per_day_usd": "250.50", "per_hour_count": "6", "approval_above_usd": "10"}
ACTIONS = ["limits", "name", "pause", "resume", "revoke"]
INTENT = "0b7e7c52-9d1f-4a53-8f6e-0d8a3c1f5a11"


def page_of(agent: AgentConnection, action: str = "") -> str:
    return f"/dashboard/{agent.mode}/agents/{agent.pk}/{action + '/' if action else ''}"


def state() -> tuple[Any, ...]:
    """Everything that these pages could change."""
    tables = (AgentConnection, AgentPolicy, AgentRecord)
    return tuple(list(table._default_manager.order_by("pk").values_list()) for table in tables)


def test_the_list_says_who_may_do_what_and_how_one_is_connected(owner: Client, account: NewMerchant) -> None:
    page = text_of(owner.get(AGENTS))
    assert "No agent is connected in test mode." in page
    assert "<code>http://localhost:8000/mcp</code>" in page
    agent = connection_of(account)
    AgentConnection.objects.filter(pk=agent.pk).update(last_used_at=now() - timedelta(hours=2))
    page, identity = text_of(owner.get(AGENTS)), "not verified: it gave itself this name, on 127.0.0.1"
    for words in ("Shopkeeper", identity, "$100.00 a call", "$500.00 in 24 hours", OWNER, "Active", "2\xa0hours ago"):
        assert words in page, words


def test_only_a_client_with_a_host_of_its_own_is_verified(owner: Client, agent: AgentConnection) -> None:
    client = Application.objects.filter(pk=agent.application_id)
    client.update(client_id="https://agents.example/client.json", registration_source="cimd")
    assert "verified as <strong>agents.example</strong>" in text_of(owner.get(AGENTS))
    client.update(name="agents.example", client_id="https://agents.example", registration_source="dcr")
    assert "agents.example, not verified: it gave itself this name" in text_of(owner.get(AGENTS))
    # Its status is in one word.
    over = now() - timedelta(days=1)
    for status, column in {"Active": "last_used_at", "Paused": "paused_at", "Expired": "expires_at"}.items():
        AgentConnection.objects.filter(pk=agent.pk).update(**{column: over})
        assert f'data-testid="agent-status">{status}</span>' in text_of(owner.get(page_of(agent)))


def test_one_page_shows_access_limits_and_last_actions(
    owner: Client, agent: AgentConnection, account: NewMerchant
) -> None:
    caller, failed = caller_of(agent), Ended(outcome=Outcome.TOOL_ERROR, code="not_found")
    record_call(caller, "poll_settlement", {"payment_intent_id": INTENT}, Ended(outcome=Outcome.OK))
    record_call(caller, "poll_settlement", {"payment_intent_id": "x"}, failed)
    record_refusal(agent, FACTS, "insufficient_scope", "poll_settlement")
    page = text_of(owner.get(page_of(agent)))
    for words in (
        "Send refunds to payers, within limits",
        "<dt>A call</dt><dd>$100.00</dd>",
        "<dt>24 hours</dt><dd>$500.00</dd>",
        "<dt>An hour</dt><dd>60 times</dd>",
        "<dt>Asks a person</dt><dd>never</dd>",
        "Change keys, addresses, webhooks or its own limits",
        'Look at a settlement<br><span class="quiet">0b7e7c52…',
        "There is no such thing in this account and mode.",
        "It was never given that access.",
    ):
        assert words in page, words
    # An agent that moves no money has no limits to show.
    reader = connection_of(account, scopes=[Scope.READ_INTENTS.value])
    assert "no money" in text_of(owner.get(AGENTS))
    assert "<dt>A call</dt>" not in text_of(owner.get(page_of(reader)))


DOLLARS = "Dollars, like 25 or 25.50."
SENSELESS = [
    ("per_call_usd", "", "Please fill this in; 0 means nothing."),
    *(("per_call_usd", text, DOLLARS) for text in ("-1", "1e9", "NaN", "10.123", "9999999999", "\u0661\u0662")),
    *((field, "1,000", DOLLARS) for field in ("per_day_usd", "approval_above_usd")),
    *(("per_hour_count", text, "A whole number up to 10,000.") for text in ("10001", "1.5")),
]


def test_limits_hold_once_they_are_saved(owner: Client, agent: AgentConnection) -> None:
    page = followed(owner, send_form(owner, page_of(agent, "limits"), **LIMITS))
    assert "These limits now hold." in page
    assert "<dt>Asks a person</dt><dd>above $10.00</dd>" in page
    agent.refresh_from_db()
    assert (agent.per_call_usd, agent.per_day_usd, agent.per_hour_count) == (usd("25"), usd("250.5"), 6)
    assert agent.approval_above_usd == usd("10")
    line = AgentRecord.objects.get()
    assert (line.action, line.outcome, line.connection_id) == ("change", "ok", agent.pk)
    assert line.address == "127.0.0.1"
    send_form(owner, page_of(agent, "limits"), **{**LIMITS, "approval_above_usd": ""})
    agent.refresh_from_db()
    assert agent.approval_above_usd is None
    # Limits that make no sense change nothing.
    before = state()
    for field, value, said in SENSELESS:
        answer = send_form(owner, page_of(agent, "limits"), **{**LIMITS, field: value})
        assert (answer.status_code, said in text_of(answer)) == (400, True), (field, value)
    assert state() == before


def test_it_is_paused_resumed_and_renamed(owner: Client, agent: AgentConnection) -> None:
    assert "It is paused." in followed(owner, send_form(owner, page_of(agent, "pause")))
    assert AgentConnection.objects.get().paused_at is not None
    assert "It may move money again" in followed(owner, send_form(owner, page_of(agent, "resume")))
    assert AgentConnection.objects.get().paused_at is None
    page = followed(owner, send_form(owner, page_of(agent, "name"), name="Till <1>\u202e"))
    assert "It is now called Till &lt;1&gt;." in page
    assert AgentConnection.objects.get().name == "Till <1>"
    # It keeps its name without another.
    before = state()
    for name in ("", "   ", "\u202e"):
        answer = send_form(owner, page_of(agent, "name"), name=name)
        assert (answer.status_code, "It needs a name." in text_of(answer)) == (400, True)
    assert state() == before


ENDED = {
    "lender_left": "the person who allowed it left the team",
    "lender_role": "the person who allowed it has a role by now that may not allow all of this",
    "lender_inactive": "the person who allowed it may not sign in any more",
}


def test_revoking_says_first_what_happens_and_then_ends_it(owner: Client, agent: AgentConnection) -> None:
    asked = text_of(owner.get(page_of(agent, "revoke")))
    assert "are <strong>held</strong> until somebody of your team decides" in asked
    assert AgentConnection.objects.get().revoked_at is None
    page = followed(owner, send_form(owner, page_of(agent, "revoke")))
    assert "It is revoked. Its next call is refused." in page
    assert 'data-testid="agent-status">Revoked</span>' in page
    assert "Access was revoked" in page
    assert [button for button in ("Pause", "Revoke", "Change limits") if f">{button}</a>" in page] == []
    assert AgentConnection.objects.get().revoked_at is not None
    # The limits of an ended connection do not change.
    before = state()
    page = text_of(send_form(owner, page_of(agent, "limits"), at=AGENTS + "pause/", **LIMITS))
    assert "This connection has ended." in page
    assert state() == before
    assert "revoked by itself" not in text_of(owner.get(page_of(agent)))
    # An agent that was revoked by itself says why.
    for because, words in ENDED.items():
        AgentConnection.objects.filter(pk=agent.pk).update(revoked_at=now(), revoked_because=because)
        assert words in text_of(owner.get(AGENTS))
        assert f"since {words}" in text_of(owner.get(page_of(agent)))


def test_all_agents_are_paused_and_resumed_in_one_mode(owner: Client, agent: AgentConnection) -> None:
    page = followed(owner, send_form(owner, f"{AGENTS}pause/"))
    assert "All test agents are paused. No money leaves through them." in page
    assert "Resume all agents" in page
    assert AgentPolicy.objects.get().paused_at is not None
    assert 'data-testid="all-paused"' not in text_of(owner.get("/dashboard/live/agents/"))
    send_form(owner, f"{AGENTS}pause/", at=f"{AGENTS}resume/")
    assert AgentRecord.objects.count() == 1
    assert "Test agents may move money again" in followed(owner, send_form(owner, f"{AGENTS}resume/"))
    assert AgentPolicy.objects.get().paused_at is None
    changes = AgentRecord.objects.order_by("pk").values_list("arguments", flat=True)
    assert list(changes) == [{"paused": [False, True]}, {"paused": [True, False]}]


def test_what_all_may_send_together_is_set_and_lifted(owner: Client) -> None:
    page = followed(owner, send_form(owner, f"{AGENTS}limits/", per_day_usd="100", per_hour_count=""))
    assert "<dt>24 hours</dt><dd>$100.00</dd>" in page
    assert "<dt>An hour</dt><dd>no limit</dd>" in page
    policy = AgentPolicy.objects.get()
    assert (policy.per_day_usd, policy.per_hour_count) == (Decimal(100), None)
    wrong = send_form(owner, f"{AGENTS}limits/", per_day_usd="lots", per_hour_count="")
    assert wrong.status_code == 400
    send_form(owner, f"{AGENTS}limits/", per_day_usd="", per_hour_count="5")
    policy.refresh_from_db()
    assert (policy.per_day_usd, policy.per_hour_count) == (None, 5)
    change = {"per_day_usd": ["100.00", None], "per_hour_count": [None, 5]}
    assert AgentRecord.objects.latest("pk").arguments == change


def test_who_may_only_look_sees_no_buttons(viewer: Client, agent: AgentConnection) -> None:
    for page in (text_of(viewer.get(AGENTS)), text_of(viewer.get(page_of(agent)))):
        assert "Your role may look. Owners and admins decide what agents may do." in page
        for button in ('data-weight="danger"', ">Change</a>", ">Change limits</a>"):
            assert button not in page


def test_pages_obey_the_strict_policy(owner: Client, agent: AgentConnection) -> None:
    of_all = [f"{AGENTS}{action}/" for action in ("limits", "pause", "resume")]
    for path in (
        "/dashboard/test/agent-log/",
        AGENTS,
        page_of(agent),
        *of_all,
        *(page_of(agent, action) for action in ACTIONS),
    ):
        answer = owner.get(path)
        assert (answer.status_code, policy_of(answer)) == (200, STRICT_POLICY), path
        assert INLINE.search(text_of(answer)) is None, path
