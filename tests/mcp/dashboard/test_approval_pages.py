"""Approvals and what is held: exactly what would happen is shown, and a person decides, once. Who may come here at all
stands in tests/dashboard/test_every_page.py.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from core.clock import now
from core.money import usd
from mcp.errors import ApprovalRequired
from mcp.models import AgentConnection, AgentRecord, ApprovalRequest
from mcp.services.holds import hold_undispatched
from merchants.services import NewMerchant
from payouts.models import Payout
from refunds.models import Refund
from tests.mcp.charter.stories import ask_payout, ask_refund
from tests.mcp.dashboard.pages import followed
from tests.mcp.rows import connection_of
from tests.merchants.people import OWNER, confirm_identity, send_form, sign_in, text_of
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of

pytestmark = pytest.mark.slow
HOME, APPROVALS = "/dashboard/test/", "/dashboard/test/approvals/"


@pytest.fixture
def agent(intent: dict[str, Any], account: NewMerchant) -> AgentConnection:
    return connection_of(account, approval_above_usd=usd("10"), name="Till")


@pytest.fixture
def owner(intent: dict[str, Any], account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed by the clock that stands still."""
    client = sign_in(OWNER)
    confirm_identity(client)
    return client


@pytest.fixture
def payout(agent: AgentConnection, intent: dict[str, Any]) -> ApprovalRequest:
    with pytest.raises(ApprovalRequired):
        ask_payout(agent, intent, "order-77")
    return ApprovalRequest.objects.get()


def page_of(request: ApprovalRequest, action: str = "") -> str:
    return f"{APPROVALS}{request.pk}/{action + '/' if action else ''}"


def state() -> tuple[Any, ...]:
    """Everything that these pages could change."""
    tables = (ApprovalRequest, Payout, Refund, AgentConnection)
    return *(list(table._default_manager.order_by("pk").values_list()) for table in tables), AgentRecord.objects.count()


def test_home_says_that_somebody_waits(owner: Client, agent: AgentConnection, intent: dict[str, Any]) -> None:
    assert "Nothing waits in test mode." in text_of(owner.get(APPROVALS))
    assert "An agent waits for you" not in text_of(owner.get(HOME))
    with pytest.raises(ApprovalRequired):
        ask_payout(agent, intent)
    assert "An agent waits for you" in text_of(owner.get(HOME))
    assert "An agent waits for you" not in text_of(owner.get("/dashboard/live/"))


def test_a_payouts_page_shows_exactly_what_would_happen(
    owner: Client, payout: ApprovalRequest, intent: dict[str, Any], agent: AgentConnection
) -> None:
    assert f'<a href="{page_of(payout)}"><strong>$25.00</strong></a>' in text_of(owner.get(APPROVALS))
    for action in ("", "approve", "deny"):
        answer = owner.get(page_of(payout, action))
        page = text_of(answer)
        for words in (
            "Pay out an intent",
            "<dt>Amount</dt><dd><strong>$25.00</strong></dd>",
            "<dt>Sends</dt><dd><strong>25 USDC</strong> on Base",
            f"<dt>Goes to</dt><dd><code>{intent['settlement_address']}</code>",
            "The agent cannot choose another.",
            f"<code>{intent['id']}</code>",
            f'<a href="/dashboard/test/agents/{agent.pk}/">Till</a>',
            "not verified: it gave itself this name",
            "4 May 2026, 12:00 UTC",
            "11 May 2026, 12:00 UTC",
            "<code>order-77</code>",
        ):
            assert words in page, (action, words)
        assert policy_of(answer) == STRICT_POLICY
        assert INLINE.search(page) is None


def test_a_request_that_names_no_address_can_only_be_denied(owner: Client, payout: ApprovalRequest) -> None:
    """One that waited when requests began to keep where the money goes."""
    ApprovalRequest.objects.update(base_units=None, token_decimals=None, destination="", chain="")
    page = text_of(owner.get(page_of(payout)))
    assert "Not known: it was asked for before the address was kept with a request" in page
    assert [action for action in ("approve", "deny") if f'href="{page_of(payout, action)}"' in page] == ["deny"]
    asking, before = text_of(owner.get(page_of(payout, "approve"))), state()
    assert "Nobody can approve it any more: it does not say where the money goes." in asking
    assert 'type="submit">Approve' not in asking
    answer = send_form(owner, page_of(payout, "approve"))
    assert "It was asked for before this service kept where the money of a request goes." in followed(owner, answer)
    assert state() == before


def test_a_refund_is_shown_with_the_agents_reason_and_denied(
    owner: Client, agent: AgentConnection, intent: dict[str, Any]
) -> None:
    with pytest.raises(ApprovalRequired):
        ask_refund(agent, intent, "12.50")
    refund = ApprovalRequest.objects.get()
    said = "Approve at once <script>\u202e"
    ApprovalRequest.objects.update(arguments={**refund.arguments, "reason": said})
    page = text_of(owner.get(page_of(refund)))
    assert "<q>Approve at once &lt;script&gt;</q>" in page
    assert "Written by the agent. Nobody checked it." in page
    assert "<dt>Sends</dt><dd><strong>12.5 USDC</strong> on Base" in page
    assert "It waits for an address. Nothing is sent until your team, your program or the payer names one" in page
    page = followed(owner, send_form(owner, page_of(refund, "deny")))
    assert "Denied. Nothing was sent." in page
    assert 'data-testid="approval-status">Denied</span>' in page
    assert ">Approve</a>" not in page
    assert Refund.objects.count() == 0
    assert "A person denied: Refund a payer" in text_of(owner.get("/dashboard/test/agent-log/"))
    # A decision is made once.
    before = state()
    for again in ("approve", "deny"):
        assert "It is no longer open: denied." in text_of(owner.get(page_of(refund, again)))
        page = followed(owner, send_form(owner, page_of(refund, again), at="/dashboard/test/agents/pause/"))
        assert "This request is already denied. Nothing was changed." in page
    assert state() == before


def test_approving_makes_exactly_that(owner: Client, payout: ApprovalRequest, intent: dict[str, Any]) -> None:
    page = followed(owner, send_form(owner, page_of(payout, "approve")))
    assert "Approved. It is on its way." in page
    made = Payout.objects.get()
    assert (str(made.intent_id), made.destination) == (intent["id"], intent["settlement_address"])
    assert made.amount_usd == usd("25")
    assert f"Payout <code>{made.pk}</code> was made of it." in page
    assert f'data-testid="approval-status">Approved</span> <span class="quiet">by {OWNER}, 4 May 2026' in page
    assert "A person approved: Pay out an intent" in text_of(owner.get("/dashboard/test/agent-log/"))


def test_what_the_charter_refuses_stays_open_until_it_is_over(owner: Client, payout: ApprovalRequest) -> None:
    AgentConnection.objects.update(per_call_usd=usd("20"))
    page = followed(owner, send_form(owner, page_of(payout, "approve")))
    assert "at most 20.00 USD at once" in page
    assert 'data-testid="approval-status">Waits for a person</span>' in page
    ApprovalRequest.objects.update(expires_at=now() - timedelta(seconds=1))
    page = text_of(owner.get(page_of(payout)))
    assert 'data-testid="approval-status">Expired</span>' in page
    assert ">Approve</a>" not in page
    assert "Nothing waits in test mode." in text_of(owner.get(APPROVALS))
    page = followed(owner, send_form(owner, page_of(payout, "approve"), at="/dashboard/test/agents/pause/"))
    assert "This request is already expired." in page
    assert Payout.objects.count() == 0


def test_who_may_only_look_is_told_so(viewer: Client, payout: ApprovalRequest) -> None:
    page = text_of(viewer.get(page_of(payout)))
    assert "Your role may look. Owners and admins decide what agents may do." in page
    assert [button for button in (">Approve</a>", ">Deny</a>") if button in page] == []


@pytest.fixture
def held(agent: AgentConnection, intent: dict[str, Any], owner: Client) -> Refund:
    """A refund that an agent ordered, and that its connection's end holds back."""
    made = ask_refund(agent, intent, "5", "small")
    Refund.objects.filter(pk=made.pk).update(destination="0x52908400098527886E0F7030069857D2E4169EE7", status="queued")
    send_form(owner, f"/dashboard/test/agents/{agent.pk}/revoke/")
    agent.refresh_from_db()
    hold_undispatched(agent, actor="user:1")
    made.refresh_from_db()
    assert made.failure_reason == "agent_revoked"
    return made


def test_what_is_held_is_listed_and_let_go(owner: Client, held: Refund, agent: AgentConnection) -> None:
    before, path = state(), f"/dashboard/test/agents/{agent.pk}/held/refund/{held.pk}/"
    assert send_form(owner, path, answer="perhaps").status_code == 400
    assert [owner.get(path.replace("refund", kind)).status_code for kind in ("payout", "thing")] == [404, 404]
    assert state() == before
    assert "Refunds held back from agents until somebody decides" in text_of(owner.get(HOME))
    page = text_of(owner.get(f"/dashboard/test/agents/{agent.pk}/"))
    assert "Its connection was revoked. It waits until somebody decides." in page
    assert f'href="{path}"' in page
    assert "Let this refund of $5.00 go?" in text_of(owner.get(path))
    assert "It is on its way." in followed(owner, send_form(owner, path, answer="release"))
    held.refresh_from_db()
    assert (held.failure_reason, held.released_by) == ("", f"user:{agent.user_id}")
    assert owner.get(path).status_code == 404


def test_what_is_held_is_ended_on_its_own_agents_page(
    owner: Client, viewer: Client, held: Refund, agent: AgentConnection, account: NewMerchant
) -> None:
    assert ">Decide" not in text_of(viewer.get(f"/dashboard/test/agents/{agent.pk}/"))
    path, second = f"/dashboard/test/agents/{agent.pk}/held/refund/{held.pk}/", connection_of(account)
    assert owner.get(path.replace(f"/{agent.pk}/", f"/{second.pk}/")).status_code == 404
    assert "It is ended. Nothing was sent." in followed(owner, send_form(owner, path, answer="cancel"))
    held.refresh_from_db()
    assert held.status == "cancelled"
