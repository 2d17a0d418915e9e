"""Payouts on the dashboard: where the money is, what can be done, and nothing done twice or by the wrong people."""

import csv
import io
import re
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from chains.transfers import Blocker, Failure, RailName
from core.clock import now
from dashboard.home import tasks_of
from dashboard.payouts.story import story_of_payment
from dashboard.payouts.words import RAILS, REASONS, STATUS, where_words
from dashboard.search import SEARCHES
from dashboard.visit import Visit
from merchants.admission import HoldReason
from merchants.models import Change, Role
from merchants.principal import Principal
from merchants.services import NewMerchant
from payouts.models import Payout
from payouts.selectors import policy_of
from payouts.services import pause_payouts
from payouts.states import PayoutStatus
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.factories.payouts import failed_payout, stored_payout
from tests.merchants.people import OWNER, field_value, send_form, text_of
from tests.payments.world import World, create
from tests.payouts.stories import asked, run, sent, settled, shown, transfers
from tests.refunds.stories import PAYEE, ask, refund, work

pytestmark = pytest.mark.slow
LIST = "/dashboard/test/payouts/"


def page_of(payout: Payout) -> str:
    return f"{LIST}{payout.pk}/"


def listed(answer: Any) -> list[str]:
    return re.findall(r'href="/dashboard/test/payouts/([0-9a-f-]{36})/"', text_of(answer))


def look(account: NewMerchant, principal: Principal) -> Visit:
    return Visit(person=account.owner, merchant=account.merchant, role=Role.OWNER, principal=principal)


def failed(world: World, api: ApiClient, principal: Principal) -> Payout:
    payout = asked(principal, settled(world, api, metadata={"simulate": "payout_fail"}))
    run(world, 0)
    return payout


@pytest.mark.spec("States: payout; Payouts")
def test_a_failed_payout_is_replayed_and_paid(
    world: World, api: ApiClient, principal: Principal, owner: Client
) -> None:
    payout = failed(world, api, principal)
    page = text_of(owner.get(page_of(payout)))
    assert "The money is still with the simulated account. Nothing was paid out." in page
    assert "The chain refused it. Nothing moved." in page
    assert f"/payouts/{payout.pk}/replay" in page
    ask = owner.get(f"{page_of(payout)}replay/")
    assert "Send 25.00 USDC again?" in text_of(ask)
    assert shown(api, payout)["status"] == "failed"
    answer = send_form(owner, f"{page_of(payout)}replay/")
    assert answer.headers["Location"] == page_of(payout)
    assert shown(api, payout)["status"] == "queued"
    send_form(owner, f"{page_of(payout)}replay/")
    assert "A payout that is queued cannot be replayed." in text_of(owner.get(page_of(payout)))
    run(world)
    page = text_of(owner.get(page_of(payout)))
    assert "The money is at your address on Base." in page
    assert (transfers(payout), len(sent(payout))) == (["failed", "paid"], 1)
    for words in ("Sent again", "Transfer 1: failed", "Transfer 2: paid", OWNER, "Payout paid"):
        assert words in page


def test_a_paused_one_is_resumed(world: World, api: ApiClient, principal: Principal, owner: Client) -> None:
    payout = asked(principal, settled(world, api))
    Payout.objects.filter(pk=payout.pk).update(
        status="paused", failure_reason="agent_revoked", next_attempt_at=None, created_by="agent:7"
    )
    page = text_of(owner.get(page_of(payout)))
    assert "The agent that ordered it may act for you no more." in page
    assert f"{page_of(payout)}replay/" not in page
    send_form(owner, f"{page_of(payout)}resume/")
    run(world)
    assert shown(api, payout)["status"] == "paid"
    assert len(sent(payout)) == 1


def test_pausing_all_holds_them_until_they_go_on(
    world: World, api: ApiClient, principal: Principal, owner: Client, account: NewMerchant
) -> None:
    intent = settled(world, api)
    send_form(owner, f"{LIST}pause/")
    payout = asked(principal, intent)
    run(world, 0)
    page = text_of(owner.get(page_of(payout)))
    assert "You paused all payouts." in page
    assert f"{page_of(payout)}resume/" not in page
    assert "All payouts are paused" in text_of(owner.get(LIST))
    send_form(owner, f"{page_of(payout)}resume/")
    assert "Lift the pause of all payouts first." in text_of(owner.get(page_of(payout)))
    send_form(owner, f"{LIST}resume/")
    run(world)
    assert shown(api, payout)["status"] == "paid"
    deeds = Change.objects.filter(action__startswith="payouts.").order_by("pk").values_list("action", "actor")
    actor = f"user:{account.owner.pk}"
    assert list(deeds) == [("payouts.paused", actor), ("payouts.resumed", actor)]


def test_paying_out_at_settle_is_turned_on_and_off(principal: Principal, owner: Client) -> None:
    path = f"{LIST}at-settle/"
    send_form(owner, path, at_settle="perhaps")
    assert policy_of(principal) is None
    send_form(owner, path, at_settle="on")
    policy = policy_of(principal)
    assert policy is not None
    assert policy.at_settle_since is not None
    assert "Every payment that settled since" in text_of(owner.get("/dashboard/test/settings/"))
    send_form(owner, path, at_settle="off")
    policy.refresh_from_db()
    assert policy.at_settle_since is None
    lines = Change.objects.filter(action="payouts.at_settle").order_by("pk").values_list("before", "after")
    assert list(lines) == [({"enabled": False}, {"enabled": True}), ({"enabled": True}, {"enabled": False})]


def test_the_list_is_narrowed_and_paged(world: World, api: ApiClient, owner: Client) -> None:
    made = []
    for _ in range(52):
        made.append(str(stored_payout(create(api)["id"]).pk))
        world.wait(1)
    newest_first = made[::-1]
    first = owner.get(LIST)
    assert listed(first) == newest_first[:50]
    older = re.search(r'rel="next" href="([^"]+)"', text_of(first))
    assert older is not None
    assert listed(owner.get(older[1])) == newest_first[50:]
    Payout.objects.filter(pk=newest_first[3]).update(status="paid")
    assert listed(owner.get(f"{LIST}?status=paid")) == [newest_first[3]]
    day = now().date()
    assert len(listed(owner.get(f"{LIST}?from={day}&to={day}"))) == 50
    assert listed(owner.get(f"{LIST}?to=2020-01-01")) == []


def test_an_empty_list_teaches_and_filters_that_make_no_sense_are_named(owner: Client) -> None:
    page = text_of(owner.get(LIST))
    assert "No payouts yet" in page
    assert "An agent makes one with create_payout" in page
    for query, words in (
        ("status=settled", "There is no such status."),
        ("from=soon", "The first day is no day."),
        ("to=9999-12-31", "The last day is no day."),
        ("starting_after=nonsense", "This page begins at a payout that is not yours."),
        ("starting_after=00000000-0000-4000-8000-000000000000", "This page begins at a payout that is not yours."),
        ("status=%00", "There is no such status."),
    ):
        for path in (LIST, *(() if "starting_after" in query else (f"{LIST}export/",))):
            answer = owner.get(f"{path}?{query}")
            assert (answer.status_code, words in text_of(answer)) == (400, True), query


def test_the_file_holds_what_is_asked_for(world: World, api: ApiClient, owner: Client) -> None:
    queued, paid = (stored_payout(create(api)["id"]) for _ in range(2))
    Payout.objects.filter(pk=paid.pk).update(status="paid", tx_hash="=1+1")
    answer = owner.get(f"{LIST}export/?status=paid")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert [(row["id"], row["status"], row["amount_usd"], row["tx_hash"]) for row in rows] == [
        (str(paid.pk), "paid", "25.00", "'=1+1")
    ]
    everything = b"".join(owner.get(f"{LIST}export/")).decode()
    assert str(queued.pk) in everything


def test_payouts_that_need_somebody_are_counted(
    world: World, api: ApiClient, owner: Client, account: NewMerchant, principal: Principal
) -> None:
    failed_payout(create(api)["id"])
    paused = stored_payout(create(api)["id"])
    Payout.objects.filter(pk=paused.pk).update(status="paused")
    needs = [need for need in tasks_of(look(account, principal)) if "ayout" in need.words]
    assert [(need.count, need.words, need.tone) for need in needs] == [
        (1, "Payouts failed. Replay them.", "bad"),
        (1, "Payouts are paused.", "warn"),
    ]
    for need in needs:
        assert len(listed(owner.get(need.url))) == 1


def test_payouts_are_found_by_id_and_by_hash_and_told_in_their_payments_story(
    world: World, api: ApiClient, account: NewMerchant, principal: Principal, other_account: NewMerchant
) -> None:
    payout = asked(principal, settled(world, api))
    run(world)
    payout.refresh_from_db()
    visit = look(account, principal)
    stranger = look(other_account, Principal(merchant_id=other_account.merchant.pk, mode=principal.mode, actor=""))
    for text in (str(payout.pk), payout.pk.hex, payout.tx_hash):
        hits = [hit for search in SEARCHES for hit in search(visit, text) if hit.kind == "Payout"]
        assert [(hit.title, hit.detail, hit.url) for hit in hits] == [
            ("Payout of 25.00 USDC", "Paid · Base", page_of(payout))
        ]
        assert [hit for search in SEARCHES for hit in search(stranger, text)] == []
    for text in ("", "x" * 500, "نص", str(payout.intent_id)):
        assert [hit for search in SEARCHES for hit in search(visit, text) if hit.kind == "Payout"] == []
    assert payout.intent_id is not None
    lines = list(story_of_payment(visit, payout.intent_id))
    assert {line.what for line in lines} >= {"Payout queued", "Payout on its way", "Payout paid"}
    assert {line.url for line in lines} == {page_of(payout)}


def test_every_reason_has_words_and_every_status_says_where_the_money_is() -> None:
    written = {
        word
        for module in Path("payouts/services").glob("*.py")
        for pair in re.findall(r'reason="([a-z_]+)"|^[A-Z_]+ = "([a-z_]+)"', module.read_text(), re.MULTILINE)
        for word in pair
        if word
    }
    no_reasons = {"worker", "payout", "outcome_unknown"}
    known = {*Blocker, *Failure, *HoldReason}
    assert {str(one) for one in REASONS} >= (written - no_reasons) | {str(one) for one in known}
    assert all(words.what.endswith(".") and words.next.endswith(".") for words in REASONS.values())
    for mode, rail, status in product(("test", "live"), RailName, PayoutStatus):
        words = where_words(Payout(mode=mode, rail=rail, status=status), "Base")
        assert re.fullmatch(r"The money .*\.", words), (mode, rail, status)
    assert {*STATUS} == {*PayoutStatus}
    assert {*RAILS} >= {*RailName}


def test_a_page_asks_few_questions(
    world: World, api: ApiClient, principal: Principal, owner: Client, django_assert_max_num_queries: Any
) -> None:
    payout = asked(principal, settled(world, api))
    pause_payouts(principal)
    run(world)
    for path in (LIST, page_of(payout), f"{LIST}export/"):
        with django_assert_max_num_queries(15):
            owner.get(path)


def test_what_refunds_set_free_is_paid_out(world: World, api: ApiClient, principal: Principal, owner: Client) -> None:
    intent = settled(world, api)
    one, other = refund(api, intent, 10), refund(api, intent, 5)
    payout = asked(principal, intent)
    run(world)
    page = text_of(owner.get(page_of(payout)))
    assert "Left to refunds" in page
    assert "$15.00" in page
    assert "Pay out the rest" not in page
    assert api.post(f"/refunds/{one['id']}/cancel").status == 200
    assert "This payment holds $10.00 more" in text_of(owner.get(page_of(payout)))
    assert "Pay out the other $10.00?" in text_of(owner.get(f"{page_of(payout)}rest/"))
    assert Payout.objects.count() == 1
    answer = send_form(owner, f"{page_of(payout)}rest/")
    rest = Payout.objects.exclude(pk=payout.pk).get()
    assert answer.headers["Location"] == page_of(rest)
    run(world)
    assert api.post(f"/refunds/{other['id']}/cancel").status == 200
    send_form(owner, f"{page_of(payout)}rest/")
    run(world)
    made = list(Payout.objects.order_by("created_at", "pk"))
    assert [(row.status, row.amount_usd) for row in made] == [("paid", Decimal(usd)) for usd in (10, 10, 5)]
    assert [landed.base_units for row in made for landed in sent(row)] == [10_000_000, 10_000_000, 5_000_000]
    assert "Nothing is left to pay out" in text_of(owner.get(f"{page_of(rest)}rest/"))
    send_form(owner, f"{page_of(rest)}rest/")
    assert Payout.objects.count() == 3


def test_a_refund_after_a_payout_asks_first(world: World, api: ApiClient, principal: Principal, owner: Client) -> None:
    intent = settled(world, api)
    asked(principal, intent)
    run(world)
    path = f"/dashboard/test/payments/{intent['id']}/refund/"
    page = owner.get(path)
    assert "$25.00 of this payment were paid out to you already." in text_of(page)
    assert field_value(page, "amount") == "25.00"
    form = {"key": field_value(page, "key"), "amount": "10", "reason": "", "destination": PAYEE}
    refused = send_form(owner, path, step="send", **form)
    assert "25.00 USD of this payment were paid out" in text_of(refused)
    assert not Refund.objects.exists()
    look = send_form(owner, path, step="look", from_other_funds="on", **form)
    assert 'name="from_other_funds" value="on"' in look.content.decode()
    send_form(owner, path, step="send", from_other_funds="on", **form)
    work(world)
    made = Refund.objects.get()
    assert (made.status, made.other_funds_usd) == ("paid", Decimal(10))
    assert ask(api, intent, 16, from_other_funds=True).status == 422
    assert UUID(intent["id"]) == made.intent_id
