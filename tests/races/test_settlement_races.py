"""A change of where payments settle against itself: whoever comes, it takes effect once or is withdrawn, never both."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail

from core.clock import now
from core.modes import Mode
from merchants.models import Change, Merchant, Role
from merchants.principal import Principal
from merchants.services import NewMerchant, create_merchant
from payments.errors import SettlementChangeOver, SettlementChangeWaits
from payments.models import SettlementChange, SettlementProfile
from payments.services.settlement_changes import change_settlement, confirm_change, withdraw_change
from payments.services.settlement_effect import sweep_settlement_changes
from tests.factories.payments import ANNS_EVM, BOBS_EVM, settlement_profile
from tests.merchants.people import add_member
from tests.races.lineup import Act, at_once, queued
from tokens.services import load_bundled_tokens

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def account() -> NewMerchant:
    """A merchant whose live payments settle at Ann's address."""
    load_bundled_tokens()
    made = create_merchant("Corner Shop", "owner@shop.example")
    settlement_profile(made.merchant, chain="base", token="USDC")
    return made


@pytest.fixture
def leads(account: NewMerchant) -> list[Principal]:
    """The owner and two admins."""
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
    """What all of them wait for."""
    return Merchant.objects.filter(pk=account.merchant.pk)


def effects() -> int:
    """How often it was put into effect, by the audit."""
    return Change.objects.filter(deed="settlement.changed").count()


def settles_at() -> str:
    """Where new payments go."""
    return str(SettlementProfile.objects.get().address)


def test_two_confirmations_have_one_effect(
    account: NewMerchant, leads: list[Principal], change: SettlementChange
) -> None:
    acts = [partial(confirm_change, lead, change.pk) for lead in leads[1:]]
    first, second = queued(merchant(account), acts)
    assert first.refusal is None
    assert isinstance(second.refusal, SettlementChangeOver)
    assert (effects(), settles_at(), len(mail.outbox)) == (1, BOBS_EVM, 3)


@pytest.mark.parametrize("order", ["confirm first", "withdraw first"])
def test_confirm_against_withdraw(
    account: NewMerchant, leads: list[Principal], change: SettlementChange, order: str
) -> None:
    acts = [partial(confirm_change, leads[1], change.pk), partial(withdraw_change, leads[2], change.pk)]
    confirms_first = order == "confirm first"
    winner, loser = queued(merchant(account), acts if confirms_first else acts[::-1])
    assert winner.refusal is None
    assert isinstance(loser.refusal, SettlementChangeOver)
    assert (effects(), settles_at()) == ((1, BOBS_EVM) if confirms_first else (0, ANNS_EVM))
    assert len(mail.outbox) == 3


@pytest.mark.parametrize("other", [confirm_change, withdraw_change], ids=["confirm", "withdraw"])
@pytest.mark.parametrize("sweep_first", [True, False], ids=["sweep first", "sweep second"])
def test_the_sweep_against_a_person(
    account: NewMerchant, leads: list[Principal], change: SettlementChange, other: Any, sweep_first: bool
) -> None:
    acts: list[Act] = [sweep_settlement_changes, partial(other, leads[1], change.pk)]
    endings = queued(merchant(account), acts if sweep_first else acts[::-1])
    person = endings[1 if sweep_first else 0]
    is_withdrawn = other is withdraw_change and not sweep_first
    assert isinstance(person.refusal, SettlementChangeOver) is sweep_first
    assert (effects(), settles_at()) == ((0, ANNS_EVM) if is_withdrawn else (1, BOBS_EVM))
    assert len(mail.outbox) == 3


def test_many_sweeps_and_people_at_once(account: NewMerchant, leads: list[Principal], change: SettlementChange) -> None:
    people = [partial(confirm_change, lead, change.pk) for lead in leads[1:] * 4]
    at_once([*people, *[sweep_settlement_changes] * 4])
    assert (effects(), settles_at(), len(mail.outbox)) == (1, BOBS_EVM, 3)


def test_two_wishes_at_once_leave_one_waiting(account: NewMerchant, leads: list[Principal]) -> None:
    acts = [partial(change_settlement, lead, "base", "USDC", address) for lead, address in _wishes(leads)]
    first, second = queued(merchant(account), acts)
    assert first.refusal is None
    assert isinstance(second.refusal, SettlementChangeWaits)
    assert SettlementChange.objects.get().after["address"] == BOBS_EVM


def test_two_first_addresses_at_once_leave_one(account: NewMerchant, leads: list[Principal]) -> None:
    SettlementProfile.objects.all().delete()
    acts = [partial(change_settlement, lead, "base", "USDC", address) for lead, address in _wishes(leads)]
    first, second = queued(merchant(account), acts)
    assert (first.refusal, first.result) == (None, None)
    assert second.refusal is None
    assert second.result.status == "waiting"
    assert (settles_at(), SettlementChange.objects.count()) == (BOBS_EVM, 1)


def test_nobody_decides_what_is_not_there(leads: list[Principal]) -> None:
    endings = at_once([partial(confirm_change, leads[1], uuid4())] * 2)
    assert {ending.refusal.code for ending in endings if ending.refusal} == {"not_found"}


def _wishes(leads: list[Principal]) -> list[tuple[Principal, str]]:
    return [(leads[0], BOBS_EVM), (leads[1], "0x27b1fdb04752bbc536007a920d24acb045561c26")]
