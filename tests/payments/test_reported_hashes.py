"""What is reported of a payment's transaction is a row: looked for beside the others, ended by a verdict, bounded.

Source: docs/adr/0066.
"""

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from core.clock import now
from merchants.models import Merchant, Role
from payments.models import Hint, Leg
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.merchants.people import add_member, sign_in, text_of
from tests.payments.payer import Payer
from tests.payments.test_hints import RANDOM, signing
from tests.payments.world import World, create, read


def crossing(world: World, api: ApiClient) -> tuple[dict[str, Any], Payer, dict[str, Any], str]:
    """A payment over a bridge that the wallet has sent. Nothing but its hash tells of it until it arrives."""
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.start(world, "ethereum", "USDC")
    return intent, payer, attempt, payer.sign(attempt, 1)


def tell(payer: Payer, attempt: dict[str, Any], tx_hash: str) -> Any:
    return payer.send("POST", "/submitted", {"attempt_id": attempt["id"], "leg_sequence": 1, "tx_hash": tx_hash})


def verdicts() -> dict[str, str]:
    return dict(Hint.objects.order_by("pk").values_list("tx_hash", "verdict"))


@pytest.mark.parametrize("wrong", ["unseen", "foreign"])
@pytest.mark.parametrize("order", ["alone", "before", "after"])
def test_a_wrong_hash_does_not_delay_the_right_one(world: World, api: ApiClient, order: str, wrong: str) -> None:
    _, other, theirs, foreign = crossing(world, api)
    intent, payer, attempt, right = crossing(world, api)
    told = RANDOM[0] if wrong == "unseen" else foreign
    world.wait(1)
    for tx_hash in {"alone": [right], "before": [told, right], "after": [right, told]}[order]:
        payer.report(attempt, 1, tx_hash)
    world.run(0)
    leg = Leg.objects.get(intent_id=intent["id"])
    assert (read(api, intent)["status"], leg.status, leg.tx_hash) == ("executing", "confirming", right)
    world.run(8)
    leg = Leg.objects.get(intent_id=intent["id"])
    assert (read(api, intent)["status"], leg.tx_hash, verdicts()[right]) == ("settled", right, "found")


def test_a_hash_that_leads_nowhere_is_followed_by_the_next(world: World, api: ApiClient) -> None:
    _, payer, attempt = signing(world, api, expires_in_seconds=7200)
    payer.report(attempt, 1, RANDOM[0])
    world.wait(300)
    payer.report(attempt, 1, RANDOM[1])
    world.run(0)
    assert (Leg.objects.get().tx_hash, verdicts()) == (RANDOM[0], {RANDOM[0]: "", RANDOM[1]: ""})
    world.wait(301)
    world.run(0)
    assert (Leg.objects.get().tx_hash, verdicts()) == (RANDOM[1], {RANDOM[0]: "lost", RANDOM[1]: ""})
    world.wait(300)
    world.run(0)
    assert (Leg.objects.get().tx_hash, Leg.objects.get().submitted_at) == ("", None)
    assert verdicts() == {RANDOM[0]: "lost", RANDOM[1]: "lost"}


def test_a_foreign_hash_ends_at_once_and_the_next_is_taken_up(world: World, api: ApiClient) -> None:
    _, _, _, foreign = crossing(world, api)
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.start(world, "ethereum", "USDC")
    for tx_hash in (foreign, RANDOM[0]):
        payer.report(attempt, 1, tx_hash)
    world.wait(1)
    world.run(0)
    assert (Leg.objects.get(intent_id=intent["id"]).tx_hash, Leg.objects.get(intent_id=intent["id"]).error) == (
        RANDOM[0], ""
    )  # fmt: skip
    assert verdicts() == {foreign: "foreign", RANDOM[0]: ""}
    payer.report(attempt, 1, foreign)
    assert verdicts() == {foreign: "foreign", RANDOM[0]: ""}


def test_what_was_lost_is_looked_for_again_when_it_is_reported_again(world: World, api: ApiClient) -> None:
    _, payer, attempt = signing(world, api, expires_in_seconds=7200)
    payer.report(attempt, 1, RANDOM[0])
    world.wait(601)
    world.run(0)
    assert verdicts() == {RANDOM[0]: "lost"}
    payer.report(attempt, 1, RANDOM[0])
    [hint] = Hint.objects.all()
    assert (hint.verdict, hint.reported_at, hint.checked_at) == ("", now(), None)
    assert Leg.objects.get().tx_hash == RANDOM[0]


def test_a_failed_transaction_ends_its_hint(world: World, api: ApiClient) -> None:
    _, payer, attempt = signing(world, api)
    failing = payer.sign(attempt, 1, "fail_execution")
    payer.report(attempt, 1, failing)
    world.run(6)
    assert (Leg.objects.get().error, verdicts()) == ("reverted", {failing: "reverted"})
    payer.report(attempt, 1, failing)
    assert verdicts() == {failing: "reverted"}


def test_who_reported_it_is_kept(world: World, api: ApiClient) -> None:
    intent, payer, attempt = signing(world, api)
    payer.report(attempt, 1, RANDOM[0])
    owner = Payer.of(intent, browser="a" * 43)
    own = owner.start(world)
    sequence = own["transactions"][0]["leg_sequence"]
    owner.report(own, sequence, RANDOM[1])
    paid = create(api)
    api.post(f"/test-helpers/payment-intents/{paid['id']}/pay", {})
    world.run(6)
    assert list(Hint.objects.order_by("pk").values_list("by", flat=True)) == ["link", "browser", "simulated_payer"]


def test_the_same_hash_again_changes_nothing_and_is_free(world: World, api: ApiClient, settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 1
    _, payer, attempt = signing(world, api)
    payer.report(attempt, 1, RANDOM[0])
    before = list(Hint.objects.values()), list(Leg.objects.values())
    for _ in range(8):
        assert tell(payer, attempt, RANDOM[0].upper().replace("X", "x", 1)).status == 202
    assert (list(Hint.objects.values()), list(Leg.objects.values())) == before


def test_one_caller_reports_five_a_minute(world: World, api: ApiClient, settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 1
    _, payer, attempt = signing(world, api)
    for tx_hash in RANDOM[:5]:
        assert tell(payer, attempt, tx_hash).status == 202
    before = all_rows()
    reply = tell(payer, attempt, RANDOM[5])
    assert_refused(reply, 429, "rate_limited")
    assert (reply.headers["Retry-After"], reply.body["details"]["scope"], all_rows() == before) == (
        "12",
        "reports",
        True,
    )
    assert tell(payer, attempt, RANDOM[0]).status == 202
    world.wait(12)
    assert tell(payer, attempt, RANDOM[5]).status == 202


def test_a_leg_has_twenty_hints_and_one_more_takes_the_place_of_one_that_ended(world: World, api: ApiClient) -> None:
    _, payer, attempt = signing(world, api, expires_in_seconds=7200)
    many = [f"0x{number:064x}" for number in range(1, 23)]
    for tx_hash in many[:20]:
        payer.report(attempt, 1, tx_hash)
    world.wait(60)
    before = all_rows()
    reply = tell(payer, attempt, many[20])
    assert_refused(reply, 429, "too_many_hints")
    assert (reply.headers["Retry-After"], reply.body["details"]["most"], all_rows() == before) == ("540", 20, True)
    world.wait(541)
    world.run(0)
    world.wait(1)
    payer.renew()
    assert tell(payer, attempt, many[20]).status == 202
    assert (Hint.objects.count(), Hint.objects.filter(tx_hash=many[20], verdict="").count()) == (20, 1)


def test_a_right_hash_is_found_among_as_many_wrong_ones_as_there_may_be(world: World, api: ApiClient) -> None:
    intent, payer, attempt, right = crossing(world, api)
    for number in range(1, 10):
        payer.report(attempt, 1, f"0x{number:064x}")
    payer.report(attempt, 1, right)
    for number in range(10, 20):
        payer.report(attempt, 1, f"0x{number:064x}")
    world.run(8)
    assert (read(api, intent)["status"], Leg.objects.get().tx_hash, Hint.objects.count()) == ("settled", right, 20)


def test_the_merchant_sees_what_was_reported_and_the_payers_page_does_not(
    world: World, api: ApiClient, merchant: Merchant
) -> None:
    intent, payer, attempt, right = crossing(world, api)
    payer.report(attempt, 1, RANDOM[0])
    payer.report(attempt, 1, right)
    world.run(8)
    [leg] = api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert [(one["tx_hash"], one["by"], one["verdict"]) for one in leg["hints"]] == [
        (RANDOM[0], "link", None), (right, "link", "found")
    ]  # fmt: skip
    assert {tuple(one) for one in leg["hints"]} == {("tx_hash", "by", "reported_at", "verdict", "checked_at")}
    state = payer.state()
    assert ("hints" in str(state), RANDOM[0] in str(state)) == (False, False)
    public = Client().get(f"/checkout/{intent['id']}").content.decode()
    assert RANDOM[0] not in public
    add_member(merchant, "viewer@shop.example", Role.VIEWER)
    page = text_of(sign_in("viewer@shop.example").get(f"/dashboard/test/payments/{intent['id']}/"))
    assert "A hash reported for transaction 1 was not looked for yet" in page
    assert "Reported by somebody with the payment&#x27;s link" in page


def test_the_test_clock_moves_what_was_reported(world: World, api: ApiClient) -> None:
    _, payer, attempt = signing(world, api, expires_in_seconds=7200)
    payer.report(attempt, 1, RANDOM[0])
    world.wait(1)
    assert api.post("/test-helpers/clock/advance", {"seconds": 600}).status == 200
    [hint] = Hint.objects.all()
    assert hint.reported_at == now() - timedelta(seconds=601)
    world.run(0)
    assert verdicts() == {RANDOM[0]: "lost"}


@pytest.mark.parametrize("is_seen", [False, True], ids=["not seen yet", "on its way"])
def test_what_was_reported_before_there_were_rows_is_one_and_goes_on(
    world: World, api: ApiClient, is_seen: bool
) -> None:
    intent, payer, attempt, right = crossing(world, api)
    payer.report(attempt, 1, right)
    if is_seen:
        world.run(0)
    reported_at = Leg.objects.get().submitted_at
    Hint.objects.all().delete()
    migration = import_module("payments.migrations.0012_hints")
    migration.keep_reports(apps, SimpleNamespace(connection=connection))
    [hint] = Hint.objects.all()
    assert (hint.tx_hash, hint.verdict, hint.reported_at) == (right, "found" if is_seen else "", reported_at)
    assert (hint.leg.tx_hash, hint.by) == (right, "link")
    world.run(8)
    assert (read(api, intent)["status"], verdicts()) == ("settled", {right: "found"})
