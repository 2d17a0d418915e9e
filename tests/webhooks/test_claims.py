"""What a claim finds due and must not send: it is finished unsent.

Proven where it is claimed. Switching off through the API cancels what is due, and a last attempt's failure ends the
schedule, so only rows that a worker held or died with come here.
"""

import pytest

from core.clock import now
from merchants.principal import Principal
from tests.webhooks.actors import Subscriber, happen
from tests.webhooks.receivers import Receiver
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery, WebhookEndpoint
from webhooks.selectors import receivers


@pytest.mark.parametrize("change", [{"enabled": False}, {"deleted_at": "now"}])
def test_nothing_is_sent_to_what_was_switched_off(
    change: dict[str, object], principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    happen(principal)
    fan_out()
    assert set(receivers([subscriber.endpoint.pk], now())) == {subscriber.endpoint.pk}
    facts = {name: now() if value == "now" else value for name, value in change.items()}
    WebhookEndpoint.objects.filter(pk=subscriber.id).update(**facts)
    assert receivers([subscriber.endpoint.pk], now()) == {}
    assert drain() == 0
    delivery = subscriber.delivery()
    assert (receiver.received, delivery.outcome, delivery.attempts) == ([], "cancelled", 0)


def test_after_eight_attempts_nothing_more_is_sent(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    """A worker died with the eighth, so nothing was written down of it."""
    happen(principal)
    fan_out()
    Delivery.objects.update(attempts=8)
    assert drain() == 0
    delivery = subscriber.delivery()
    assert (receiver.received, delivery.outcome, delivery.attempts) == ([], "exhausted", 8)
