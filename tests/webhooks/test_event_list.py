"""Events by REST: in one order, page by page, whoever asks; what a cursor means, and who sees what."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from core.bulk import insert_together
from core.clock import now
from core.modes import Mode
from merchants.key_terms import KeyTerms
from merchants.principal import Principal
from merchants.scopes import KeyScope
from merchants.services import NewMerchant, create_restricted_key
from merchants.services.keys import newest_key_id
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.webhooks.actors import draft, happen, subscribe
from webhooks import services
from webhooks.delivery.fan_out import fan_out
from webhooks.event_pages import MOST_LOOKED_AT, cursor_at
from webhooks.events import sample_body
from webhooks.models import Delivery, Event, EventOrder
from webhooks.order import SETTLED, current, microseconds
from webhooks.services.upkeep import place_events

PATH = "/events"
CREATED = "payment_intent.created"
MONTH = timedelta(days=30)


def ids(reply: Reply) -> list[str]:
    assert reply.status == 200, reply.raw
    return [event["id"] for event in reply.body["data"]]


def placed(principal: Principal, *types: str) -> list[Event]:
    """Let these happen one after the other, and give them their places."""
    events = []
    for name in types:
        events.append(happen(principal, name))
        fan_out()
    return events


def read_on(api: ApiClient, cursor: str | None = None, **query: Any) -> tuple[list[str], str]:
    """Every event from a cursor on, page by page, and the cursor at the end."""
    seen: list[str] = []
    for _ in range(200):
        asked = {**query, **({"after": cursor} if cursor else {})}
        reply = api.get(f"{PATH}?{'&'.join(f'{name}={value}' for name, value in asked.items())}")
        seen += ids(reply)
        cursor = reply.body["cursor"]
        assert reply.body["next_cursor"] == (cursor if reply.body["has_more"] else None)
        if not reply.body["has_more"]:
            return seen, str(cursor)
    raise AssertionError("a list without an end")


def test_events_come_oldest_first_exactly_as_they_are_sent(api: ApiClient, principal: Principal) -> None:
    first, second = placed(principal, "payment_intent.settled", "refund.paid")
    reply = api.get(PATH)
    assert set(reply.body) == {"data", "has_more", "next_cursor", "cursor", "cursors"}
    assert reply.raw.startswith(f'{{"data":[{first.payload},{second.payload}],"has_more":false'.encode())
    assert reply.body["next_cursor"] is None
    one = api.get(f"{PATH}/{first.id}")
    assert (one.status, one.raw) == (200, first.payload.encode())


def test_pages_join_without_gap_or_repeat_and_a_cursor_stays_good(api: ApiClient, principal: Principal) -> None:
    wanted = [event.id for event in placed(principal, *["payment_intent.created"] * 7)]
    seen, cursor = read_on(api, limit=3)
    assert seen == wanted
    assert read_on(api, cursor) == ([], cursor)
    later = [event.id for event in placed(principal, "refund.created", "refund.paid")]
    assert read_on(api, cursor, limit=1)[0] == later
    assert read_on(api)[0] == wanted + later


@pytest.mark.parametrize("asked", [{}, {"type": "payment_intent.*"}], ids=["all", "of a type"])
def test_each_event_has_a_cursor_that_goes_on_behind_it(
    api: ApiClient, principal: Principal, asked: dict[str, str]
) -> None:
    wanted = [event.id for event in placed(principal, *["payment_intent.created"] * 5)]
    reply = api.get(f"{PATH}?limit=4{''.join(f'&{name}={value}' for name, value in asked.items())}")
    assert len(reply.body["cursors"]) == 4
    assert reply.body["cursors"][-1] == reply.body["cursor"]
    for place, cursor in enumerate(reply.body["cursors"], start=1):
        assert read_on(api, cursor, **asked)[0] == wanted[place:]


def test_now_begins_with_what_is_still_to_come(api: ApiClient, principal: Principal) -> None:
    placed(principal, "refund.created")
    reply = api.get(f"{PATH}?after=now")
    assert ids(reply) == []
    [later] = placed(principal, "refund.paid")
    assert read_on(api, reply.body["cursor"])[0] == [later.id]


def test_what_has_no_place_yet_is_not_listed_but_found(api: ApiClient, principal: Principal) -> None:
    event = happen(principal)
    reply = api.get(PATH)
    assert ids(reply) == []
    assert api.get(f"{PATH}/{event.id}").status == 200
    fan_out()
    assert ids(api.get(f"{PATH}?after={reply.body['cursor']}")) == [event.id]


def test_what_was_sent_to_one_endpoint_alone_is_in_no_list(api: ApiClient, principal: Principal) -> None:
    made = subscribe(principal, "https://hooks.shop.example/")
    event_id = services.send_test_event(principal, made.id).event_id
    fan_out()
    place_events()
    assert ids(api.get(PATH)) == []
    assert api.get(f"{PATH}/{event_id}").status == 200


def test_a_clock_that_is_set_back_gives_no_place_before_what_was_seen(api: ApiClient, principal: Principal) -> None:
    ahead = microseconds(now()) + 3_600_000_000
    placed(principal, "refund.created")
    EventOrder.objects.update(last=ahead)
    cursor = api.get(PATH).body["cursor"]
    assert cursor == cursor_at(ahead)
    [later] = placed(principal, "refund.paid")
    assert read_on(api, cursor)[0] == [later.id]


def test_a_database_of_before_gives_no_place_that_was_seen(api: ApiClient, principal: Principal) -> None:
    """Restored to before the second event, of which somebody has the cursor; another happens, then it again."""
    first, lost = placed(principal, "refund.created", "refund.paid")
    cursor = api.get(PATH).body["cursor"]
    Event.objects.filter(pk=lost.pk).delete()
    EventOrder.objects.update(last=Event.objects.get(pk=first.pk).position)
    again = placed(principal, "payout.paid", "refund.paid")
    assert read_on(api, cursor)[0] == [event.id for event in again]


def in_one_batch(principal: Principal, *steps: tuple[uuid.UUID, int, timedelta]) -> list[Event]:
    made = []
    for resource_id, sequence, late in steps:
        event = draft(principal, CREATED, sample_body(CREATED, resource_id), resource_id, sequence)
        event.occurred_at -= late
        made.append(event)
    with transaction.atomic():
        insert_together(made)
    return made


def test_steps_of_a_resource_stand_in_their_order_whatever_their_clocks_said(
    api: ApiClient, principal: Principal
) -> None:
    one, other, second = uuid.uuid4(), uuid.uuid4(), timedelta(seconds=1)
    made = in_one_batch(principal, (one, 2, 3 * second), (other, 1, 2 * second), (one, 1, second), (one, 3, 0 * second))
    fan_out()
    by_step = {(event.resource_id, event.sequence): event.id for event in made}
    assert read_on(api)[0] == [by_step[step] for step in ((one, 1), (other, 1), (one, 2), (one, 3))]


def test_steps_stand_in_their_order_across_batches(
    api: ApiClient, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webhooks.delivery.fan_out.EVENTS_AT_ONCE", 1)
    one, second = uuid.uuid4(), timedelta(seconds=1)
    made = in_one_batch(principal, (one, 2, 3 * second), (uuid.uuid4(), 1, 2 * second), (one, 1, second))
    while fan_out():
        pass
    seen = read_on(api)[0]
    assert set(seen) == {event.id for event in made}
    assert seen.index(made[2].id) < seen.index(made[0].id)


def test_events_are_filtered_by_type_and_resource(api: ApiClient, principal: Principal) -> None:
    settled, created, paid = placed(principal, "payment_intent.settled", "payment_intent.created", "refund.paid")
    assert read_on(api, type="payment_intent.*")[0] == [settled.id, created.id]
    assert read_on(api, type="refund.paid,payment_intent.settled", limit=1)[0] == [settled.id, paid.id]
    assert read_on(api, type="*", resource_id=created.resource_id)[0] == [created.id]
    assert read_on(api, resource_id=paid.resource_id)[0] == [paid.id]
    assert read_on(api, type="payout.*")[0] == []


def test_a_page_of_a_type_looks_at_so_many_and_the_list_goes_on(
    api: ApiClient, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webhooks.event_pages.MOST_LOOKED_AT", 4)
    assert MOST_LOOKED_AT == 1000
    made = placed(principal, *["payment_intent.created"] * 9, "refund.paid", "refund.created")
    reply = api.get(f"{PATH}?type=refund.*")
    assert (ids(reply), reply.body["has_more"]) == ([], True)
    assert read_on(api, type="refund.*")[0] == [event.id for event in made[9:]]
    assert read_on(api, type="payment_intent.*", limit=4)[0] == [event.id for event in made[:9]]


@pytest.mark.parametrize(
    "query",
    [
        *("after=", "after=5", "after=cur_", "after=cur_00000000000000zz", "after=cur_7fffffffffffffff", "after=Now"),
        *("limit=0", "limit=101", "type=", "type=payment_intent", "type=refund.paid,nothing", "resource_id=7"),
        *("starting_after=" + "0" * 8, "ending_before=x", "cursor=x"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(api: ApiClient, query: str) -> None:
    reply = api.get(f"{PATH}?{query}")
    assert_refused(reply, 400, "invalid_parameter")
    assert reply.body["details"] == {"parameter": query.partition("=")[0]}


def test_a_cursor_from_before_what_is_kept_is_refused_unless_nothing_came_since(
    api: ApiClient, principal: Principal
) -> None:
    placed(principal, "refund.created")
    old = cursor_at(microseconds(now() - MONTH))
    assert_refused(api.get(f"{PATH}?after={old}"), 410, "cursor_expired")
    EventOrder.objects.update(last=int(old.removeprefix("cur_"), 16))
    assert api.get(f"{PATH}?after={old}").status == 200


def test_purged_events_are_gone_and_the_cursor_goes_on(api: ApiClient, principal: Principal) -> None:
    first, second = placed(principal, "refund.created", "refund.paid")
    page = api.get(f"{PATH}?limit=1")
    Event.objects.filter(pk=first.pk).update(occurred_at=now() - 2 * MONTH, kept_until=now() - MONTH)
    services.purge_old_events()
    assert read_on(api)[0] == [second.id]
    assert read_on(api, page.body["cursor"])[0] == [second.id]
    assert_refused(api.get(f"{PATH}/{first.id}"), 404, "not_found")


def test_nobody_sees_what_is_of_another_merchant_or_mode(
    api: ApiClient, live_api: ApiClient, other_api: ApiClient, principal: Principal
) -> None:
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:live")
    mine, of_live = placed(principal, "refund.paid"), placed(live, "refund.paid")
    assert read_on(api)[0] == [mine[0].id]
    assert read_on(live_api)[0] == [of_live[0].id]
    assert read_on(other_api)[0] == []
    assert read_on(other_api, resource_id=mine[0].resource_id)[0] == []
    for stranger in (live_api, other_api):
        assert_refused(stranger.get(f"{PATH}/{mine[0].id}"), 404, "not_found")
    for text in ("evt_", "evt_" + "0" * 32, "%00", "x" * 500):
        assert_refused(api.get(f"{PATH}/{text}"), 404, "not_found")


def restricted_key(account: NewMerchant, scope: KeyScope) -> str:
    owner = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{account.owner.pk}")
    terms = KeyTerms(name="Made for a test", scopes=(scope,))
    return create_restricted_key(owner, terms, shown_key_id=newest_key_id(owner)).secret


def test_a_restricted_key_needs_its_scope_and_sees_no_addresses_of_endpoints(
    account: NewMerchant, principal: Principal
) -> None:
    paid, disabled = placed(principal, "refund.paid", "webhook_endpoint.disabled")
    reads = ApiClient(restricted_key(account, KeyScope.READ_INTENTS))
    assert read_on(reads)[0] == [paid.id]
    assert read_on(reads, type="*")[0] == [paid.id]
    assert reads.get(f"{PATH}/{paid.id}").status == 200
    assert_refused(reads.get(f"{PATH}/{disabled.id}"), 404, "not_found")
    writes = ApiClient(restricted_key(account, KeyScope.WRITE_REFUNDS))
    for path in (PATH, f"{PATH}/{paid.id}"):
        assert_refused(writes.get(path), 403, "insufficient_scope")


def unplace(*events: Event) -> None:
    """As a program of before left them."""
    Event.objects.filter(pk__in=[event.pk for event in events]).update(position=None)


def test_what_was_fanned_out_before_the_order_began_lies_before_it(api: ApiClient, principal: Principal) -> None:
    old = placed(principal, "refund.created", "refund.processing", "refund.paid")
    unplace(*old)
    EventOrder.objects.all().delete()
    [new] = placed(principal, "payout.paid")
    began = microseconds(now())
    EventOrder.objects.update(began=began)
    Event.objects.filter(pk=new.pk).update(position=began + 1)
    EventOrder.objects.update(last=began + 1)
    assert read_on(api)[0] == [new.id], "nothing is shown that would come behind what was read"
    assert place_events() == 3
    assert read_on(api)[0] == [new.id]
    EventOrder.objects.update(began=began - microseconds(now()) + microseconds(now() - SETTLED))
    Event.objects.filter(pk__in=[event.pk for event in old]).update(position=None)
    Event.objects.filter(pk__in=[event.pk for event in old]).update(occurred_at=now() - 2 * SETTLED)
    EventOrder.objects.update(past=0)
    assert (place_events(), place_events()) == (3, 0)
    assert current().is_whole
    assert read_on(api)[0] == [*(event.id for event in sorted(old, key=lambda one: one.id)), new.id]


def test_what_a_worker_of_before_fanned_out_meanwhile_comes_last_and_is_not_lost(
    api: ApiClient, principal: Principal
) -> None:
    current()
    left, seen = placed(principal, "refund.created", "refund.paid")
    unplace(left)
    cursor = api.get(PATH).body["cursor"]
    assert place_events() == 1
    assert read_on(api, cursor)[0] == [left.id]
    assert read_on(api)[0] == [seen.id, left.id]
    assert Delivery.objects.count() == 0
