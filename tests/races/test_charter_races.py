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
from core.errors import ServiceError
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
from tests.mcp.charter.stories import ask_payout, ask_refund, connected, owner_of, pay_out, refund
from tests.races.lineup import Act, Ending, at_once, queued
from tests.races.shop import Shop
from tests.races.test_refund_races import paid
from webhooks.models import Event

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CROWD = 32
QUEUE = 8
SIZE = usd("25")


@pytest.fixture(autouse=True)
def _no_haste() -> Iterator[None]:
    """A minute is no limit here, unless a test says so."""
    with override_settings(AGENT_EFFECTS_PER_MINUTE=1_000):
        yield


def intents(shop: Shop, count: int = CROWD) -> list[dict[str, Any]]:
    """So many paid intents over 25 dollars."""
    return [{"id": str(paid(shop))} for _ in range(count)]


def codes(endings: list[Ending]) -> Counter[str]:
    """How the contenders ended."""
    return Counter("ok" if ending.refusal is None else ending.refusal.code for ending in endings)


def policies(connection: AgentConnection) -> Any:
    """The row that puts the effects of a merchant's agents one after another."""
    return AgentPolicy.objects.filter(pk=policy_of(connection).pk)


def person(shop: Shop) -> Principal:
    """The owner at the dashboard."""
    return Principal(
        merchant_id=shop.principal.merchant_id, mode=Mode.TEST, actor=f"user:{owner_of(shop.principal).pk}"
    )


def check_exact(accepted: int) -> None:
    """Just as many payouts, effects and events as calls were let through."""
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
]


@pytest.mark.parametrize(("name", "limits", "accepted", "code"), LIMITS, ids=[row[0] for row in LIMITS])
def test_calls_that_come_together_never_pass_a_limit(
    shop: Shop, name: str, limits: dict[str, Any], accepted: int, code: str
) -> None:
    """All of them have seen their own intent, and wait for the charter, before one is counted."""
    connection = connected(shop.principal, **limits)
    acts = [partial(pay_out, connection, intent, intent["id"]) for intent in intents(shop, QUEUE)]
    with override_settings(AGENT_EFFECTS_PER_MINUTE=accepted if name == "minute" else 1_000):
        endings = queued(policies(connection), acts)
    assert codes(endings) == {"ok": accepted, code: QUEUE - accepted}
    check_exact(accepted)
    check(shop)


def test_a_crowd_for_one_intent_never_passes_a_limit(shop: Shop, rounds: range) -> None:
    for _ in rounds[:2]:
        connection = connected(shop.principal, per_day_usd=usd("10"))
        intent = {"id": str(paid(shop))}
        endings = at_once([partial(refund, connection, intent, "0.75")] * CROWD)
        assert codes(endings) == {"ok": 13, "limit_exceeded": CROWD - 13}
        assert AgentEffect.objects.filter(connection=connection).count() == 13
        assert Refund.objects.filter(intent=UUID(intent["id"])).count() == 13


def test_a_crowd_for_many_intents_never_passes_a_limit(shop: Shop) -> None:
    connection = connected(shop.principal, per_day_usd=usd("299.999999"))
    acts = [partial(pay_out, connection, intent, intent["id"]) for intent in intents(shop)]
    assert codes(at_once(acts)) == {"ok": 11, "limit_exceeded": CROWD - 11}
    check_exact(11)


def test_connections_that_call_together_never_pass_what_all_may(shop: Shop) -> None:
    crew = [connected(shop.principal) for _ in range(4)]
    policies(crew[0]).update(per_day_usd=usd("300"))
    acts = [partial(pay_out, crew[place % 4], intent, intent["id"]) for place, intent in enumerate(intents(shop))]
    assert codes(at_once(acts)) == {"ok": 12, "limit_exceeded": CROWD - 12}
    check_exact(12)


def revoke(connection: AgentConnection) -> None:
    """As the dashboard does: the revocation commits, then what it stops is stopped."""
    with transaction.atomic():
        current = AgentConnection.objects.select_for_update().get(pk=connection.pk)
        current.revoked_at = now()
        current.save(update_fields=["revoked_at"])
    withdraw_pending(connection, actor="user:1")
    hold_undispatched(connection, actor="user:1")


def in_turn(number: int, *acts: Act) -> list[Act]:
    """One order in one round, the other in the next."""
    return list(acts if number % 2 else reversed(acts))


def test_revoke_against_create(shop: Shop, rounds: range) -> None:
    """Whichever comes first, nothing is sent once the revocation is through."""
    for number in rounds:
        connection = connected(shop.principal)
        intent = {"id": str(paid(shop))}
        row = AgentConnection.objects.filter(pk=connection.pk)
        create, end = partial(pay_out, connection, intent, intent["id"]), partial(revoke, connection)
        endings = queued(row, in_turn(number, create, end))
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
    """Sent before it was revoked, or never."""
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


def request(connection: AgentConnection, intent: dict[str, Any], key: str) -> UUID:
    """The request that an agent's call leaves behind."""
    with pytest.raises(ServiceError) as refusal:
        ask_payout(connection, intent, key)
    return UUID(refusal.value.details["approval_id"])


def test_approve_against_approve(shop: Shop, rounds: range) -> None:
    owner = owner_of(shop.principal)
    for number in rounds:
        connection = connected(shop.principal, approval_above_usd=usd("1"))
        intent = {"id": str(paid(shop))}
        wanted = request(connection, intent, f"k{number}")
        decide = partial(approve, person(shop), owner, wanted)
        endings = queued(ApprovalRequest.objects.filter(pk=wanted), [decide] * 4)
        assert codes(endings) == {"ok": 1, "approval_not_pending": 3}
        assert Payout.objects.filter(intent=UUID(intent["id"])).count() == 1
        assert AgentEffect.objects.filter(connection=connection).count() == 1


def test_approve_against_deny(shop: Shop, rounds: range) -> None:
    owner = owner_of(shop.principal)
    for number in rounds:
        connection = connected(shop.principal, approval_above_usd=usd("1"))
        intent = {"id": str(paid(shop))}
        wanted = request(connection, intent, f"k{number}")
        decisions: list[Callable[..., object]] = [approve, deny]
        acts = [partial(decide, person(shop), owner, wanted) for decide in decisions]
        endings = queued(ApprovalRequest.objects.filter(pk=wanted), in_turn(number, *acts))
        assert codes(endings) == {"ok": 1, "approval_not_pending": 1}
        assert Payout.objects.filter(intent=UUID(intent["id"])).count() == number % 2


def test_approve_against_revoke(shop: Shop, rounds: range) -> None:
    owner = owner_of(shop.principal)
    for number in rounds:
        connection = connected(shop.principal, approval_above_usd=usd("1"))
        intent = {"id": str(paid(shop))}
        wanted = request(connection, intent, f"k{number}")
        row = AgentConnection.objects.filter(pk=connection.pk)
        acts = in_turn(number, partial(approve, person(shop), owner, wanted), partial(revoke, connection))
        endings = queued(row, acts)
        status = ApprovalRequest.objects.get(pk=wanted).status
        made = list(Payout.objects.filter(intent=UUID(intent["id"])).values_list("status", "failure_reason"))
        if number % 2:
            assert (codes(endings), status) == ({"ok": 2}, "approved")
            assert made == [("paused", "agent_revoked")]
        else:
            assert (codes(endings), status) == ({"ok": 1, "connection_ended": 1}, "withdrawn")
            assert made == []


@pytest.mark.parametrize("ask", [ask_payout, ask_refund])
def test_approve_against_the_agents_repeat(shop: Shop, rounds: range, ask: Callable[..., Any]) -> None:
    """The repeat gets what was approved, or is told once more to wait; one thing is made."""
    owner, model = owner_of(shop.principal), Payout if ask is ask_payout else Refund
    for number in rounds:
        connection = connected(shop.principal, approval_above_usd=usd("1"))
        intent = {"id": str(paid(shop))}
        call = partial(ask, connection, intent, key=f"k{number}")
        with pytest.raises(ServiceError) as refusal:
            call()
        wanted = UUID(refusal.value.details["approval_id"])
        acts = in_turn(number, partial(approve, person(shop), owner, wanted), call)
        endings = queued(shop.row(UUID(intent["id"])), acts)
        assert codes(endings) == ({"ok": 2} if number % 2 else {"ok": 1, "approval_required": 1})
        made = model.objects.filter(intent=UUID(intent["id"])).get()
        assert call().pk == made.pk == ApprovalRequest.objects.get(pk=wanted).subject_id
        assert AgentEffect.objects.filter(connection=connection).count() == 1


def test_repeats_that_come_together_make_one_request(shop: Shop, rounds: range) -> None:
    for number in rounds:
        connection = connected(shop.principal, approval_above_usd=usd("1"))
        intent = {"id": str(paid(shop))}
        calls = [partial(ask_payout, connection, intent, f"k{number}")] * 8
        endings = queued(policies(connection), calls)
        assert codes(endings) == {"approval_required": 8}
        ids = {ending.refusal.details["approval_id"] for ending in endings if ending.refusal}
        assert ids == {str(ApprovalRequest.objects.get(connection=connection).pk)}
    assert Payout.objects.count() == 0


@pytest.mark.parametrize("room", ["the merchant's", "the agent's"])
def test_approving_beside_the_same_refund_ends_in_words(shop: Shop, room: str, rounds: range) -> None:
    """Under one key, in two rooms of keys or in one: each maker's refund once, and nobody meets a fault."""
    for _ in rounds:
        connection, [intent] = connected(shop.principal, approval_above_usd=usd("5")), intents(shop, 1)
        key = intent["id"]
        with pytest.raises(ApprovalRequired):
            ask_refund(connection, intent, "12", key)
        request = ApprovalRequest.objects.get(connection=connection)
        approving = partial(approve, person(shop), owner_of(shop.principal), request.pk)
        wish = {"intent_id": intent["id"], "amount_usd": 12}
        beside: Act = (
            partial(shop.api.post, "/refunds", wish, Idempotency_Key=key)
            if room == "the merchant's"
            else partial(ask_refund, connection, intent, "12", key)
        )
        endings = at_once([approving, beside] * 6)
        assert codes(endings[::2]) == Counter(ok=1, approval_not_pending=5)
        if room == "the merchant's":
            assert {ending.result.status for ending in endings[1::2]} <= {201, 409, 503}
        else:
            assert set(codes(endings[1::2])) <= {"ok", "approval_required"}
        makers = list(Refund.objects.filter(intent_id=intent["id"]).values_list("maker", flat=True))
        assert sorted(makers) == sorted([connection.actor] + ["merchant"] * (room == "the merchant's"))
        assert AgentEffect.objects.filter(connection=connection).count() == 1
    check(shop)


def test_approving_what_rest_makes_meanwhile_under_the_same_key(shop: Shop, rounds: range) -> None:
    """Whoever approves looked the key up before the other one's refund was there, and waits behind it."""
    for _ in rounds:
        connection, [intent] = connected(shop.principal, approval_above_usd=usd("5")), intents(shop, 1)
        with pytest.raises(ApprovalRequired):
            ask_refund(connection, intent, "12", intent["id"])
        asked = ApprovalRequest.objects.get(connection=connection).pk
        wish = {"intent_id": intent["id"], "amount_usd": 12}
        rest = partial(shop.api.post, "/refunds", wish, Idempotency_Key=intent["id"])
        approving = partial(approve, person(shop), owner_of(shop.principal), asked)
        first, second = queued(shop.row(UUID(intent["id"])), [rest, approving])
        assert (first.result.status, second.refusal) == (201, None)
        made = Refund.objects.filter(intent_id=intent["id"]).order_by("created_at", "pk")
        assert list(made.values_list("maker", flat=True)) == ["merchant", connection.actor]
    check(shop)
