"""What happens by the clock: switching off, purging, mails."""

from collections.abc import Callable
from datetime import timedelta

import orjson
import pytest
from django.core import mail

from core.clock import now
from core.modes import Mode
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks import services
from webhooks.delivery import drain
from webhooks.models import Delivery, DeliveryAttempt, Event, Subscription, WebhookEndpoint

DAY = 86_400


def pass_time(principal: Principal, seconds: int) -> None:
    services.shift_due(principal.merchant_id, principal.mode, seconds)


@pytest.mark.spec("Contract 11.9")
def test_five_days_of_nothing_but_failure_switch_an_endpoint_off(
    principal: Principal, subscriber: Subscriber, receiver: Receiver, receivers: Callable[[], Receiver]
) -> None:
    other = receivers()
    subscribe(principal, other.url, "webhook_endpoint.disabled")
    receiver.script = answer(500)
    happen(principal)
    drain()
    pass_time(principal, 5 * DAY - 60)
    assert services.disable_failing_endpoints() == 0
    pass_time(principal, 60)
    assert services.disable_failing_endpoints() == 1
    off = subscriber.fresh()
    assert (off.enabled, off.disabled_reason) == (False, "failing")
    assert subscriber.delivery().outcome == "cancelled"
    assert not Subscription.objects.filter(endpoint=off, valid_to=None).exists()
    drain()
    told = orjson.loads(other.received[0].body)
    assert (told["type"], told["data"]["id"], told["data"]["reason"]) == (
        "webhook_endpoint.disabled",
        subscriber.id,
        "failing",
    )
    assert services.disable_failing_endpoints() == 0


def test_a_success_or_enabling_again_starts_the_five_days_anew(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    drain()
    pass_time(principal, 4 * DAY)
    receiver.script = answer(200)
    drain()
    receiver.script = answer(500)
    happen(principal)
    drain()
    pass_time(principal, 4 * DAY)
    assert services.disable_failing_endpoints() == 0
    assert subscriber.fresh().enabled
    pass_time(principal, DAY)
    assert services.disable_failing_endpoints() == 1
    path = f"/webhook-endpoints/{subscriber.id}"
    assert api.get(path).body["disabled_reason"] == "failing"
    api.send("PATCH", path, {"enabled": True})
    assert subscriber.fresh().failing_since is None
    assert services.disable_failing_endpoints() == 0


@pytest.mark.spec("Contract 12.4")
def test_events_are_purged_after_thirty_days_with_all_that_hangs_on_them(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    """Not before what is on its way again is done, and not in live mode, where no time was moved."""
    live = happen(Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:live"))
    happen(principal)
    drain()
    pass_time(principal, 30 * DAY - 60)
    young = happen(principal)
    drain()
    assert services.purge_old_events() == 0
    pass_time(principal, 60)
    assert services.purge_old_events() == 1
    assert set(Event.objects.values_list("pk", flat=True)) == {young.pk, live.pk}
    assert list(Delivery.objects.values_list("event_id", flat=True)) == [young.pk]
    assert DeliveryAttempt.objects.count() == 1
    pass_time(principal, 30 * DAY)
    assert api.post(f"/webhook-endpoints/{subscriber.id}/deliveries/{subscriber.delivery().pk}/resend").status == 200
    assert services.purge_old_events() == 0
    drain()
    assert services.purge_old_events() == 1
    assert len(receiver.received) == 3


def test_events_in_use_do_not_end_a_purge(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    """The first batch is a row short, since one of its events is being sent again."""
    for _ in range(5):
        happen(principal)
    drain()
    pass_time(principal, 30 * DAY)
    oldest = Delivery.objects.order_by("event__kept_until", "event_id", "pk")[0]
    assert api.post(f"/webhook-endpoints/{subscriber.id}/deliveries/{oldest.pk}/resend").status == 200
    assert services.purge_old_events(at_once=2) == 4
    assert list(Event.objects.values_list("pk", flat=True)) == [oldest.event_id]


def test_a_purge_that_runs_out_of_time_has_taken_the_oldest_whoever_they_are(
    principal: Principal, other_account: NewMerchant
) -> None:
    """A merchant with much to forget stands first in no line."""
    busy, quiet = principal, Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="key:other")
    events = [happen(busy), happen(quiet), *(happen(busy) for _ in range(5))]
    for days, event in zip((34, 33, 32, 32, 32, 32, 32), events, strict=True):
        Event.objects.filter(pk=event.pk).update(kept_until=now() - timedelta(days=days))
    turns = iter((False, True))
    assert services.purge_old_events(lambda: next(turns), at_once=2) == 2
    assert not Event.objects.filter(pk__in=[events[0].pk, events[1].pk]).exists()
    assert services.purge_old_events() == 5


def test_the_shell_of_a_deleted_endpoint_goes_when_nothing_refers_to_it(
    api: ApiClient, principal: Principal, subscriber: Subscriber
) -> None:
    happen(principal)
    drain()
    api.send("DELETE", f"/webhook-endpoints/{subscriber.id}")
    WebhookEndpoint.objects.update(deleted_at=now() - timedelta(days=31))
    services.purge_old_events()
    assert WebhookEndpoint.objects.count() == 1
    pass_time(principal, 31 * DAY)
    services.purge_old_events()
    assert WebhookEndpoint.objects.count() == 0


@pytest.mark.spec("Contract 10.6; Contract 11.9")
def test_the_team_is_told_at_three_failures_after_a_day_and_at_the_end(principal: Principal) -> None:
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:live")
    endpoint = subscribe(live, "https://hooks.shop.example/causeway").endpoint
    happen(live)
    drain()
    assert services.tell_teams() == 0
    for _ in range(2):
        pass_time(live, 200)
        drain()
    assert [services.tell_teams(), services.tell_teams()] == [1, 0]
    pass_time(live, DAY)
    assert services.tell_teams() == 1
    pass_time(live, 4 * DAY)
    services.disable_failing_endpoints()
    assert [services.tell_teams(), services.tell_teams()] == [1, 0]
    assert [message.to for message in mail.outbox] == [["owner@shop.example"]] * 3
    for words, message in zip(("about a day", "failed for a day", "disabled"), mail.outbox, strict=True):
        assert words in message.body
    assert endpoint.url in mail.outbox[2].body


def test_in_test_mode_only_the_end_is_told_and_what_the_merchant_switched_off_is_no_news(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    api.send("PATCH", f"/webhook-endpoints/{subscriber.id}", {"enabled": False})
    assert (services.tell_teams(), mail.outbox, Event.objects.exists()) == (0, [], False)
    api.send("PATCH", f"/webhook-endpoints/{subscriber.id}", {"enabled": True})
    receiver.script = answer(410)
    happen(principal)
    drain()
    assert services.tell_teams() == 1
    assert len(mail.outbox) == 1
