"""What a receiver misses is noticed: else the silence of the crash tests would prove nothing."""

import json
from pathlib import Path
from typing import Any

from tests.crash.ordeal import Ordeal
from tests.journeys.http_caller import Caller
from tests.journeys.recipe import ACCEPTED, REFUSED, Delivery, Receiver


def told(intent: str, number: int, name: str, answered: int = ACCEPTED) -> Delivery:
    event = {"resource": {"id": intent}, "sequence": number, "type": f"payment_intent.{name}"}
    return Delivery(headers={}, raw_body=json.dumps(event).encode(), genuine=True, answered=answered)


def test_an_event_that_never_came_is_said(tmp_path: Path) -> None:
    came = [told("whole", 1, "created"), told("whole", 2, "settled"), told("whole", 2, "settled")]
    came += [told("gap", 1, "created"), told("gap", 3, "settled"), told("open", 1, "created")]
    came += [told("refused", 1, "created"), told("refused", 2, "settled", REFUSED)]
    service: Any = None
    intents = ["whole", "gap", "open", "refused", "silent"]
    tested = Ordeal(service, Caller(base_url=""), Receiver(deliveries=came), tmp_path, intents)
    assert tested.lost() == {"gap": [1, 3], "open": [1], "refused": [1], "silent": []}
    assert [tested.is_told(intent) for intent in intents] == [True, False, False, False, False]
