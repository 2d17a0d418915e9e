"""What every story has in it: a receiver that is registered, an intent that is paid."""

from tests.journeys.http_caller import Caller, soon
from tests.journeys.recipe import Receiver


def register(merchant: Caller, receiver: Receiver) -> str:
    answer = merchant.post("/webhook-endpoints", {"url": receiver.url, "events": ["*"]})
    assert answer.status == 201, answer.raw
    receiver.secrets.append(answer.body["secret"])
    endpoint_id: str = answer.body["id"]
    return endpoint_id


def paid(merchant: Caller, **wish: object) -> str:
    created = merchant.post("/payment-intents", {"amount": 25, **wish})
    assert created.status == 201, created.raw
    intent_id: str = created.body["id"]
    assert merchant.post(f"/test-helpers/payment-intents/{intent_id}/pay").status == 200
    soon(lambda: is_settled(merchant, intent_id), f"intent {intent_id} settled")
    return intent_id


def is_settled(merchant: Caller, intent_id: str) -> bool:
    answer = merchant.get(f"/payment-intents/{intent_id}")
    assert answer.status == 200, answer.raw
    return bool(answer.body["status"] == "settled")
