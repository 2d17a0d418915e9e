"""What races need of a merchant: intents at a chosen point of their life, time that passes, and a worker's turn."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from merchants.principal import Principal
from payments.models import PaymentAttempt, PaymentIntent
from payments.services.advance import advance_intent, sweep_due
from tests.conftest import ApiClient, Reply
from tests.invariants import violations

MOST_STEPS = 20


@dataclass(frozen=True)
class Shop:
    api: ApiClient
    principal: Principal

    def create(self, **body: Any) -> UUID:
        reply = self.api.post("/payment-intents", {"amount": 25, **body})
        assert reply.status == 201, reply.body
        return UUID(reply.body["id"])

    def pay(self, intent_id: UUID, scenario: str = "settle") -> Reply:
        return self.api.post(f"/test-helpers/payment-intents/{intent_id}/pay", {"scenario": scenario})

    def cancel(self, intent_id: UUID) -> Reply:
        return self.api.post(f"/payment-intents/{intent_id}/cancel")

    def advance(self, seconds: int) -> Reply:
        return self.api.post("/test-helpers/clock/advance", {"seconds": seconds})

    def sent(self, **body: Any) -> UUID:
        """An intent whose transaction has landed on the chain, reported, and is not yet recorded by any worker."""
        intent_id = self.awaiting(**body)
        advance_intent(intent_id)
        self.advance(1)
        return intent_id

    def awaiting(self, **body: Any) -> UUID:
        intent_id = self.create(**body)
        assert self.pay(intent_id).status == 200
        for _ in range(MOST_STEPS):
            if self.status(intent_id) == "awaiting_signature":
                return intent_id
            advance_intent(intent_id)
        raise AssertionError(f"the intent is {self.status(intent_id)}")

    def status(self, intent_id: UUID) -> str:
        return self.row(intent_id).get().status

    def row(self, intent_id: UUID) -> QuerySet[PaymentIntent]:
        return PaymentIntent.objects.filter(pk=intent_id)

    def attempt(self, intent_id: UUID) -> PaymentAttempt:
        return PaymentAttempt.objects.filter(intent_id=intent_id).latest("number")

    def finish(self) -> None:
        """Let the workers do everything that is left. Why at least three looks: late money is found on a later one."""
        for look in range(MOST_STEPS):
            sweep_due()
            if look > 1 and not PaymentIntent.objects.filter(status="executing").exists():
                return
            self.advance(3)
        raise AssertionError("an intent is still executing")

    def check(self) -> None:
        assert violations() == []
