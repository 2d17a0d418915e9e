"""A story that is put back is the story as it was told, and is put back only where it would be told alike."""

from typing import Any

import pytest
from django.db import transaction
from pytest_django import Settings

from core import rate_limits
from core.clock import now
from merchants.models import Merchant
from refunds.models import RefundPolicy
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.mcp.agents import connected_agent
from tests.payments.world import START, World
from tests.refunds.stories import settled

pytestmark = pytest.mark.slow


def told_from_the_start(world: World, api: ApiClient, **fields: Any) -> tuple[dict[str, Any], Any]:
    """The story in a world where nothing happened yet: its answer, the rows that it left and the moment."""
    world.clock.move_to(START)
    rate_limits.forget()  # they are asked for an earlier moment now, in which nobody asked yet
    with transaction.atomic():
        answer = settled(world, api, **fields)
        left = all_rows(), now()
        transaction.set_rollback(True)
    return answer, left


def test_it_is_the_same_to_the_row_and_to_the_moment(world: World, api: ApiClient) -> None:
    first = told_from_the_start(world, api, reference="which no other test says")
    assert told_from_the_start(world, api, reference="which no other test says") == first


def test_a_second_one_beside_it_is_another(world: World, api: ApiClient) -> None:
    first, second = settled(world, api), settled(world, api)
    assert first["id"] != second["id"]
    assert [one["status"] for one in (first, second)] == ["settled", "settled"]


def test_it_is_the_same_whichever_agent_is_connected(world: World, api: ApiClient, merchant: Merchant) -> None:
    first, _ = told_from_the_start(world, api)
    connected_agent(merchant)
    assert told_from_the_start(world, api)[0]["id"] == first["id"]


@pytest.mark.parametrize("what", ["a wish of the merchant's", "a setting", "a part"])
def test_it_is_told_anew_where_something_differs(  # noqa: PLR0913, PLR0917 - whatever may differ
    what: str, world: World, api: ApiClient, merchant: Merchant, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = told_from_the_start(world, api)
    if what == "a setting":
        settings.RATE_LIMIT_SCALE = 999
    elif what == "a part":
        monkeypatch.setenv("NOTHING", "1")
    else:
        RefundPolicy.objects.create(merchant=merchant, mode="test", to_paying_wallet=True)
    assert told_from_the_start(world, api)[0]["id"] != first["id"]
