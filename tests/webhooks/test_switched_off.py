"""What is due at an endpoint that was switched off is finished unsent.

Proven where it is claimed: switching off through the API cancels what is due, so only a row that somebody else held
then comes here.
"""

import pytest

from core.clock import now
from merchants.principal import Principal
from tests.webhooks.actors import Subscriber, happen
from tests.webhooks.receivers import Receiver
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.models import WebhookEndpoint
from webhooks.selectors import receivers


@pytest.mark.parametrize("change", [{"enabled": False}, {"deleted_at": "now"}])
def test_nothing_is_sent_to_it(
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
