"""A poll of the payer's state while a worker or the payer changes it: never a quote without its figures.

Why it matters: the payer would press a button that agrees to nothing, or that is drawn anew under its finger.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from payments.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.meanwhile import changed_after
from tests.payments.payer import Payer
from tests.payments.world import World, create

Begun = tuple[Payer, Callable[[], object]]
"""A payer before the change, and the change."""


def expect_whole(state: dict[str, Any], told: str) -> None:
    """What can be agreed to has all its figures."""
    attempt = state["attempt"]
    if attempt["status"] == "quoted":
        assert attempt["parts"], told
        assert attempt["terms"]["pay_base_units"], told
        assert attempt["pay_at_most"], told


def statuses_seen(begin: Callable[[], Begun]) -> set[str]:
    """The attempt's statuses in polls during which the change comes after one statement, after two, and so on."""
    seen, after, is_between = set(), 0, True
    while is_between:
        after += 1
        payer, change = begin()
        with changed_after(after, change) as statements:
            state = payer.state()
        is_between = statements.asked >= after
        expect_whole(state, f"after {after} statements")
        seen.add(state["attempt"]["status"])
    return seen


@pytest.mark.spec("Poll with ETag")
def test_a_quote_that_comes_in_between_is_whole(world: World, api: ApiClient) -> None:
    def asked_for() -> Begun:
        payer = Payer.of(create(api))
        [token, *_] = payer.connect()
        payer.act("quote", {"chain": token["chain"], "token_address": token["token_address"]})
        return payer, sweep_due

    assert statuses_seen(asked_for) == {"quoting", "quoted"}


@pytest.mark.spec("Poll with ETag")
def test_a_quote_that_is_given_up_in_between_is_whole_or_gone(world: World, api: ApiClient) -> None:
    def quoted() -> Begun:
        payer = Payer.of(create(api))
        attempt = payer.quote(world)["id"]
        return payer, partial(payer.act, "rejected", {"attempt_id": attempt, "reason": "abandoned"})

    assert statuses_seen(quoted) == {"quoted", "abandoned"}
