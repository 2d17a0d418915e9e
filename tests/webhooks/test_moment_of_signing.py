"""When an attempt is signed: at its own real moment, wherever the test clock stands."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from merchants.principal import Principal
from tests.webhooks.actors import Subscriber, happen
from tests.webhooks.receivers import Receiver, answer
from webhooks import services
from webhooks.delivery import drain
from webhooks.signatures import sign

FIRST = datetime(2100, 1, 1, tzinfo=UTC)
"""After the endpoint was made, on whatever day that is: events go to endpoints that were there."""
DAYS = 2 * 86_400


@pytest.mark.spec("Contract 11.5; Contract 18.6")
def test_each_attempt_says_its_own_moment_and_no_shifted_one(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    moments = [FIRST, FIRST + timedelta(seconds=40)]
    with time_machine.travel(FIRST, tick=False) as clock:
        event = happen(principal)
        for moment in moments:
            clock.move_to(moment)
            drain()
            services.shift_due(principal.merchant_id, principal.mode, DAYS)
    seconds = [int(moment.timestamp()) for moment in moments]
    body = event.payload.encode()
    assert [request.headers["Svc-Signature"] for request in receiver.received] == [
        f"t={second},v1={sign(subscriber.secret, second, body)}" for second in seconds
    ]
