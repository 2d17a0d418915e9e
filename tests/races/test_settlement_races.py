"""A change of where payments settle against itself: whoever comes, it takes effect once or is withdrawn, never both.

And against an approval: what leaves goes where the person was shown, or nowhere.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail

from chains.models import SigningAccount
from core.clock import now
from core.modes import Mode
from core.money import usd
from mcp.errors import ApprovalRequired
from mcp.models import ApprovalRequest
from mcp.services.approvals import approve
from merchants.models import Change, Merchant, Role
from merchants.principal import Principal
from merchants.services import NewMerchant, create_merchant
from payments.errors import SettlementChangeOver, SettlementChangeWaits
from payments.models import SettlementChange, SettlementProfile
from payments.services.credits import network_of
from payments.services.settlement_changes import change_settlement, confirm_change, withdraw_change
from payments.services.settlement_effect import sweep_settlement_changes
from payouts.models import Payout
from payouts.services import hold_all_moved
from tests.factories.payments import ANNS_EVM, BOBS_EVM, settlement_profile
from tests.factories.refunds import paid_intent
from tests.mcp.charter.stories import ask_payout, connected
from tests.merchants.people import add_member
from tests.races.lineup import Act, at_once, queued
from tokens.services import load_bundled_tokens

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
OTHER = "0x27b1fdb04752bbc536007a920d24acb045561c26"


@pytest.fixture
def account() -> NewMerchant:
    load_bundled_tokens()
    made = create_merchant("Corner Shop", "owner@shop.example")
    settlement_profile(made.merchant, chain="base", token="USDC")
    return made


@pytest.fixture
def leads(account: NewMerchant) -> list[Principal]:
    people = [account.owner, *(add_member(account.merchant, f"{n}@shop.example", Role.ADMIN) for n in "ab")]
    return [Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor=f"user:{one.pk}") for one in people]


@pytest.fixture
def change(leads: list[Principal]) -> SettlementChange:
    """What the owner asked for, and whose delay is over."""
    made = change_settlement(leads[0], "base", "USDC", BOBS_EVM)
    assert made is not None
    SettlementChange.objects.update(effective_at=now() - timedelta(seconds=1), next_attempt_at=now())
    mail.outbox.clear()
    made.refresh_from_db()
    return made


def merchant(account: NewMerchant) -> Any:
    return Merchant.objects.filter(pk=account.merchant.pk)


def effects() -> int:
    return Change.objects.filter(action="settlement.changed").count()


def settles_at() -> str:
    return str(SettlementProfile.objects.get().address)


PAIRS = [
    ("confirm", "confirm", True),
    ("confirm", "withdraw", True),
    ("withdraw", "confirm", False),
    ("sweep", "confirm", True),
    ("sweep", "withdraw", True),
    ("confirm", "sweep", True),
    ("withdraw", "sweep", False),
]


@pytest.mark.parametrize(("first", "second", "has_effect"), PAIRS)
def test_of_two_that_decide_the_first_one_does(  # noqa: PLR0913, PLR0917 - three fixtures and a row of the table
    account: NewMerchant, leads: list[Principal], change: SettlementChange, first: str, second: str, has_effect: bool
) -> None:
    decisions: dict[str, Callable[..., Any]] = {"confirm": confirm_change, "withdraw": withdraw_change}
    acts: list[Act] = [
        sweep_settlement_changes if name == "sweep" else partial(decisions[name], lead, change.pk)
        for name, lead in zip((first, second), leads[1:], strict=True)
    ]
    winner, loser = queued(merchant(account), acts)
    assert winner.refusal is None
    assert isinstance(loser.refusal, SettlementChangeOver) is (second != "sweep")
    assert (effects(), settles_at()) == ((1, BOBS_EVM) if has_effect else (0, ANNS_EVM))
    assert len(mail.outbox) == 3


@pytest.mark.parametrize("has_one", [True, False], ids=["a later address", "the first address"])
def test_two_wishes_at_once_leave_one_waiting(account: NewMerchant, leads: list[Principal], has_one: bool) -> None:
    """Behind a wish that waits, another one is refused; behind the first address of all, it waits."""
    if not has_one:
        SettlementProfile.objects.all().delete()
    wishes = zip(leads, (BOBS_EVM, OTHER), strict=False)
    acts = [partial(change_settlement, lead, "base", "USDC", address) for lead, address in wishes]
    first, second = queued(merchant(account), acts)
    assert first.refusal is None
    change = SettlementChange.objects.get()
    if has_one:
        assert isinstance(second.refusal, SettlementChangeWaits)
        assert (settles_at(), change.after["address"]) == (ANNS_EVM, BOBS_EVM)
    else:
        assert (first.result, second.refusal, second.result.status) == (None, None, "waiting")
        assert settles_at() == BOBS_EVM


def test_nobody_decides_what_is_not_there(leads: list[Principal]) -> None:
    endings = at_once([partial(confirm_change, leads[1], uuid4())] * 2)
    assert {ending.refusal.code for ending in endings if ending.refusal} == {"not_found"}


def test_an_approval_against_a_change_of_address(account: NewMerchant, leads: list[Principal], rounds: range) -> None:
    SigningAccount.objects.create(
        merchant=account.merchant, mode="live", network=network_of("live"), chain="base", address=OTHER,
        backend="keystore", key_reference="one",
    )  # fmt: skip
    connection = connected(leads[0], approval_above_usd=usd("10"))
    for number in rounds:
        SettlementProfile.objects.update(address=ANNS_EVM)
        intent = paid_intent(account.merchant, settlement_address=OTHER)
        with pytest.raises(ApprovalRequired):
            ask_payout(connection, {"id": str(intent.pk)}, f"k{number}")
        request = ApprovalRequest.objects.get(idempotency_key=f"k{number}")

        def moves() -> None:
            SettlementProfile.objects.update(address=BOBS_EVM)
            hold_all_moved(account.merchant.pk, "live")

        approval, _ = at_once([partial(approve, leads[0], account.owner, request.pk), moves])
        made = list(Payout.objects.filter(intent=intent).values_list("destination", flat=True))
        if approval.refusal is None:
            assert made == [ANNS_EVM]
        else:
            assert (approval.refusal.code, made) == ("approval_outdated", [])
