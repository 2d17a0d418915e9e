"""What happens by the clock: switching off, purging, mails."""

from collections.abc import Callable
from datetime import timedelta

import orjson
import pytest
from django.core import mail

from core.clock import now
from core.modes import Mode
from merchants.principal import Principal
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


def test_a_single_success_starts_the_five_days_anew(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
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


def test_enabling_again_forgets_the_failures(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    drain()
    pass_time(principal, 5 * DAY)
    services.disable_failing_endpoints()
    assert api.get(f"/webhook-endpoints/{subscriber.id}").body["disabled_reason"] == "failing"
    api.send("PATCH", f"/webhook-endpoints/{subscriber.id}", {"enabled": True})
    assert subscriber.fresh().failing_since is None
    assert services.disable_failing_endpoints() == 0


@pytest.mark.spec("Contract 12.4")
def test_events_are_purged_after_thirty_days_with_all_that_hangs_on_them(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    old = happen(principal)
    drain()
    pass_time(principal, 30 * DAY - 60)
    young = happen(principal)
    drain()
    assert services.purge_old_events() == 0
    pass_time(principal, 60)
    assert services.purge_old_events() == 1
    assert list(Event.objects.values_list("pk", flat=True)) == [young.pk]
    assert list(Delivery.objects.values_list("event_id", flat=True)) == [young.pk]
    assert DeliveryAttempt.objects.count() == 1
    assert old.pk != young.pk


def test_an_old_event_on_its_way_again_is_kept_until_it_is_done(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    happen(principal)
    drain()
    pass_time(principal, 31 * DAY)
    assert api.post(f"/webhook-endpoints/{subscriber.id}/deliveries/{subscriber.delivery().pk}/resend").status == 200
    assert services.purge_old_events() == 0
    drain()
    assert services.purge_old_events() == 1
    assert len(receiver.received) == 2


def test_time_moved_in_test_mode_purges_nothing_else(principal: Principal, subscriber: Subscriber) -> None:
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:live")
    kept = happen(live)
    happen(principal)
    pass_time(principal, 31 * DAY)
    drain()
    assert services.purge_old_events() == 1
    assert Event.objects.get().pk == kept.pk


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


@pytest.fixture
def live_endpoint(principal: Principal) -> WebhookEndpoint:
    """A live endpoint that has just failed for the first time."""
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:live")
    made = subscribe(live, "https://hooks.shop.example/causeway")
    happen(live)
    drain()
    return made.fresh()


@pytest.mark.spec("Contract 10.6; Contract 11.9")
def test_the_team_is_told_at_three_failures_after_a_day_and_at_the_end(live_endpoint: WebhookEndpoint) -> None:
    assert services.tell_teams() == 0
    for _ in range(2):
        services.shift_due(live_endpoint.merchant_id, Mode.LIVE, 200)
        drain()
    assert services.tell_teams() == 1
    assert services.tell_teams() == 0
    services.shift_due(live_endpoint.merchant_id, Mode.LIVE, DAY)
    assert services.tell_teams() == 1
    services.shift_due(live_endpoint.merchant_id, Mode.LIVE, 4 * DAY)
    services.disable_failing_endpoints()
    assert services.tell_teams() == 1
    assert services.tell_teams() == 0
    assert [message.to for message in mail.outbox] == [["owner@shop.example"]] * 3
    assert ["about a day" in mail.outbox[0].body, "failed for a day" in mail.outbox[1].body] == [True, True]
    assert "disabled" in mail.outbox[2].body
    assert live_endpoint.url in mail.outbox[2].body


def test_in_test_mode_only_the_end_is_told(principal: Principal, subscriber: Subscriber, receiver: Receiver) -> None:
    receiver.script = answer(410)
    happen(principal)
    drain()
    assert services.tell_teams() == 1
    assert len(mail.outbox) == 1


def test_what_the_merchant_switched_off_is_no_news(api: ApiClient, subscriber: Subscriber) -> None:
    api.send("PATCH", f"/webhook-endpoints/{subscriber.id}", {"enabled": False})
    assert services.tell_teams() == 0
    assert mail.outbox == []
    assert not Event.objects.exists()
