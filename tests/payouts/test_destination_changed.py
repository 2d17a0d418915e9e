"""A payout to an address that was given up waits until a person says where it goes. Through pages and workers."""

from typing import Any

import pytest
from django.test import Client

from chains.models import SigningAccount, Transfer
from core.clock import now
from core.errors import ServiceError
from core.modes import Mode
from merchants.models import Change, Role
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import SettlementProfile
from payments.services.credits import network_of
from payments.services.settlement_changes import change_settlement, confirm_change
from payouts.models import Payout
from payouts.services import (
    hold_all_moved,
    pause_payouts,
    readdress_payout,
    release_payout,
    replay_payout,
    resume_payout,
    resume_payouts,
    sweep_due,
)
from payouts.services.transition import apply_trigger
from tests.factories.money_out import transfer_row
from tests.factories.payments import ANNS_EVM, BOBS_EVM, settlement_profile
from tests.factories.payouts import stored_payout
from tests.factories.refunds import paid_intent
from tests.merchants.people import add_member, send_form, text_of
from tests.payouts.stories import told

ACCOUNT = "0x27b1fdb04752bbc536007a920d24acb045561c26"
THIRD = "0xde709f2102306220921060314715629080e2fb77"
HELD = ("paused", "destination_changed")


@pytest.fixture
def person(account: NewMerchant) -> Principal:
    return Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor=f"user:{account.owner.pk}")


@pytest.fixture
def payout(account: NewMerchant) -> Payout:
    """A payout from the signing account to Ann's address, which the settings named when it was made."""
    settlement_profile(account.merchant, chain="base", token="USDC")
    SigningAccount.objects.create(
        merchant=account.merchant, mode="live", network=network_of("live"), chain="base", address=ACCOUNT,
        backend="keystore", key_reference="one",
    )  # fmt: skip
    intent = paid_intent(account.merchant, settlement_address=ACCOUNT)
    return stored_payout(str(intent.pk), destination=ANNS_EVM, next_attempt_at=now())


def ordered(payout: Payout, status: str = "new") -> None:
    transfer = transfer_row("payout", payout, status=status, paid_at=None, tx_hash="")
    apply_trigger(payout, "claim")
    apply_trigger(payout, "send", transfer=transfer)


def gives_up(address: str = BOBS_EVM) -> None:
    """The settings name another address, as a change that takes effect writes it; nobody is told."""
    SettlementProfile.objects.update(address=address)


def swept(payout: Payout) -> Payout:
    sweep_due()
    payout.refresh_from_db()
    return payout


def held(payout: Payout) -> Payout:
    gives_up()
    swept(payout)
    assert (payout.status, payout.failure_reason, payout.next_attempt_at) == (*HELD, None)
    return payout


def refused(act: Any, *words: Any) -> tuple[str, dict[str, Any]]:
    before = (list(Payout.objects.values()), list(Transfer.objects.values()), Change.objects.count())
    with pytest.raises(ServiceError) as refusal:
        act(*words)
    assert (list(Payout.objects.values()), list(Transfer.objects.values()), Change.objects.count()) == before
    return refusal.value.code, dict(refusal.value.details or {})


def test_what_waits_is_held_the_moment_a_change_takes_effect(
    payout: Payout, account: NewMerchant, person: Principal, django_capture_on_commit_callbacks: Any
) -> None:
    admin = add_member(account.merchant, "admin@shop.example", Role.ADMIN)
    second = Principal(merchant_id=person.merchant_id, mode=Mode.LIVE, actor=f"user:{admin.pk}")
    Payout.objects.update(next_attempt_at=None)  # no worker would look for hours
    change = change_settlement(person, "base", "USDC", BOBS_EVM)
    assert change is not None
    with django_capture_on_commit_callbacks(execute=True):
        confirm_change(second, change.pk)
    payout.refresh_from_db()
    assert (payout.status, payout.failure_reason, payout.destination) == (*HELD, ANNS_EVM)
    assert told(payout) == ["created", "paused"]
    assert Transfer.objects.count() == 0


@pytest.mark.parametrize("at", ["queued", "retry_scheduled", "processing"])
def test_a_worker_holds_it_however_far_it_is_and_withdraws_its_order(payout: Payout, at: str) -> None:
    if at != "queued":
        ordered(payout)
    if at == "retry_scheduled":
        apply_trigger(payout, "postpone", failure_reason="insufficient_gas", retry_at=now(), next_attempt_at=now())
    held(payout)
    assert set(Transfer.objects.values_list("status", "failure")) <= {("failed", "withdrawn")}
    assert told(payout)[-1] == "paused"


def test_what_may_land_already_is_followed(payout: Payout) -> None:
    ordered(payout, "signed")
    gives_up()
    assert hold_all_moved(payout.merchant_id, payout.mode) == 0
    payout.refresh_from_db()
    assert payout.status == "processing"


def test_a_lifted_pause_does_not_let_it_go(payout: Payout, person: Principal) -> None:
    pause_payouts(person)
    swept(payout)
    gives_up()
    assert refused(release_payout, person, payout.pk, ANNS_EVM)[0] == "payout_not_resumable"
    for _ in range(2):
        resume_payouts(person)
        assert (swept(payout).status, payout.failure_reason) == HELD
    why = {"status": "paused", "reason": "destination_changed"}
    assert refused(resume_payout, person, payout.pk) == ("payout_not_resumable", why)


def test_a_replay_is_held_too_also_after_a_word_that_was_given_before(payout: Payout, person: Principal) -> None:
    apply_trigger(payout, "claim")
    apply_trigger(payout, "fail", failure_reason="invalid_destination", attempts=1, next_attempt_at=None)
    gives_up()
    replay_payout(person, payout.pk)
    assert (swept(payout).status, payout.failure_reason) == HELD
    release_payout(person, payout.pk, ANNS_EVM)
    payout.refresh_from_db()
    assert (payout.status, payout.destination_released_by) == ("queued", person.actor)
    apply_trigger(payout, "claim")
    apply_trigger(payout, "fail", failure_reason="invalid_destination", next_attempt_at=None)
    replay_payout(person, payout.pk)
    assert (swept(payout).status, payout.failure_reason, payout.destination_released_by) == (*HELD, "")


def test_a_release_goes_to_the_old_address_and_says_who(payout: Payout, person: Principal) -> None:
    held(payout)
    release_payout(person, payout.pk, ANNS_EVM)
    swept(payout)
    assert (payout.destination, payout.destination_released_by) == (ANNS_EVM, person.actor)
    assert Transfer.objects.get().recipient == ANNS_EVM
    line = Change.objects.get(action="payout.released")
    assert (line.actor, line.subject, line.after) == (person.actor, str(payout.pk), {"destination": ANNS_EVM})
    assert told(payout)[:3] == ["created", "paused", "processing"]


def test_a_new_address_is_a_new_order_and_the_old_one_is_withdrawn(payout: Payout, person: Principal) -> None:
    ordered(payout)
    held(payout)
    readdress_payout(person, payout.pk, BOBS_EVM)
    swept(payout)
    assert (payout.destination, payout.destination_released_by) == (BOBS_EVM, "")
    orders = list(Transfer.objects.order_by("round").values_list("recipient", "failure"))
    assert orders[0] == (ANNS_EVM, "withdrawn")
    assert [one[0] for one in orders] == [ANNS_EVM, BOBS_EVM]
    line = Change.objects.get(action="payout.readdressed")
    assert (line.before, line.after) == ({"destination": ANNS_EVM}, {"destination": BOBS_EVM})


def test_only_the_address_that_was_read_is_taken(payout: Payout, person: Principal) -> None:
    held(payout)
    gives_up(THIRD)  # a second change, between the page and the button
    for act, address in ((readdress_payout, BOBS_EVM), (release_payout, BOBS_EVM), (release_payout, "")):
        assert refused(act, person, payout.pk, address)[0] == "payout_destination_outdated"
    gives_up(ACCOUNT)
    assert refused(readdress_payout, person, payout.pk, ACCOUNT) == ("payout_not_possible", {"reason": "already_there"})
    SettlementProfile.objects.all().delete()
    assert refused(readdress_payout, person, payout.pk, "")[1] == {"reason": "destination_missing"}


@pytest.mark.parametrize("act", [release_payout, readdress_payout])
def test_what_is_not_held_stays(payout: Payout, person: Principal, other_account: NewMerchant, act: Any) -> None:
    assert refused(act, person, payout.pk, ANNS_EVM) == ("payout_not_resumable", {"status": "queued"})
    held(payout)
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.LIVE, actor="user:9")
    assert refused(act, stranger, payout.pk, ANNS_EVM)[0] == "not_found"


def test_what_goes_to_the_address_of_its_intent_never_waits(account: NewMerchant) -> None:
    settlement_profile(account.merchant, mode="test", address=ANNS_EVM)
    intent = paid_intent(account.merchant, mode="test", settlement_address=BOBS_EVM)
    payout = stored_payout(str(intent.pk), next_attempt_at=now())
    assert hold_all_moved(payout.merchant_id, "test") == 0
    assert swept(payout).status == "pending_provider"


@pytest.mark.slow
def test_the_pages_say_it_and_ask(payout: Payout, owner: Client, account: NewMerchant) -> None:
    held(payout)
    here = f"/dashboard/live/payouts/{payout.pk}/"
    why = "The address that it was to go to is no longer the one in your settings."
    for path in (here, "/dashboard/live/payouts/"):
        page = text_of(owner.get(path))
        assert why in page
        assert f'href="{here}readdress/">Send to the present address</a>' in page
        assert f'href="{here}release/">Send to the old address</a>' in page
        assert f'href="{here}resume/"' not in page
    for deed in ("readdress", "release"):
        page = text_of(owner.get(f"{here}{deed}/"))
        assert f"<code>{ANNS_EVM}</code>" in page
        assert f"<code>{BOBS_EVM}</code>" in page
    assert Payout.objects.get().status == "paused"
    answer = send_form(owner, f"{here}readdress/", destination=BOBS_EVM)
    assert "It goes to your present address, within seconds." in text_of(owner.get(answer.headers["Location"]))
    assert Payout.objects.get().destination == BOBS_EVM
