"""Above the threshold a person decides: what exists before, who may decide, and what a repeat of the call learns."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.clock import now, wire_time
from core.errors import NotFound, ServiceError
from core.modes import Mode
from core.money import usd
from mcp.errors import (
    ApprovalDenied,
    ApprovalNotPending,
    ApprovalOutdated,
    ApprovalRequired,
    ConnectionEnded,
    LimitExceeded,
    TooManyEffects,
)
from mcp.models import AgentConnection, AgentRecord, ApprovalRequest
from mcp.services import asking
from mcp.services.approvals import approve, deny, sweep_approvals, withdraw_pending
from merchants.errors import IdempotencyKeyReused
from merchants.principal import Principal
from merchants.services import NewMerchant
from operations.invariants import WHOLE
from operations.invariants.agents import approvals_made_what_they_allow
from payments.models import PaymentIntent
from payouts.models import Payout
from payouts.services.moved import REPLACED
from payouts.services.transition import apply_trigger
from refunds.models import Refund, RefundPolicy
from refunds.services.create import NewRefund, create_refund
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM, BOBS_EVM, credit
from tests.mcp.charter.stories import ask_payout, ask_refund, connected, counted, made, pay_out
from tests.payments.world import World
from tests.refunds.stories import settled


@pytest.fixture
def connection(principal: Principal) -> AgentConnection:
    return connected(principal, approval_above_usd=usd("10"))


def asked(
    connection: AgentConnection, intent: dict[str, Any], key: str = "k", ask: Callable[..., object] = ask_refund
) -> ApprovalRequest:
    """The request that asking for all 25 dollars makes; and nothing else is made."""
    before = made() | {"ApprovalRequest": 0}
    with pytest.raises(ApprovalRequired) as answer:
        ask(connection, intent, key=key)
    assert made() | {"ApprovalRequest": 0} == before
    found: ApprovalRequest = ApprovalRequest.objects.get(pk=answer.value.details["approval_id"])
    return found


def decide(request: ApprovalRequest, verdict: Callable[..., ApprovalRequest] = approve) -> ApprovalRequest:
    """What the merchant's owner says at the dashboard."""
    connection = request.connection
    actor = f"user:{connection.user_id}"
    visit = Principal(merchant_id=connection.merchant_id, mode=Mode(connection.mode), actor=actor)
    return verdict(visit, connection.user, request.pk)


def history(request: ApprovalRequest) -> list[tuple[str, str, str]]:
    rows = request.history.order_by("id")
    return list(rows.values_list("trigger", "to_status", "actor"))


@pytest.mark.spec("Rulings D7.2")
def test_above_it_only_a_request_exists(
    connection: AgentConnection, intent: dict[str, Any], world: World, api: ApiClient
) -> None:
    request = asked(connection, intent)
    assert (request.status, request.tool, request.amount_usd) == ("pending", "create_refund", usd("25"))
    assert request.expires_at == now() + timedelta(days=7)
    assert history(request) == [("create", "pending", connection.actor)]
    with pytest.raises(ApprovalRequired) as repeat:
        ask_refund(connection, intent)
    assert (repeat.value.code, repeat.value.http_status) == ("approval_required", 409)
    waiting = {"approval_id": str(request.pk), "status": "pending", "expires_at": wire_time(request.expires_at)}
    assert repeat.value.details == {**waiting, "amount_usd": "25.00"}
    assert ApprovalRequest.objects.count() == 1
    # The same key stands for one wish.
    for whose, amount in ((intent, "5"), (settled(world, api), "25")):
        with pytest.raises(IdempotencyKeyReused):
            ask_refund(connection, whose, amount)
    with pytest.raises(ApprovalRequired) as spelled:
        ask_refund(connection, intent, "25.00")
    assert spelled.value.details["approval_id"] == str(request.pk)
    assert asked(connection, intent, "k2") != request
    # What waits for a person waits though the threshold rose.
    AgentConnection.objects.update(approval_above_usd=None)
    assert asked(connection, intent) == request
    # Up to the threshold nobody is asked.
    AgentConnection.objects.update(approval_above_usd=usd("10"))
    ask_refund(connection, intent, "10", "little")
    assert ApprovalRequest.objects.count() == 2
    with pytest.raises(ApprovalRequired):
        ask_refund(connection, intent, "10.000001", "other")


@pytest.mark.spec("Rulings D7.2")
def test_approving_sends_it_and_the_repeat_gets_it(connection: AgentConnection, intent: dict[str, Any]) -> None:
    request = decide(asked(connection, intent))
    refund, person = Refund.objects.get(), f"user:{connection.user_id}"
    assert (request.status, request.subject_id, request.decided_at) == ("approved", refund.pk, now())
    assert request.decided_by == connection.user
    assert (refund.amount_usd, refund.idempotency_key, refund.created_by) == (usd("25"), "k", connection.actor)
    assert counted(connection) == [usd("25")]
    assert history(request)[1:] == [("approve", "approved", person)]
    line = AgentRecord.objects.get()
    assert (line.action, line.outcome, line.tool, line.actor) == ("decision", "ok", "create_refund", person)
    assert line.object_ids == [str(request.pk), str(refund.pk)]
    assert ask_refund(connection, intent).pk == refund.pk
    assert counted(connection) == [usd("25")]
    with pytest.raises(ApprovalNotPending) as twice:
        decide(request)
    assert twice.value.details == {"status": "approved"}
    assert Refund.objects.count() == 1


def test_a_payout_is_approved_likewise(connection: AgentConnection, intent: dict[str, Any]) -> None:
    request = asked(connection, intent, ask=ask_payout)
    where = (request.destination, request.chain, request.token, request.rail)
    assert where == (intent["settlement_address"], "base", "USDC", "simulated")
    assert (request.base_units, request.token_decimals) == (25_000_000, 6)
    request = decide(request)
    payout = Payout.objects.get()
    assert ask_payout(connection, intent).pk == payout.pk == request.subject_id
    assert (payout.created_by, payout.idempotency_key) == (connection.actor, "k")
    # What a person sent elsewhere is no broken approval.
    apply_trigger(payout, "claim")
    apply_trigger(payout, "pause", failure_reason="destination_changed")
    apply_trigger(payout, "resume", actor="user:1", reason=REPLACED, destination=BOBS_EVM)
    assert list(approvals_made_what_they_allow(WHOLE)) == []
    payout.history.filter(reason=REPLACED).delete()
    assert len(list(approvals_made_what_they_allow(WHOLE))) == 1


def test_denying_is_final(connection: AgentConnection, intent: dict[str, Any]) -> None:
    request = decide(asked(connection, intent), deny)
    assert history(request)[1:] == [("deny", "denied", f"user:{connection.user_id}")]
    assert AgentRecord.objects.get().outcome == "denied"
    AgentConnection.objects.update(approval_above_usd=None)
    before = made()
    with pytest.raises(ApprovalDenied) as told:
        ask_refund(connection, intent)
    assert (told.value.details["status"], told.value.details["approval_id"]) == ("denied", str(request.pk))
    with pytest.raises(ApprovalNotPending):
        decide(request)
    assert made() == before


def test_nobody_decides_in_time(world: World, connection: AgentConnection, intent: dict[str, Any]) -> None:
    request = asked(connection, intent)
    world.wait(7 * 86_400 - 0.001)
    assert sweep_approvals() == 0
    world.wait(0.001)
    with pytest.raises(ApprovalNotPending) as late:
        decide(request)
    assert late.value.details == {"status": "expired"}
    with pytest.raises(ApprovalDenied) as early_news:
        ask_refund(connection, intent)
    assert (sweep_approvals(), sweep_approvals()) == (1, 0)
    assert history(request)[1:] == [("expire", "expired", "sweep")]
    with pytest.raises(ApprovalDenied) as told:
        ask_refund(connection, intent)
    assert told.value.details == early_news.value.details
    assert told.value.details["status"] == "expired"


def test_the_charter_counts_again_when_a_person_approves(connection: AgentConnection, intent: dict[str, Any]) -> None:
    request = asked(connection, intent)
    changes: list[tuple[dict[str, Any], dict[str, Any], type[ServiceError]]] = [
        ({"per_call_usd": usd("24")}, {"per_call_usd": usd("1000")}, LimitExceeded),
        ({"per_day_usd": usd("24.99")}, {"per_day_usd": usd("1000")}, LimitExceeded),
        ({"per_hour_count": 0}, {"per_hour_count": 60}, LimitExceeded),
        ({"revoked_at": now()}, {"revoked_at": None}, ConnectionEnded),
    ]
    before = made()
    for change, back, refusal in changes:
        AgentConnection.objects.update(**change)
        with pytest.raises(refusal):
            decide(request)
        AgentConnection.objects.update(**back)
    assert made() == before
    assert ApprovalRequest.objects.get().status == "pending"
    assert decide(request).status == "approved"


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("settlement_address", ANNS_EVM, f"go to {ANNS_EVM} instead of {{address}}"),
        ("settlement_chain", "polygon", "be on polygon instead of base"),
        ("settlement_token_address", ANNS_EVM, f"send the token {ANNS_EVM} instead of {{token}}"),
        ("settlement_decimals", 5, "send 250 USDC instead of 25 USDC"),
    ],
)
def test_what_a_person_was_not_shown_is_not_sent(
    connection: AgentConnection, intent: dict[str, Any], column: str, value: Any, sentence: str
) -> None:
    request, before = asked(connection, intent, ask=ask_payout), made()
    PaymentIntent.objects.update(**{column: value})
    with pytest.raises(ApprovalOutdated) as outdated:
        decide(request)
    words = sentence.format(address=intent["settlement_address"], token=request.token_address)
    assert outdated.value.message.startswith(f"By now this would {words}. Nothing was sent.")
    request.refresh_from_db()
    assert (request.status, request.subject_id, made()) == ("pending", None, before)
    assert decide(asked(connection, intent, "anew", ask_payout)).status == "approved"


@pytest.mark.parametrize(
    ("change", "wanted", "differs"),
    [("a refund of 5", "20.00", ["amount_usd"]), ("another dollar came", "26.00", ["amount_usd", "units"])],
)
def test_neither_more_nor_less_than_the_person_was_shown_is_sent(
    connection: AgentConnection, principal: Principal, intent: dict[str, Any], change: str, wanted: str, differs: Any
) -> None:
    request = asked(connection, intent, ask=ask_payout)
    if change == "a refund of 5":
        create_refund(principal, NewRefund(intent_id=request.intent_id, amount_usd=usd("5")))
    else:
        credit(request.intent, 1_000_000, block_time=now(), final_at=now(), finalized_at=now())
    before = made()
    with pytest.raises(ApprovalOutdated) as outdated:
        decide(request)
    assert outdated.value.message.startswith(f"By now this would be worth {wanted} USD instead of 25.00")
    details = {"differs": differs, "approved_usd": "25.00", "wanted_usd": wanted}
    assert (outdated.value.details, made()) == (details, before)


def test_a_refund_goes_where_the_person_saw(connection: AgentConnection, intent: dict[str, Any]) -> None:
    """Without a policy it is shown as waiting for an address; a policy that names one meanwhile is another thing."""
    waiting = asked(connection, intent)
    assert (waiting.destination, waiting.base_units) == ("", 25_000_000)
    RefundPolicy.objects.create(merchant_id=connection.merchant_id, mode="test", to_paying_wallet=True)
    with pytest.raises(ApprovalOutdated, match="instead of an address that somebody must still name"):
        decide(waiting)
    addressed = asked(connection, intent, "anew")
    assert addressed.destination != ""
    decide(addressed)
    assert Refund.objects.get().destination == addressed.destination


def test_what_was_asked_before_it_was_kept_is_not_approved(connection: AgentConnection, intent: dict[str, Any]) -> None:
    """As the migration leaves what waits: no plan, so nobody can be shown where it goes. It can be denied."""
    request = asked(connection, intent)
    ApprovalRequest.objects.update(destination="", chain="", token="", token_address="", rail="")
    ApprovalRequest.objects.update(base_units=None, token_decimals=None)
    before = made()
    with pytest.raises(ApprovalOutdated, match="before this service kept where the money of a request goes"):
        decide(request)
    assert (made(), ApprovalRequest.objects.get().status) == (before, "pending")
    assert decide(request, deny).status == "denied"
    assert decide(asked(connection, intent, "anew")).status == "approved"


def test_what_exists_by_now_is_what_was_approved(
    connection: AgentConnection, intent: dict[str, Any], principal: Principal
) -> None:
    requests = [asked(connection, intent, key, ask_payout) for key in ("one", "other")]
    other = pay_out(connected(principal), intent, "other")
    assert [decide(request).subject_id for request in requests] == [other.pk] * 2
    assert counted(connection) == []
    assert Payout.objects.count() == 1
    assert list(approvals_made_what_they_allow(WHOLE)) == []


def test_a_revoked_connections_requests_end(
    connection: AgentConnection, intent: dict[str, Any], principal: Principal
) -> None:
    asked(connection, intent)
    asked(connection, intent, "k2")
    untouched = connected(principal, approval_above_usd=usd("1"))
    kept = asked(untouched, intent, "k3")
    AgentConnection.objects.filter(pk=connection.pk).update(revoked_at=now())
    assert [withdraw_pending(connection, actor="user:1") for _ in range(2)] == [2, 0]
    assert set(ApprovalRequest.objects.filter(connection=connection).values_list("status", flat=True)) == {"withdrawn"}
    assert ApprovalRequest.objects.get(connection=untouched).status == "pending"
    with pytest.raises(ApprovalDenied) as told:
        ask_refund(connection, intent)
    assert told.value.details["status"] == "withdrawn"
    # What a crash left of a revocation is swept.
    AgentConnection.objects.update(revoked_at=now())
    assert sweep_approvals() == 1
    assert history(kept)[1:] == [("withdraw", "withdrawn", "sweep")]


def test_others_requests_do_not_exist(
    connection: AgentConnection, intent: dict[str, Any], other_account: NewMerchant
) -> None:
    request = asked(connection, intent)
    foreign = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:x")
    for verdict in (approve, deny):
        with pytest.raises(NotFound):
            verdict(foreign, connection.user, request.pk)
    assert ApprovalRequest.objects.get().status == "pending"


def test_asking_is_counted_like_doing(
    world: World, connection: AgentConnection, intent: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        asked(connection, intent, f"k{number}")
    with pytest.raises(TooManyEffects):
        ask_refund(connection, intent, "25", "one more")
    assert ApprovalRequest.objects.count() == 10
    # No flood of them may wait.
    monkeypatch.setattr(asking, "MOST_PENDING", 10)
    world.wait(60)
    with pytest.raises(LimitExceeded) as refusal:
        ask_refund(connection, intent, "25", "one more")
    assert refusal.value.details["limit"] == "pending_approvals"
