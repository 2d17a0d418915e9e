"""Where live payments settle changes late or by two people; everybody who leads is told. Through the pages."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from solders.pubkey import Pubkey

from chains.registry import CHAINS
from core.modes import Mode
from merchants.models import Change, Membership, Role
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import SettlementChange, SettlementProfile
from payments.services.settlement_changes import withdraw_change
from payments.services.settlement_effect import sweep_settlement_changes
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM, ANNS_SOLANA, BOBS_EVM, settlement_profile
from tests.merchants.people import OWNER, add_member, confirm_identity, send_form, text_of
from tests.payments.conftest import signed_in
from tests.payments.world import World
from tokens.settlement_pairs import SETTLEMENT_PAIRS

pytestmark = pytest.mark.slow

ADMIN, LATER = "admin@shop.example", "later@shop.example"
SETTINGS = "/dashboard/live/settings/"
EVM, SOLANA = f"{SETTINGS}settlement/evm/", f"{SETTINGS}settlement/solana/"
TEST_EVM = "/dashboard/test/settings/settlement/evm/"
HOURS_48 = timedelta(hours=48).total_seconds()
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"


@pytest.fixture
def admin(account: NewMerchant) -> Client:
    add_member(account.merchant, ADMIN, Role.ADMIN)
    return signed_in(ADMIN)


@pytest.fixture
def profile(account: NewMerchant) -> SettlementProfile:
    return settlement_profile(account.merchant, chain="base", token="USDC")


def ask(client: Client, address: str = BOBS_EVM, asset: str = "base:USDC", at: str = EVM, **fields: str) -> Any:
    return send_form(client, at, asset=asset, address=address, **fields)


def decide(client: Client, deed: str, change: SettlementChange) -> Any:
    return send_form(client, f"{SETTINGS}changes/{change.pk}/", deed=deed)


def settles_at(family: str = "evm", mode: str = "live") -> str:
    return str(SettlementProfile.objects.get(mode=mode, family=family).address)


def the_change() -> SettlementChange:
    change: SettlementChange = SettlementChange.objects.get()
    return change


def told() -> list[tuple[str, str]]:
    """Who was mailed about what, and forget it."""
    found = sorted((message.to[0], message.subject.rpartition("settle ")[2]) for message in mail.outbox)
    mail.outbox.clear()
    return found


def deeds() -> list[str]:
    """What the audit says, oldest first."""
    return list(Change.objects.filter(action__startswith="settlement.").order_by("pk").values_list("action", flat=True))


def test_a_live_address_changes_after_two_days(
    world: World, account: NewMerchant, profile: SettlementProfile, owner: Client, admin: Client
) -> None:
    live = ApiClient(account.live.secret_key)
    before = live.post("/payment-intents", {"amount": 25}).body
    assert ask(owner).status_code == 302
    change = the_change()
    assert (change.status, change.requested_by) == ("waiting", f"user:{account.owner.pk}")
    assert settles_at() == ANNS_EVM
    assert told() == [(ADMIN, "was asked for"), (OWNER, "was asked for")]
    world.wait(HOURS_48 - 1)
    assert sweep_settlement_changes() == 0
    assert live.post("/payment-intents", {"amount": 25}).body["settlement_address"] == ANNS_EVM
    world.wait(1)
    assert sweep_settlement_changes() == 1
    assert settles_at() == BOBS_EVM
    assert told() == [(ADMIN, "is in effect"), (OWNER, "is in effect")]
    after = live.post("/payment-intents", {"amount": 25}).body
    kept = live.get(f"/payment-intents/{before['id']}").body
    assert (after["settlement_address"], kept["settlement_address"]) == (BOBS_EVM, ANNS_EVM)
    assert sweep_settlement_changes() == 0
    assert deeds() == ["settlement.requested", "settlement.changed"]
    line = Change.objects.get(action="settlement.changed")
    assert (line.actor, line.before["address"], line.after["address"]) == ("worker", ANNS_EVM, BOBS_EVM)


def test_a_second_person_lets_it_take_effect_at_once(profile: SettlementProfile, owner: Client, admin: Client) -> None:
    ask(owner)
    told()
    assert "Confirm or withdraw" in text_of(admin.get(SETTINGS))
    assert decide(admin, "confirm", the_change()).status_code == 302
    assert settles_at() == BOBS_EVM
    assert told() == [(ADMIN, "was confirmed and is in effect"), (OWNER, "was confirmed and is in effect")]
    assert deeds() == ["settlement.requested", "settlement.confirmed", "settlement.changed"]
    change = the_change()
    assert (change.status, change.next_attempt_at) == ("in_effect", None)
    assert change.confirmed_by.startswith("user:")
    assert change.confirmed_by != change.requested_by
    again = decide(admin, "confirm", change)
    assert "no longer waits" in text_of(admin.get(again.headers["Location"]))
    assert told() == []


def test_neither_who_asked_nor_who_leads_since_can_confirm(
    account: NewMerchant, profile: SettlementProfile, owner: Client
) -> None:
    raised = add_member(account.merchant, "raised@shop.example", Role.DEVELOPER)
    ask(owner)
    told()
    assert "Confirm it now" not in text_of(owner.get(f"{SETTINGS}changes/{the_change().pk}/"))
    decide(owner, "confirm", the_change())
    assert "Another person confirms this" in text_of(owner.get(SETTINGS))
    assert (settles_at(), the_change().status, told()) == (ANNS_EVM, "waiting", [])
    add_member(account.merchant, LATER, Role.ADMIN)
    Membership.objects.filter(user=raised).update(role=Role.ADMIN)
    later = signed_in(LATER)
    for person in (later, signed_in("raised@shop.example")):
        decide(person, "confirm", the_change())
        assert (settles_at(), the_change().status) == (ANNS_EVM, "waiting")
    decide(later, "withdraw", the_change())
    assert (settles_at(), the_change().status) == (ANNS_EVM, "withdrawn")


def test_a_withdrawn_change_never_takes_effect_and_who_was_removed_meanwhile_is_told(
    world: World, profile: SettlementProfile, owner: Client, admin: Client
) -> None:
    ask(owner)
    decide(admin, "withdraw", the_change())
    world.wait(HOURS_48 + 60)
    assert sweep_settlement_changes() == 0
    assert (settles_at(), the_change().status) == (ANNS_EVM, "withdrawn")
    decide(admin, "confirm", the_change())
    assert settles_at() == ANNS_EVM
    assert deeds() == ["settlement.requested", "settlement.withdrawn"]
    confirm_identity(owner)
    ask(owner)
    told()
    Membership.objects.filter(user__email=ADMIN).delete()
    decide(owner, "withdraw", SettlementChange.objects.get(status="waiting"))
    assert told() == [(ADMIN, "was withdrawn"), (OWNER, "was withdrawn")]


def test_another_wish_replaces_the_first_only_when_said(profile: SettlementProfile, owner: Client) -> None:
    third = "0x27b1fdb04752bbc536007a920d24acb045561c26"
    ask(owner)
    told()
    assert ask(owner).status_code == 302  # the same form again
    assert (SettlementChange.objects.count(), told()) == (1, [])
    refused = ask(owner, third)
    assert refused.status_code == 400
    assert "Another change of this is waiting" in text_of(refused)
    assert (SettlementChange.objects.count(), told()) == (1, [])
    assert ask(owner, third, replaces=str(the_change().pk)).status_code == 302
    stories = SettlementChange.objects.order_by("created_at", "pk").values_list("status", "after__address")
    assert [status for status, _ in stories] == ["replaced", "waiting"]
    assert re.fullmatch(third, stories[1][1], re.IGNORECASE)
    second = SettlementChange.objects.get(status="waiting")
    decide(owner, "withdraw", second)
    refused = ask(owner, ANNS_EVM, asset="ethereum:USDC", replaces=str(second.pk))
    assert (refused.status_code, SettlementChange.objects.count()) == (400, 2)


def test_a_form_that_says_nothing_decides_nothing(profile: SettlementProfile, owner: Client, admin: Client) -> None:
    """And a change of the chain or the token alone waits like the address."""
    for asset in ("ethereum:USDC", "base:ETH"):
        assert ask(owner, ANNS_EVM, asset=asset).status_code == 302
        profile.refresh_from_db()
        assert (profile.chain, profile.token, the_change().status) == ("base", "USDC", "waiting")
        the_change().delete()
    ask(owner)
    told()
    SettlementProfile.objects.update(locked=True)
    for fields in ({}, {"deed": ""}, {"deed": "steal"}):
        assert send_form(admin, f"{SETTINGS}changes/{the_change().pk}/", **fields).status_code == 200
        assert send_form(admin, f"{SETTINGS}lock/", locked="perhaps").status_code == 400
        assert (the_change().status, settles_at(), told()) == ("waiting", ANNS_EVM, [])


def test_the_first_address_holds_at_once_and_everybody_is_told(owner: Client) -> None:
    assert ask(owner).status_code == 302
    assert (settles_at(), SettlementChange.objects.count()) == (BOBS_EVM, 0)
    assert told() == [(OWNER, "is in effect")]
    assert SettlementProfile.objects.get().is_default
    assert ask(owner, ANNS_SOLANA, asset="solana:USDC", at=SOLANA).status_code == 302
    assert [(one.family, one.is_default) for one in SettlementProfile.objects.order_by("family")] == [
        ("evm", True),
        ("solana", False),
    ]
    assert deeds() == ["settlement.changed", "settlement.changed"]


def test_the_default_family_and_a_first_address_where_addresses_are_locked_wait(
    world: World, account: NewMerchant, profile: SettlementProfile, owner: Client
) -> None:
    ask(owner, ANNS_SOLANA, asset="solana:USDC", at=SOLANA)
    assert send_form(owner, f"{SETTINGS}default/", family="solana").status_code == 302
    live = ApiClient(account.live.secret_key)
    assert live.post("/payment-intents", {"amount": 25}).body["settlement_chain"] == "base"
    world.wait(HOURS_48)
    sweep_settlement_changes()
    assert live.post("/payment-intents", {"amount": 25}).body["settlement_chain"] == "solana"
    SettlementProfile.objects.filter(family="solana").delete()
    SettlementProfile.objects.update(locked=True)
    confirm_identity(owner)
    assert ask(owner, ANNS_SOLANA, asset="solana:USDC", at=SOLANA).status_code == 302
    waiting = SettlementChange.objects.get(status="waiting")
    assert (SettlementProfile.objects.count(), waiting.part) == (1, "solana")


def test_locking_holds_at_once_and_unlocking_waits(
    world: World, account: NewMerchant, profile: SettlementProfile, owner: Client
) -> None:
    live, elsewhere = ApiClient(account.live.secret_key), {"amount": 25, "settlement_address": BOBS_EVM}
    assert live.post("/payment-intents", elsewhere).status == 201
    assert send_form(owner, f"{SETTINGS}lock/", locked="yes").status_code == 302
    assert live.post("/payment-intents", elsewhere).body["code"] == "settlement_address_not_allowed"
    assert send_form(owner, f"{SETTINGS}lock/", locked="no").status_code == 302
    assert live.post("/payment-intents", elsewhere).body["code"] == "settlement_address_not_allowed"
    world.wait(HOURS_48)
    sweep_settlement_changes()
    assert live.post("/payment-intents", elsewhere).status == 201


def test_test_mode_changes_at_once_and_mails_nobody(owner: Client) -> None:
    for address in (ANNS_EVM, BOBS_EVM):
        assert ask(owner, address, at=TEST_EVM).status_code == 302
        assert settles_at(mode="test") == address
    assert (SettlementChange.objects.count(), told()) == (0, [])


def test_others_look_and_home_says_to_who_may_decide_that_it_waits(
    account: NewMerchant, profile: SettlementProfile, owner: Client, admin: Client
) -> None:
    ask(owner)
    add_member(account.merchant, "viewer@shop.example", Role.VIEWER)
    assert BOBS_EVM in text_of(signed_in("viewer@shop.example").get(SETTINGS))
    assert "that you can confirm or withdraw" in text_of(admin.get("/dashboard/live/"))
    home = text_of(owner.get("/dashboard/live/"))
    assert ("that you can confirm" in home, "Settlement changes that wait" in home) == (False, True)
    principal = Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor=f"user:{account.owner.pk}")
    assert withdraw_change(principal, the_change().pk).status == "withdrawn"


def test_a_worker_that_dies_leaves_the_row_to_the_next_one(
    world: World, profile: SettlementProfile, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(owner)
    told()
    world.wait(HOURS_48)

    def dies(*_: object) -> None:
        raise RuntimeError("the mail could not be written")

    with monkeypatch.context() as broken:
        broken.setattr("payments.services.settlement_effect.mail_leads", dies)
        sweep_settlement_changes()
    assert (settles_at(), the_change().status, told()) == (ANNS_EVM, "waiting", [])
    world.wait(31)
    sweep_settlement_changes()
    assert (settles_at(), the_change().status) == (BOBS_EVM, "in_effect")
    assert told() == [(OWNER, "is in effect")]


MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
REFUSED = [
    *((EVM, "base:USDC", text, "0x followed by 40") for text in ("", "x" * 10_000, "<script>alert(1)</script>")),
    (EVM, "base:USDC", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "checksum"),
    (EVM, "base:USDC", USDC_ON_BASE, "own address"),
    (EVM, "base:USDC", "0x" + "0" * 40, "reserved"),
    (EVM, "base:USDC", "0x000000000022D473030F116dDEE9F6B43aC78BA3", "public contract"),
    (EVM, "base:USDC", ANNS_EVM.lower(), "how it is already"),
    *((EVM, asset, ANNS_EVM, "cannot be settled") for asset in ("moon:USDC", "base:MOON", "", ":::")),
    (EVM, "solana:USDC", ANNS_SOLANA, "cannot be settled"),
    (SOLANA, "solana:USDC", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "program"),
    (SOLANA, "solana:USDC", MINT, "own address"),
    (SOLANA, "solana:USDC", str(Pubkey.find_program_address([b"vault"], Pubkey.default())[0]), "token account"),
]


def test_what_cannot_be_paid_changes_nothing(profile: SettlementProfile, owner: Client) -> None:
    """And the forms offer every pair that can be settled."""
    for at, asset, address, words in REFUSED:
        refused = ask(owner, address, asset, at=at)
        assert (refused.status_code, words in text_of(refused)) == (400, True), (asset, address[:50])
        assert "<script>alert" not in text_of(refused)
    assert (settles_at(), SettlementChange.objects.count(), told(), deeds()) == (ANNS_EVM, 0, [], [])
    assert SettlementProfile.objects.get() == profile
    pages = text_of(owner.get(EVM)) + text_of(owner.get(SOLANA))
    assert {f"{pair.chain}:{pair.symbol}" for pair in SETTLEMENT_PAIRS} == set(re.findall(r'value="(\w+:\w+)"', pages))
    assert {chain.name for chain in CHAINS} == {pair.chain for pair in SETTLEMENT_PAIRS}
