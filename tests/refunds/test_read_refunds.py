"""GET /refunds, GET /refunds/{id} and the public status: order, pages, filters, whose they are, nothing of anybody."""

import json
from typing import Any
from uuid import uuid4

import pytest
from pytest_django import Settings

from core import rate_limits
from merchants.models import Merchant
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.payments import BOBS_EVM
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.payments.world import World
from tests.refunds.claiming import more, paid_by
from tests.refunds.stories import NOWHERE, PAYEE, public, refund, row, settled, work


def made(api: ApiClient, merchant: Merchant, count: int) -> list[dict[str, Any]]:
    intent = {"id": str(paid_intent(merchant, mode="test").pk)}
    return [refund(api, intent, 0.1, destination=PAYEE) for _ in range(count)][::-1]


def ids(body: dict[str, Any]) -> list[str]:
    return [entry["id"] for entry in body["data"]]


@pytest.mark.spec("Refunds; Limits: list refunds and payouts")
def test_newest_first_and_in_pages_of_fifty_unless_asked(world: World, api: ApiClient, merchant: Merchant) -> None:
    everything = [entry["id"] for entry in made(api, merchant, 5)]
    world.wait(1)
    everything = [entry["id"] for entry in made(api, merchant, 1)] + sorted(everything, reverse=True)
    whole = api.get("/refunds")
    assert (ids(whole.body), whole.body["has_more"], whole.body["next_cursor"]) == (everything, False, None)
    first = api.get("/refunds?limit=4")
    assert (ids(first.body), first.body["has_more"]) == (everything[:4], True)
    assert first.headers["Link"] == f'</api/public/v1/refunds?limit=4&starting_after={everything[3]}>; rel="next"'
    rest = api.get(f"/refunds?limit=4&starting_after={first.body['next_cursor']}")
    assert (ids(rest.body), rest.body["has_more"]) == (everything[4:], False)
    assert ids(api.get(f"/refunds?ending_before={everything[4]}").body) == everything[:4]
    one = Refund.objects.get(pk=everything[0])
    facts = {field.attname: getattr(one, field.attname) for field in Refund._meta.fields}
    Refund.objects.bulk_create([Refund(**facts | {"id": uuid4()}) for _ in range(200)])
    assert [len(api.get(f"/refunds{query}").body["data"]) for query in ("", "?limit=200")] == [50, 200]


@pytest.mark.spec("Refunds")
def test_of_one_intent(api: ApiClient, merchant: Merchant) -> None:
    mine = made(api, merchant, 2)
    made(api, merchant, 1)
    for form in (mine[0]["payment_intent_id"], f"pi_{mine[0]['payment_intent_id']}"):
        assert sorted(ids(api.get(f"/refunds?payment_intent_id={form}").body)) == sorted(one["id"] for one in mine)
    assert api.get(f"/refunds?payment_intent_id={NOWHERE}").body["data"] == []


@pytest.mark.spec("Contract 6.5")
def test_by_status(world: World, api: ApiClient, merchant: Merchant) -> None:
    intent = settled(world, api)
    paid = refund(api, intent, 1, destination=PAYEE)
    work(world)
    waiting, cancelled = refund(api, intent, 1), refund(api, intent, 1)
    assert api.post(f"/refunds/{cancelled['id']}/cancel").status == 200
    queued = refund(api, intent, 1, destination=PAYEE)
    for wanted, found in {
        "pending": {waiting["id"], queued["id"]},
        "paid": {paid["id"]},
        "cancelled,paid": {paid["id"], cancelled["id"]},
        "failed": set(),
    }.items():
        assert set(ids(api.get(f"/refunds?status={wanted}").body)) == found
    after = api.get(f"/refunds?status=paid&starting_after={waiting['id']}")
    assert ids(after.body) == [paid["id"]]  # a cursor need not match the filter


@pytest.mark.spec("Errors: 404")
def test_parameters_that_cannot_be_used(api: ApiClient) -> None:
    for query, parameter in (
        ("payment_intent_id=nonsense", "payment_intent_id"),
        ("payment_intent_id=", "payment_intent_id"),
        ("status=succeeded", "status"),
        ("status=", "status"),
        ("status=pending,", "status"),
        ("starting_after=nonsense", "starting_after"),
        (f"starting_after={NOWHERE}", "starting_after"),
        (f"ending_before={NOWHERE}", "ending_before"),
        (f"starting_after={NOWHERE}&ending_before={NOWHERE}", "starting_after"),
        *((f"limit={limit}", "limit") for limit in ("0", "201", "-1", "1.5", "abc", "")),
    ):
        reply = api.get(f"/refunds?{query}")
        assert_refused(reply, 400, "invalid_parameter")
        assert reply.body["details"] == {"parameter": parameter}, query
    for written in (NOWHERE, "nonsense", "re_nonsense"):
        reply = api.get(f"/refunds/{written}")
        assert_refused(reply, 404, "not_found")
        assert reply.body["details"] == {"resource": "refund"}


@pytest.mark.spec("Contract 3.11")
def test_the_paying_wallet_is_offered_while_the_refund_waits(api: ApiClient, merchant: Merchant) -> None:
    """The one that paid as much on the refund's kind of chain; nothing is assumed, so the destination stays empty."""
    intent = paid_intent(merchant, mode="test")
    paid_by(intent, BOBS_EVM)
    more(intent, 1_000_000, "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg")
    waiting = refund(api, {"id": str(intent.pk)}, 1)
    assert (waiting["suggested_destination"], waiting["destination"]) == (BOBS_EVM, "")
    sent = refund(api, {"id": str(intent.pk)}, 1, destination=PAYEE)
    shown_now = {entry["id"]: entry["suggested_destination"] for entry in api.get("/refunds").body["data"]}
    assert shown_now == {waiting["id"]: BOBS_EVM, sent["id"]: None}
    payers_now = {entry["id"]: entry["payers"] and len(entry["payers"]) for entry in api.get("/refunds").body["data"]}
    assert payers_now == {waiting["id"]: 2, sent["id"]: None}


KEYS = (
    *("id", "payment_intent_id", "amount_usd", "chain", "token", "destination_tail", "reason", "status", "tx_hash"),
    *("failure_reason", "attempts", "created_at", "updated_at", "paid_at", "terminal"),
)
"""Source: specification, Refund public status view; in its order."""


SHOP: dict[str, Any] = {"customer_email": "payer@home.example", "reference": "order 17", "metadata": {"name": "Ann"}}


def status_path(made: dict[str, Any]) -> str:
    return f"/api/public/refunds/{made['id']}/status"


@pytest.mark.spec("Contract 3.9; Refund; Refunds; Authentication 4: unauthenticated endpoints")
def test_a_paid_refund(world: World, api: ApiClient, merchant: Merchant, anonymous: ApiClient) -> None:
    made = refund(api, settled(world, api, **SHOP), 10, destination=PAYEE, reason="wrong size")
    work(world)
    before = all_rows()
    reply = anonymous.get(status_path(made))
    assert reply.status == 200
    assert tuple(reply.body) == KEYS
    same = {name: made[name] for name in ("id", "payment_intent_id", "created_at")}
    assert reply.body == {
        **{**same, "amount_usd": 10, "chain": "base", "token": "USDC", "destination_tail": "…169EE7"},
        **{"reason": "wrong size", "status": "succeeded", "tx_hash": row(made).tx_hash, "failure_reason": None},
        **{"attempts": 1, "updated_at": reply.body["paid_at"], "paid_at": reply.body["paid_at"], "terminal": True},
    }
    assert b'"amount_usd":10.00,' in reply.raw
    assert all_rows() == before
    raw = reply.raw.decode().lower()
    secrets = [merchant.name, "owner@shop.example", *(str(value) for value in SHOP.values()), PAYEE, PAYEE[:-7]]
    assert [secret for secret in (*secrets, "Ann") if secret.lower() in raw] == []


@pytest.mark.spec("Contract 3.5; Refund; States: refund")
@pytest.mark.parametrize(
    ("story", "seen"),
    [
        (("settle", None, 2), ("pending", "missing_destination", False)),
        (("settle", PAYEE, None), ("pending", None, False)),
        (("refund_unknown", PAYEE, 2), ("processing", None, False)),
        (("refund_retry", PAYEE, 2), ("retry_scheduled", "chain_unavailable", False)),
        (("settle", PAYEE, 4), ("succeeded", None, True)),
        (("refund_fail", PAYEE, 2), ("failed", "chain_rejected", True)),
    ],
    ids=["waiting", "queued", "processing", "retry scheduled", "paid", "failed"],
)
def test_its_own_words(
    story: tuple[str, str | None, int | None], seen: tuple[str, str | None, bool], world: World, api: ApiClient
) -> None:
    scenario, destination, seconds = story
    made = refund(api, settled(world, api, metadata={"simulate": scenario}), destination=destination)
    if seconds is not None:
        work(world, seconds)
    body = public(made)
    assert (body["status"], body["failure_reason"], body["terminal"]) == seen
    assert tuple(body) == KEYS


@pytest.mark.spec("Contract 0.4; Rulings A1.3; Errors: 404")
def test_an_empty_tail_exact_digits_and_unknown_links(merchant: Merchant, api: ApiClient, anonymous: ApiClient) -> None:
    made = refund(api, {"id": str(paid_intent(merchant, mode="test").pk)}, 0.000001)
    assert (public(made)["destination_tail"], public(made)["reason"]) == ("", "")
    assert json.loads(anonymous.get(status_path(made)).raw, parse_float=str)["amount_usd"] == "0.000001"
    for written in (NOWHERE, "nonsense", "%00"):
        assert_refused(anonymous.get(f"/api/public/refunds/{written}/status"), 404, "not_found")


def test_pollers_get_304_until_something_changes(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    made = refund(api, settled(world, api), destination=PAYEE)
    first = anonymous.get(status_path(made))
    assert first.headers["Cache-Control"] == "no-store"
    again = anonymous.get(status_path(made), If_None_Match=first.headers["ETag"])
    assert (again.status, again.raw, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert again.headers["Cache-Control"] == "no-store"
    work(world)
    later = anonymous.get(status_path(made), If_None_Match=first.headers["ETag"])
    assert (later.status, later.body["status"]) == (200, "succeeded")


@pytest.mark.spec("Contract 3.9; Limits: rate limits (not shown)")
def test_counted_per_address(settings: Settings, world: World, api: ApiClient, anonymous: ApiClient) -> None:
    made = refund(api, settled(world, api))
    settings.RATE_LIMIT_SCALE = 1
    rate_limits.forget()
    first = anonymous.get(status_path(made))
    assert (first.status, first.headers["RateLimit-Limit"]) == (200, "120")
    assert {anonymous.get(status_path(made)).status for _ in range(119)} == {200}
    refused = anonymous.get(status_path(made))
    assert_refused(refused, 429, "rate_limited")
    details = {name: refused.body["details"][name] for name in ("limit", "window_seconds", "scope")}
    assert details == {"limit": 120, "window_seconds": 60, "scope": "refund_status"}
    assert anonymous.get(f"/checkout/{made['payment_intent_id']}").status == 200
