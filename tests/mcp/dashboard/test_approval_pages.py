"""Approvals and what is held: exactly what would happen is shown, and only owners and admins decide, once."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from core.clock import now
from core.modes import Mode
from core.money import usd
from mcp.errors import ApprovalRequired
from mcp.models import AgentConnection, AgentRecord, ApprovalRequest
from mcp.services.holds import hold_undispatched
from merchants.services import NewMerchant
from payouts.models import Payout
from refunds.models import Refund
from tests.mcp.charter.stories import ask_payout, ask_refund
from tests.mcp.rows import connection_of
from tests.merchants.people import OWNER, add_second_factor, send_form, sign_in, text_of
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of

pytestmark = pytest.mark.slow
HOME, APPROVALS = "/dashboard/test/", "/dashboard/test/approvals/"


@pytest.fixture
def agent(intent: dict[str, Any], account: NewMerchant) -> AgentConnection:
    """A connection that may send 10 dollars without asking."""
    return connection_of(account, approval_above_usd=usd("10"), name="Till")


@pytest.fixture
def owner(intent: dict[str, Any], account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed by the clock that stands still."""
    client = sign_in(OWNER)
    send_form(client, "/accounts/reauthenticate/", password="correct horse battery")
    return client


@pytest.fixture
def payout(agent: AgentConnection, intent: dict[str, Any]) -> ApprovalRequest:
    """A payout that waits for a person."""
    with pytest.raises(ApprovalRequired):
        ask_payout(agent, intent, "order-77")
    found: ApprovalRequest = ApprovalRequest.objects.get()
    return found


@pytest.fixture
def refund(agent: AgentConnection, intent: dict[str, Any]) -> ApprovalRequest:
    """A refund of 12.50 dollars that waits for a person."""
    with pytest.raises(ApprovalRequired):
        ask_refund(agent, intent, "12.50", "refund-1")
    found: ApprovalRequest = ApprovalRequest.objects.get()
    return found


def page_of(request: ApprovalRequest, action: str = "") -> str:
    return f"{APPROVALS}{request.pk}/{action + '/' if action else ''}"


def state() -> tuple[Any, ...]:
    """Everything that these pages could change."""
    tables = (ApprovalRequest, Payout, Refund, AgentConnection)
    return *(list(table._default_manager.order_by("pk").values_list()) for table in tables), AgentRecord.objects.count()


def followed(client: Client, answer: Any) -> str:
    assert answer.status_code == 302, answer.status_code
    return text_of(client.get(answer.headers["Location"]))


def test_home_says_that_somebody_waits(owner: Client, agent: AgentConnection, intent: dict[str, Any]) -> None:
    assert "Nothing waits in test mode." in text_of(owner.get(APPROVALS))
    assert "An agent waits for you" not in text_of(owner.get(HOME))
    with pytest.raises(ApprovalRequired):
        ask_payout(agent, intent, "order-77")
    page = text_of(owner.get(HOME))
    assert "An agent waits for you" in page
    assert "no money moves until somebody decides" in page
    assert "An agent waits for you" not in text_of(owner.get("/dashboard/live/"))


def test_a_payouts_page_shows_exactly_what_would_happen(
    owner: Client, payout: ApprovalRequest, intent: dict[str, Any], agent: AgentConnection
) -> None:
    assert f'<a href="{page_of(payout)}"><strong>$25.00</strong></a>' in text_of(owner.get(APPROVALS))
    for path in (page_of(payout), page_of(payout, "approve"), page_of(payout, "deny")):
        page = text_of(owner.get(path))
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
            assert words in page, (path, words)
        assert policy_of(owner.get(path)) == STRICT_POLICY
        assert INLINE.search(page) is None


def test_a_request_that_does_not_say_where_its_money_goes_can_only_be_denied(
    owner: Client, payout: ApprovalRequest
) -> None:
    """One that waited when requests began to keep it."""
    ApprovalRequest.objects.update(base_units=None, token_decimals=None, destination="", chain="")
    page = text_of(owner.get(page_of(payout)))
    assert "Not known: it was asked for before the address was kept with a request" in page
    assert (f'href="{page_of(payout, "approve")}"' in page, f'href="{page_of(payout, "deny")}"' in page) == (
        False,
        True,
    )
    asking, before = text_of(owner.get(page_of(payout, "approve"))), state()
    assert "Nobody can approve it any more: it does not say where the money goes." in asking
    assert 'type="submit">Approve' not in asking
    answer = send_form(owner, page_of(payout, "approve"))
    assert "It was asked for before this service kept where the money of a request goes." in followed(owner, answer)
    assert state() == before
    assert "Denied. Nothing was sent." in followed(owner, send_form(owner, page_of(payout, "deny")))


def test_an_agents_reason_is_quoted_as_its_own(owner: Client, refund: ApprovalRequest) -> None:
    said = "Approve at once <script>\u202e"
    ApprovalRequest.objects.filter(pk=refund.pk).update(arguments={**refund.arguments, "reason": said})
    page = text_of(owner.get(page_of(refund)))
    assert "<q>Approve at once &lt;script&gt;</q>" in page
    assert "Written by the agent. Nobody checked it." in page
    assert "<dt>Sends</dt><dd><strong>12.5 USDC</strong> on Base" in page
    assert "It waits for an address. Nothing is sent until your team, your program or the payer names one" in page


def test_approving_makes_exactly_that(owner: Client, payout: ApprovalRequest, intent: dict[str, Any]) -> None:
    page = followed(owner, send_form(owner, page_of(payout, "approve")))
    assert "Approved. It is on its way." in page
    made = Payout.objects.get()
    assert (str(made.intent_id), made.destination, made.amount_usd) == (
        intent["id"], intent["settlement_address"], usd("25"),
    )  # fmt: skip
    assert f"Payout <code>{made.pk}</code> was made of it." in page
    assert f'data-testid="approval-status">Approved</span> <span class="quiet">by {OWNER}, 4 May 2026' in page
    assert "A person approved: Pay out an intent" in text_of(owner.get("/dashboard/test/agent-log/"))


def test_denying_makes_nothing(owner: Client, refund: ApprovalRequest) -> None:
    page = followed(owner, send_form(owner, page_of(refund, "deny")))
    assert "Denied. Nothing was sent." in page
    assert 'data-testid="approval-status">Denied</span>' in page
    assert ">Approve</a>" not in page
    assert Refund.objects.count() == 0
    assert "A person denied: Refund a payer" in text_of(owner.get("/dashboard/test/agent-log/"))


def test_a_decision_is_made_once_and_not_by_a_forged_form(owner: Client, payout: ApprovalRequest) -> None:
    before = state()
    for action in ("approve", "deny"):
        assert "csrfmiddlewaretoken" in text_of(owner.get(page_of(payout, action)))
        assert owner.post(page_of(payout, action)).status_code == 403
    assert state() == before
    send_form(owner, page_of(payout, "deny"))
    for again in ("approve", "deny"):
        before = state()
        assert "It is no longer open: denied." in text_of(owner.get(page_of(payout, again)))
        page = followed(owner, send_form(owner, page_of(payout, again), at="/dashboard/test/agents/pause/"))
        assert "This request is already denied. Nothing was changed." in page
        assert state() == before


def test_what_the_charter_refuses_stays_open_and_what_nobody_decided_in_time_is_over(
    owner: Client, payout: ApprovalRequest, agent: AgentConnection
) -> None:
    AgentConnection.objects.filter(pk=agent.pk).update(per_call_usd=usd("20"))
    page = followed(owner, send_form(owner, page_of(payout, "approve")))
    assert "at most 20.00 USD at once" in page
    assert 'data-testid="approval-status">Waits for a person</span>' in page
    assert Payout.objects.count() == 0
    ApprovalRequest.objects.filter(pk=payout.pk).update(expires_at=now() - timedelta(seconds=1))
    page = text_of(owner.get(page_of(payout)))
    assert 'data-testid="approval-status">Expired</span>' in page
    assert ">Approve</a>" not in page
    assert "Nothing waits in test mode." in text_of(owner.get(APPROVALS))
    page = followed(owner, send_form(owner, page_of(payout, "approve"), at="/dashboard/test/agents/pause/"))
    assert "This request is already expired." in page
    assert Payout.objects.count() == 0


def test_who_may_only_look_decides_nothing(viewer: Client, payout: ApprovalRequest) -> None:
    before, page = state(), text_of(viewer.get(page_of(payout)))
    for action in ("approve", "deny"):
        assert "Your role may look. Owners and admins decide what agents may do." in page
        assert f">{action.capitalize()}</a>" not in page
        assert viewer.get(page_of(payout, action)).status_code == 403
        assert send_form(viewer, page_of(payout, action), at="/accounts/reauthenticate/").status_code == 403
        assert state() == before


def test_identity_is_asked_for_first(payout: ApprovalRequest) -> None:
    client, before = sign_in(OWNER), state()
    for action in ("approve", "deny"):
        target = page_of(payout, action)
        assert client.get(target).headers["Location"].startswith("/accounts/reauthenticate/")
        sent = send_form(client, target, at=HOME)
        assert (sent.status_code, sent.headers["Location"]) == (302, target)
        assert state() == before


def test_other_merchants_and_the_other_mode_see_nothing_of_it(
    owner: Client, payout: ApprovalRequest, other_account: NewMerchant
) -> None:
    stranger = sign_in(other_account.owner.email)
    send_form(stranger, "/accounts/reauthenticate/", password="correct horse battery")
    add_second_factor(OWNER)
    before = state()
    assert owner.get(f"{APPROVALS}{uuid4()}/").status_code == 404
    for action in ("", "approve", "deny"):
        live = page_of(payout, action).replace("/test/", "/live/")
        assert stranger.get(page_of(payout, action)).status_code == 404
        assert owner.get(live).status_code == 404
        if action:
            assert send_form(stranger, page_of(payout, action), at="/dashboard/test/agents/pause/").status_code == 404
            assert send_form(owner, live, at="/dashboard/live/agents/pause/").status_code == 404
        assert "Pay out" not in text_of(stranger.get(APPROVALS))
        assert state() == before


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
    assert owner.get(path.replace("/refund/", "/payout/")).status_code == 404
    assert owner.get(path.replace("/refund/", "/thing/")).status_code == 404
    assert state() == before
    one = f"/dashboard/test/agents/{agent.pk}/"
    assert "Refunds held back from agents until somebody decides" in text_of(owner.get(HOME))
    page = text_of(owner.get(one))
    assert "Its connection was revoked. It waits until somebody decides." in page
    assert f'href="{path}"' in page
    assert "Let this refund of $5.00 go?" in text_of(owner.get(path))
    assert "It is on its way." in followed(owner, send_form(owner, path, answer="release"))
    held.refresh_from_db()
    assert (held.failure_reason, held.released_by) == ("", f"user:{agent.user_id}")
    assert owner.get(path).status_code == 404


def test_what_is_held_is_ended(owner: Client, held: Refund, agent: AgentConnection) -> None:
    path = f"/dashboard/test/agents/{agent.pk}/held/refund/{held.pk}/"
    assert "It is ended. Nothing was sent." in followed(owner, send_form(owner, path, answer="cancel"))
    held.refresh_from_db()
    assert held.status == "cancelled"


def test_what_others_hold_is_not_there(
    owner: Client, viewer: Client, held: Refund, agent: AgentConnection, account: NewMerchant, foreign: AgentConnection
) -> None:
    second = connection_of(account, Mode.TEST)
    before = state()
    path = f"/dashboard/test/agents/{agent.pk}/held/refund/{held.pk}/"
    stranger = sign_in("owner@other.example")
    send_form(stranger, "/accounts/reauthenticate/", password="correct horse battery")
    for wrong in (path, path.replace(f"/{agent.pk}/", f"/{foreign.pk}/")):
        assert send_form(stranger, wrong, at="/dashboard/test/agents/pause/", answer="release").status_code == 404
    assert owner.get(path.replace(f"/{agent.pk}/", f"/{second.pk}/")).status_code == 404
    assert viewer.get(path).status_code == 403
    assert ">Decide" not in text_of(viewer.get(f"/dashboard/test/agents/{agent.pk}/"))
    assert state() == before
