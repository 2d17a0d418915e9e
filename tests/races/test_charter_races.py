"""What agents ask for at the same moment: limits are exact, a revocation and a person's decision each count once."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.test import override_settings

from chains.models import Transfer
from core.clock import now
from core.modes import Mode
from core.money import usd
from mcp.errors import ApprovalRequired
from mcp.models import AgentConnection, AgentEffect, AgentPolicy, ApprovalRequest
from mcp.services.approvals import approve, deny, withdraw_pending
from mcp.services.charter import policy_of
from mcp.services.holds import hold_undispatched
from merchants.principal import Principal
from payouts.models import Payout
from payouts.services import sweep_due as sweep_payouts
from refunds.models import Refund
from tests.invariants import violations
from tests.mcp.charter.stories import ask_payout, ask_refund, connected, owner_of, pay_out
from tests.races.lineup import Act, Ending, at_once, in_turn, queued
from tests.races.shop import Shop
from tests.races.test_refund_races import paid
from webhooks.models import Event

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

QUEUE = 8


@pytest.fixture(autouse=True)
def _no_haste() -> Iterator[None]:
    with override_settings(AGENT_EFFECTS_PER_MINUTE=1_000):
        yield


def intents(shop: Shop, count: int) -> list[dict[str, Any]]:
    return [{"id": str(paid(shop))} for _ in range(count)]


def codes(endings: list[Ending]) -> Counter[str]:
    return Counter("ok" if ending.refusal is None else ending.refusal.code for ending in endings)


def policies(connection: AgentConnection) -> Any:
    """The row that puts the effects of a merchant's agents one after another."""
    return AgentPolicy.objects.filter(pk=policy_of(connection).pk)


def person(shop: Shop) -> Principal:
    return Principal(
        merchant_id=shop.principal.merchant_id, mode=Mode.TEST, actor=f"user:{owner_of(shop.principal).pk}"
    )


def check_exact(accepted: int) -> None:
    assert Payout.objects.count() == AgentEffect.objects.count() == accepted
    assert Event.objects.filter(type="payout.created").count() == accepted
    assert set(AgentEffect.objects.values_list("subject_id", flat=True)) == set(
        Payout.objects.values_list("pk", flat=True)
    )


def check(shop: Shop) -> None:
    """Nothing impossible is in the database about money out. Why not all of it: these intents have no history."""
    assert [said for said in violations() if re.match(r"(I2|I7|I11|I17) ", said)] == []


LIMITS: list[tuple[str, dict[str, Any], int, str]] = [
    ("day", {"per_day_usd": usd("99.999999")}, 3, "limit_exceeded"),
    ("hour", {"per_hour_count": 5}, 5, "limit_exceeded"),
    ("minute", {}, 4, "rate_limited"),
    ("all", {}, 3, "limit_exceeded"),
]


@pytest.mark.parametrize(("name", "limits", "accepted", "code"), LIMITS, ids=[row[0] for row in LIMITS])
def test_calls_never_pass_a_limit(shop: Shop, name: str, limits: dict[str, Any], accepted: int, code: str) -> None:
    """All have seen their own intent, and wait for the charter, before one is counted: of one connection, or of four
    that share what all may."""
    crew = [connected(shop.principal, **limits) for _ in range(4 if name == "all" else 1)]
    if name == "all":
        policies(crew[0]).update(per_day_usd=usd("75"))
    wanted = enumerate(intents(shop, QUEUE))
    acts = [partial(pay_out, crew[place % len(crew)], intent, intent["id"]) for place, intent in wanted]
    with override_settings(AGENT_EFFECTS_PER_MINUTE=accepted if name == "minute" else 1_000):
        endings = queued(policies(crew[0]), acts)
    assert codes(endings) == {"ok": accepted, code: QUEUE - accepted}
    check_exact(accepted)
    check(shop)


def revoke(connection: AgentConnection) -> None:
    """As the dashboard does: the revocation commits, then what it stops is stopped."""
    with transaction.atomic():
        current = AgentConnection.objects.select_for_update().get(pk=connection.pk)
        current.revoked_at = now()
        current.save(update_fields=["revoked_at"])
    withdraw_pending(connection, actor="user:1")
    hold_undispatched(connection, actor="user:1")


def test_revoke_against_create(shop: Shop, rounds: range) -> None:
    """Whichever comes first, nothing is sent once the revocation is through."""
    for number in rounds:
        connection = connected(shop.principal)
        intent = {"id": str(paid(shop))}
        row = AgentConnection.objects.filter(pk=connection.pk)
        create, end = partial(pay_out, connection, intent, intent["id"]), partial(revoke, connection)
        endings = queued(row, in_turn(number, end, create))
        made = Payout.objects.filter(intent=UUID(intent["id"]))
        if number % 2:
            assert codes(endings) == {"ok": 2}
            assert list(made.values_list("status", "failure_reason")) == [("paused", "agent_revoked")]
        else:
            assert codes(endings) == {"ok": 1, "connection_ended": 1}
            assert not made.exists()
    sweep_payouts()
    assert Transfer.objects.count() == 0
    check(shop)


def test_revoke_against_the_worker(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        connection = connected(shop.principal)
        payouts = [pay_out(connection, intent, intent["id"]).pk for intent in intents(shop, 4)]
        at_once([sweep_payouts, partial(revoke, connection), sweep_payouts])
        for _ in range(5):
            shop.advance(120)
            sweep_payouts()
        for payout_id in payouts:
            status = Payout.objects.get(pk=payout_id).status
            sent = Transfer.objects.filter(purpose_id=payout_id).exclude(status="failed").count()
            assert (status, sent) in {("paid", 1), ("paused", 0)}
    check(shop)


def asked(shop: Shop, amount: str = "") -> tuple[AgentConnection, dict[str, Any], UUID]:
    """A connection, a paid intent, and the request that its call for a payout, or for a refund, left behind."""
    connection, intent = connected(shop.principal, approval_above_usd=usd("1")), {"id": str(paid(shop))}
    with pytest.raises(ApprovalRequired):
        ask_refund(connection, intent, amount, intent["id"]) if amount else ask_payout(connection, intent, intent["id"])
    return connection, intent, ApprovalRequest.objects.get(connection=connection).pk


def decided(shop: Shop, wanted: UUID, decide: Callable[..., object] = approve) -> Act:
    return partial(decide, person(shop), owner_of(shop.principal), wanted)


def made_of(intent: dict[str, Any]) -> list[tuple[str, str]]:
    return list(Payout.objects.filter(intent=UUID(intent["id"])).values_list("status", "failure_reason"))


def test_of_many_decisions_one_counts(shop: Shop, rounds: range) -> None:
    for number in rounds:
        for decisions in ([approve] * 4, [approve, deny], [deny, approve]):
            connection, intent, wanted = asked(shop)
            acts = [decided(shop, wanted, decide) for decide in decisions]
            endings = queued(ApprovalRequest.objects.filter(pk=wanted), acts)
            assert codes(endings) == {"ok": 1, "approval_not_pending": len(acts) - 1}, number
            is_approved = decisions[0] is approve
            assert len(made_of(intent)) == is_approved
            assert AgentEffect.objects.filter(connection=connection).count() == is_approved


def test_approve_against_revoke(shop: Shop, rounds: range) -> None:
    for number in rounds:
        connection, intent, wanted = asked(shop)
        acts = in_turn(number, partial(revoke, connection), decided(shop, wanted))
        endings = queued(AgentConnection.objects.filter(pk=connection.pk), acts)
        status = ApprovalRequest.objects.get(pk=wanted).status
        if number % 2:
            assert (codes(endings), status) == ({"ok": 2}, "approved")
            assert made_of(intent) == [("paused", "agent_revoked")]
        else:
            assert (codes(endings), status) == ({"ok": 1, "connection_ended": 1}, "withdrawn")
            assert made_of(intent) == []


@pytest.mark.parametrize("amount", ["", "25"], ids=["payout", "refund"])
def test_approve_against_the_agents_repeat(shop: Shop, rounds: range, amount: str) -> None:
    """The repeat gets what was approved, or is told once more to wait; one thing is made."""
    for number in rounds:
        connection, intent, wanted = asked(shop, amount)
        ask: Callable[..., Any] = partial(ask_refund, amount=amount) if amount else ask_payout
        call = partial(ask, connection, intent, key=intent["id"])
        endings = queued(shop.row(UUID(intent["id"])), in_turn(number, call, decided(shop, wanted)))
        assert codes(endings) == ({"ok": 2} if number % 2 else {"ok": 1, "approval_required": 1})
        made = (Refund if amount else Payout).objects.filter(intent=UUID(intent["id"])).get()
        assert call().pk == made.pk == ApprovalRequest.objects.get(pk=wanted).subject_id
        assert AgentEffect.objects.filter(connection=connection).count() == 1


def test_repeats_that_come_together_make_one_request(shop: Shop, rounds: range) -> None:
    for number in rounds:
        connection = connected(shop.principal, approval_above_usd=usd("1"))
        intent = {"id": str(paid(shop))}
        endings = queued(policies(connection), [partial(ask_payout, connection, intent, f"k{number}")] * 8)
        assert codes(endings) == {"approval_required": 8}
        ids = {ending.refusal.details["approval_id"] for ending in endings if ending.refusal}
        assert ids == {str(ApprovalRequest.objects.get(connection=connection).pk)}
    assert Payout.objects.count() == 0


@pytest.mark.parametrize("room", ["the merchant's", "the agent's"])
def test_approving_beside_the_same_refund_ends_in_words(shop: Shop, room: str, rounds: range) -> None:
    """Under one key, in two rooms of keys or in one: each maker's refund once, and nobody meets a fault."""
    is_the_merchants = room == "the merchant's"
    for _ in rounds:
        connection, intent, wanted = asked(shop, "12")
        wish, key = {"intent_id": intent["id"], "amount_usd": 12}, intent["id"]
        rest = partial(shop.api.post, "/refunds", wish, Idempotency_Key=key)
        beside: Act = rest if is_the_merchants else partial(ask_refund, connection, intent, "12", key)
        endings = at_once([decided(shop, wanted), beside] * 6)
        assert codes(endings[::2]) == Counter(ok=1, approval_not_pending=5)
        if is_the_merchants:
            assert {ending.result.status for ending in endings[1::2]} <= {201, 409, 503}
        else:
            assert set(codes(endings[1::2])) <= {"ok", "approval_required"}
        makers = list(Refund.objects.filter(intent_id=intent["id"]).values_list("maker", flat=True))
        assert sorted(makers) == sorted([connection.actor] + ["merchant"] * is_the_merchants)
        assert AgentEffect.objects.filter(connection=connection).count() == 1
    check(shop)


def test_approving_what_rest_makes_meanwhile_under_the_same_key(shop: Shop, rounds: range) -> None:
    """Whoever approves looked the key up before the other one's refund was there, and waits behind it."""
    for _ in rounds:
        connection, intent, wanted = asked(shop, "12")
        wish = {"intent_id": intent["id"], "amount_usd": 12}
        rest = partial(shop.api.post, "/refunds", wish, Idempotency_Key=intent["id"])
        first, second = queued(shop.row(UUID(intent["id"])), [rest, decided(shop, wanted)])
        assert (first.result.status, second.refusal) == (201, None)
        made = Refund.objects.filter(intent_id=intent["id"]).order_by("created_at", "pk")
        assert list(made.values_list("maker", flat=True)) == ["merchant", connection.actor]
    check(shop)
