"""Whatever is asked for, whenever: no window of a day or an hour ever holds more than its limit."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from random import Random
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import override_settings

from core.money import UsdAmount, usd
from mcp.errors import LimitExceeded
from mcp.models import AgentConnection, AgentEffect, AgentPolicy
from mcp.services.charter import admission, policy_of
from merchants.principal import Principal
from tests.mcp.charter.stories import PAYOUT, caller_of, connected
from tests.payments.world import World

DAY, HOUR = timedelta(hours=24), timedelta(hours=1)
CALLS = 120


def ask(connection: AgentConnection, amount: UsdAmount) -> LimitExceeded | None:
    """One call's question; its refusal, if it was refused."""
    try:
        with transaction.atomic():
            admission(caller_of(connection), PAYOUT)(amount, uuid4())
    except LimitExceeded as refusal:
        return refusal
    return None


def fullest(effects: Sequence[tuple[datetime, Decimal]], window: timedelta) -> tuple[Decimal, int]:
    """The most dollars and the most effects that any window held; it can only be one that ends with an effect."""
    held = [[amount for at, amount in effects if end - window < at <= end] for end, _ in effects]
    return max(sum(amounts, Decimal(0)) for amounts in held), max(len(amounts) for amounts in held)


@pytest.mark.parametrize("seed", [1, 2, 3])
@override_settings(AGENT_EFFECTS_PER_MINUTE=1_000)
def test_no_window_ever_holds_more_than_its_limit(world: World, principal: Principal, seed: int) -> None:
    chance = Random(seed)  # noqa: S311  Why: a seed makes it the same story each time.
    crew = [connected(principal, per_day_usd=usd("100"), per_hour_count=6) for _ in range(2)]
    policy_of(crew[0])
    AgentPolicy.objects.update(per_day_usd=usd("150"), per_hour_count=9)
    refused = 0
    for _ in range(CALLS):
        refused += ask(chance.choice(crew), usd(f"{chance.randint(1, 40_000_000) / 1_000_000:.6f}")) is not None
        world.wait(chance.choice([0, 0.001, 60, 1800, 7200]))
    for own in crew:
        rows = list(AgentEffect.objects.filter(connection=own).order_by("pk").values_list("created_at", "amount_usd"))
        assert (fullest(rows, DAY)[0] <= 100, fullest(rows, HOUR)[1] <= 6) == (True, True)
    everything = list(AgentEffect.objects.order_by("pk").values_list("created_at", "amount_usd"))
    assert (fullest(everything, DAY)[0] <= 150, fullest(everything, HOUR)[1] <= 9) == (True, True)
    assert all(one <= other for (one, _), (other, _) in pairwise(everything))
    assert 0 < refused < CALLS


@override_settings(AGENT_EFFECTS_PER_MINUTE=1_000)
def test_a_refusal_says_the_moment_from_which_the_same_call_passes(world: World, principal: Principal) -> None:
    """Neither a millisecond early nor late, for sums of several effects."""
    chance = Random(7)  # noqa: S311  Why: as above.
    connection = connected(principal, per_day_usd=usd("100"))
    for _ in range(10):
        ask(connection, usd(str(chance.randint(5, 15))))
        world.wait(chance.randint(1, 3600))
    refusal = ask(connection, usd("40"))
    assert refusal is not None
    frees_at = datetime.fromisoformat(refusal.details["frees_at"])
    world.clock.move_to(frees_at - timedelta(milliseconds=1), tick=False)
    assert ask(connection, usd("40")) is not None
    world.clock.move_to(frees_at, tick=False)
    assert ask(connection, usd("40")) is None
