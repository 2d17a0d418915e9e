"""GET /refunds and GET /refunds/{id}: order, pages, filters, and whose they are."""

from typing import Any
from uuid import uuid4

import pytest

from merchants.models import Merchant
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.payments import BOBS_EVM
from tests.factories.refunds import paid_intent
from tests.payments.world import World
from tests.refunds.claiming import more, paid_by
from tests.refunds.stories import NOWHERE, PAYEE, refund, settled, shown, work


def made(api: ApiClient, merchant: Merchant, count: int) -> list[dict[str, Any]]:
    """So many refunds of one intent, newest first."""
    intent = {"id": str(paid_intent(merchant, mode="test").pk)}
    return [refund(api, intent, 0.1, destination=PAYEE) for _ in range(count)][::-1]


def ids(body: dict[str, Any]) -> list[str]:
    """The ids of a list answer, in order."""
    return [entry["id"] for entry in body["data"]]


@pytest.mark.spec("Refunds")
def test_newest_first_and_in_pages(world: World, api: ApiClient, merchant: Merchant) -> None:
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


@pytest.mark.spec("Limits: list refunds and payouts")
def test_fifty_by_default_and_two_hundred_at_most(api: ApiClient, merchant: Merchant) -> None:
    original = Refund.objects.get(pk=made(api, merchant, 1)[0]["id"])
    copies = []
    for _ in range(200):
        original.pk, original._state.adding = uuid4(), True
        copies.append(Refund(**{field.attname: getattr(original, field.attname) for field in Refund._meta.fields}))
    Refund.objects.bulk_create(copies)
    assert len(api.get("/refunds").body["data"]) == 50
    assert len(api.get("/refunds?limit=200").body["data"]) == 200
    for limit in ("0", "201", "-1", "1.5", "abc", ""):
        reply = api.get(f"/refunds?limit={limit}")
        assert_refused(reply, 400, "invalid_parameter")
        assert reply.body["details"] == {"parameter": "limit"}


@pytest.mark.spec("Refunds")
@pytest.mark.parametrize("form", ["{}", "pi_{}"])
def test_of_one_intent(form: str, api: ApiClient, merchant: Merchant) -> None:
    mine = made(api, merchant, 2)
    made(api, merchant, 1)
    query = form.format(mine[0]["payment_intent_id"])
    assert sorted(ids(api.get(f"/refunds?payment_intent_id={query}").body)) == sorted(one["id"] for one in mine)
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


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("payment_intent_id=nonsense", "payment_intent_id"),
        ("payment_intent_id=", "payment_intent_id"),
        ("status=succeeded", "status"),
        ("status=", "status"),
        ("status=pending,", "status"),
        ("starting_after=nonsense", "starting_after"),
        (f"starting_after={NOWHERE}", "starting_after"),
        (f"ending_before={NOWHERE}", "ending_before"),
        (f"starting_after={NOWHERE}&ending_before={NOWHERE}", "starting_after"),
    ],
)
def test_parameters_that_cannot_be_used(query: str, parameter: str, api: ApiClient) -> None:
    reply = api.get(f"/refunds?{query}")
    assert_refused(reply, 400, "invalid_parameter")
    assert reply.body["details"] == {"parameter": parameter}


@pytest.mark.spec("Authentication 3: a key only sees its own mode")
def test_nobody_else_sees_them(api: ApiClient, other_api: ApiClient, live_api: ApiClient, merchant: Merchant) -> None:
    [mine] = made(api, merchant, 1)
    assert shown(api, mine) == mine
    for stranger in (other_api, live_api):
        assert stranger.get("/refunds").body["data"] == []
        assert_refused(stranger.get(f"/refunds/{mine['id']}"), 404, "not_found")
        assert_refused(stranger.get(f"/refunds?starting_after={mine['id']}"), 400, "invalid_parameter")


@pytest.mark.spec("Errors: 404")
@pytest.mark.parametrize("written", [NOWHERE, "nonsense", "re_nonsense"])
def test_unknown_refunds(written: str, api: ApiClient) -> None:
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
