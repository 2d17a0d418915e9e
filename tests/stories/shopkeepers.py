"""What the merchant's people, programs and agents do about money that came."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from uuid import UUID, uuid4

import orjson

from core.errors import ServiceError
from core.money import usd
from mcp.models import AgentConnection, ApprovalRequest
from mcp.services.approvals import approve
from merchants.models import Membership, Role, User
from merchants.services.team import remove_member
from payments.models import LatePolicy, PaymentIntent, SettlementChange
from payments.services.policy import WantedPolicy, set_payment_policy
from payments.services.settlement_changes import change_settlement, withdraw_change
from payouts.models import Payout
from payouts.services import (
    create_payout,
    pause_payouts,
    replay_payout,
    resume_payout,
    resume_payouts,
    set_payout_at_settle,
)
from refunds.models import Refund
from refunds.services.policy import set_refund_policy
from tests.mcp.charter.stories import ask_payout, ask_refund, connected
from tests.stories.stage import HOME, Story


def set_up(story: Story) -> None:
    rng = story.rng
    set_refund_policy(story.owner, to_paying_wallet=rng.random() < 0.75)
    late = rng.choice([LatePolicy.REFUND, LatePolicy.REFUND, LatePolicy.SETTLE, LatePolicy.HOLD])
    set_payment_policy(story.owner, WantedPolicy(tolerance_bps=None, finality="", late=late))
    if rng.random() < 0.4:
        set_payout_at_settle(story.owner, enabled=True)
    if rng.random() < 0.3:
        colleague = User.objects.create_user(f"colleague-{story.seed}@story.example", None)
        Membership.objects.create(user=colleague, merchant=story.merchant, role=Role.ADMIN)
        agent = connected(story.principal, approval_above_usd=usd("20"))
        AgentConnection.objects.filter(pk=agent.pk).update(user=colleague)
        story.agent = AgentConnection.objects.get(pk=agent.pk)


def refund(story: Story) -> None:
    rng, intent = story.rng, _paid(story)
    if intent is None:
        return
    amount = _part(story, intent)
    body: dict[str, object] = {"intent_id": str(intent.pk), "amount_usd": orjson.Fragment(f"{amount:f}")}
    if rng.random() < 0.35:
        body["destination"] = rng.choice([*story.payers, story.stranger, story.treasuries[0]])
    if rng.random() < 0.1:
        body["from_other_funds"] = True
    reply = story.ask("/refunds", body)
    assert reply.status < 500, reply.body
    if reply.status == 201 and "destination" in body:
        story.addressed.add(UUID(reply.body["id"]))
    where = story.name(str(body["destination"])) if "destination" in body else "whom it belongs to"
    story.tell(f"a refund of {amount} of {story.number(intent.pk)} to {where}: {reply.status}")


def ask_refund_of(story: Story, intent_id: UUID, amount: str) -> None:
    reply = story.ask("/refunds", {"intent_id": str(intent_id), "amount_usd": orjson.Fragment(amount)})
    story.tell(f"a refund of {amount} of {story.number(intent_id)}: {reply.status}")


def address_refund(story: Story) -> None:
    waiting = Refund.objects.filter(merchant=story.merchant, status="waiting").order_by("created_at", "pk").first()
    if waiting is None:
        return
    place = story.rng.choice([*story.payers, story.stranger])
    reply = story.ask(f"/refunds/{waiting.pk}/destination", {"destination": place})
    if reply.status == 200:
        story.addressed.add(waiting.pk)
    story.tell(f"a refund is sent to {story.name(place)}: {reply.status}")


def cancel_refund(story: Story) -> None:
    made = list(Refund.objects.filter(merchant=story.merchant).order_by("created_at", "pk"))
    if made:
        reply = story.ask(f"/refunds/{story.rng.choice(made).pk}/cancel")
        story.tell(f"a refund is cancelled: {reply.status}")


def cancel_payment(story: Story) -> None:
    intent_id = story.rng.choice(story.intents)
    reply = story.ask(f"/payment-intents/{intent_id}/cancel")
    story.tell(f"{story.number(intent_id)} is cancelled: {reply.status}")


def pay_out(story: Story) -> None:
    intent = _paid(story)
    if intent is None:
        return
    failed = Payout.objects.filter(intent=intent, status="failed").first()
    name = story.number(intent.pk)
    if failed is not None and story.rng.random() < 0.5:
        _attempt(story, f"the payout of {name} again", partial(replay_payout, story.owner, failed.pk))
    else:
        create = partial(create_payout, story.principal, intent.pk, f"out-{uuid4()}")
        _attempt(story, f"a payout of {name}", create)


def steer_payouts(story: Story) -> None:
    held = Payout.objects.filter(merchant=story.merchant, status="paused").first()
    act = story.rng.choice(["pause", "resume", "resume", "one"])
    if act == "one" and held is not None:
        _attempt(story, "a held payout goes on", partial(resume_payout, story.owner, held.pk))
    else:
        _attempt(story, f"{act} payouts", partial(pause_payouts if act == "pause" else resume_payouts, story.owner))


def move_settlement(story: Story) -> None:
    waiting = SettlementChange.objects.filter(merchant=story.merchant, status="waiting").first()
    if waiting is not None and story.rng.random() < 0.5:
        _attempt(story, "the other address is withdrawn", partial(withdraw_change, story.owner, waiting.pk))
        return
    place = story.rng.choice(story.treasuries)
    _attempt(story, f"settle at {story.name(place)}", partial(change_settlement, story.owner, HOME, "USDC", place))


def ask_agent(story: Story) -> None:
    intent = _paid(story)
    if story.agent is None or intent is None:
        return
    shown = {"id": str(intent.pk)}
    if story.rng.random() < 0.6:
        amount = str(_part(story, intent))
        act: Callable[[], object] = partial(ask_refund, story.agent, shown, amount, f"agent-{uuid4()}")
        _attempt(story, f"an agent asks for a refund of {amount} of {story.number(intent.pk)}", act)
    else:
        act = partial(ask_payout, story.agent, shown, f"agent-{uuid4()}")
        _attempt(story, f"an agent asks for the payout of {story.number(intent.pk)}", act)


def approve_request(story: Story) -> None:
    asked = ApprovalRequest.objects.filter(merchant=story.merchant, status="pending").first()
    person = Membership.objects.filter(merchant=story.merchant, role=Role.OWNER).select_related("user").get().user
    if asked is not None:
        _attempt(story, f"{asked.tool} is approved", partial(approve, story.owner, person, asked.pk))


def remove_colleague(story: Story) -> None:
    people = Membership.objects.filter(merchant=story.merchant).select_related("user")
    colleague = people.filter(role=Role.ADMIN).first()
    if colleague is not None:
        owner = people.get(role=Role.OWNER).user
        _attempt(story, "the colleague is removed", partial(remove_member, story.owner, owner, colleague.pk))


def _attempt(story: Story, what: str, act: Callable[[], object]) -> None:
    try:
        act()
    except ServiceError as refusal:
        story.tell(f"{what}: {refusal.code}")
    else:
        story.tell(f"{what}: done")


def _paid(story: Story) -> PaymentIntent | None:
    paid = PaymentIntent.objects.filter(pk__in=story.intents, received_usd__gt=0)
    found = sorted(paid, key=lambda one: story.intents.index(one.pk))
    return story.rng.choice(found) if found else None


def _part(story: Story, intent: PaymentIntent) -> Decimal:
    left = max(intent.received_usd - intent.refunded_usd, Decimal("0.01"))
    share = story.rng.choice([Decimal(1), Decimal(1), Decimal("0.5"), Decimal("0.2"), Decimal("1.1")])
    return max((left * share).quantize(Decimal("0.000001")), Decimal("0.000001"))
