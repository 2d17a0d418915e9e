"""What is broken: each operation with what must stand before it, what starts it, and what must be true at its end.

What takes time and is at rest then is the ground, laid for many cells at once. An operation is started by rows that
are due, or by a caller: a process of its own that insists, as a client with an idempotency key does, until it is
answered.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.db import close_old_connections

from core.modes import Mode
from merchants.principal import Principal
from merchants.services import create_merchant
from payments.models import PaymentIntent
from payouts.models import Payout
from payouts.services import create_payout
from refunds.models import Refund
from tests.conftest import ApiClient, Reply
from tests.crash.matrix.processes import is_ending
from tests.crash.matrix.world import deliveries_due
from tests.machine import pause
from tests.webhooks.actors import subscribe

DESTINATION = "0x52908400098527886E0F7030069857D2E4169EE7"
PAUSE_SECONDS = 0.02


@dataclass
class Shop:
    principal: Principal
    api: ApiClient
    key: str = field(default_factory=lambda: uuid4().hex)
    intent_id: UUID | None = None

    @property
    def intent(self) -> PaymentIntent:
        return PaymentIntent.objects.get(pk=str(self.intent_id))

    def create(self, **wish: Any) -> None:
        reply = self.api.post("/payment-intents", {"amount": 25, **wish})
        assert reply.status == 201, reply.body
        self.intent_id = UUID(reply.body["id"])

    def ask_for_payment(self) -> None:
        reply = self.api.post(f"/test-helpers/payment-intents/{self.intent_id}/pay", {})
        assert reply.status == 200, reply.body

    def begin(self, **wish: Any) -> None:
        self.create(**wish)
        self.ask_for_payment()

    def has_settled(self) -> bool:
        return self.intent.status == "settled"

    def refund(self) -> Reply:
        wish = {"intent_id": str(self.intent_id), "amount_usd": 25, "destination": DESTINATION}
        return self.api.post("/refunds", wish, Idempotency_Key=self.key)

    def pay_out(self) -> Payout:
        assert self.intent_id is not None
        return create_payout(self.principal, self.intent_id, self.key).payout

    def replay(self) -> Reply:
        return self.api.post(f"/payouts/{self.payout().pk}/replay", Idempotency_Key=self.key)

    def payout(self) -> Payout:
        return Payout.objects.get(intent_id=self.intent_id)

    def refunds(self) -> list[str]:
        return list(Refund.objects.filter(intent_id=self.intent_id).values_list("status", flat=True))

    def payouts(self) -> list[str]:
        return list(Payout.objects.filter(intent_id=self.intent_id).values_list("status", flat=True))


def open_shop(receiver_url: str | None) -> tuple[Shop, str]:
    made = create_merchant("Chaos", f"{uuid4().hex}@chaos.example", "correct horse battery")
    principal = Principal(merchant_id=made.merchant.pk, mode=Mode.TEST, actor="key:test")
    secret = subscribe(principal, receiver_url).secret if receiver_url else ""
    return Shop(principal, ApiClient(made.test.secret_key)), secret


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation. ``ground`` is begun for many shops and done when ``stands`` says so; ``prepare`` runs for one,
    before anything is armed; ``caller`` in a process of its own.
    """

    name: str
    is_over: Callable[[Shop], bool]
    ground: Callable[[Shop], object] = lambda shop: None
    stands: Callable[[Shop], bool] = lambda shop: True
    prepare: Callable[[Shop], object] = lambda shop: None
    caller: Callable[[Shop], bool] | None = None
    delivers: bool = False
    """Whether sending webhooks is what is broken; elsewhere those points are left out."""
    subscribed: bool = True
    go_on: Callable[[], object] = lambda: None
    """Lets a real chain make blocks."""
    contradicted: Callable[[Shop], list[str]] = lambda shop: []
    """What a real chain's own records contradict."""


def insist(act: Callable[[], bool]) -> Callable[[], None]:
    def until_answered() -> None:
        while not is_ending():
            with _patiently():
                if act():
                    return
            pause(PAUSE_SECONDS)

    return until_answered


@contextmanager
def _patiently() -> Iterator[None]:
    """What goes wrong is no answer: one asks again, on connections that work."""
    close_old_connections()
    with suppress(Exception):
        yield


def _created(shop: Shop) -> bool:
    reply = shop.api.post("/payment-intents", {"amount": 25, "reference": shop.key}, Idempotency_Key=shop.key)
    return reply.status == 201


def _cancelled(shop: Shop) -> bool:
    reply = shop.api.post(f"/payment-intents/{shop.intent_id}/cancel", Idempotency_Key=shop.key)
    return reply.status in (200, 409)


def _asked_for_payout(shop: Shop) -> bool:
    return shop.pay_out().idempotency_key == shop.key


def _replayed(shop: Shop) -> bool:
    return shop.replay().status in (200, 202, 409)


def _has_failed_payout(shop: Shop) -> bool:
    if shop.has_settled() and not shop.payouts():
        shop.pay_out()
    return shop.payouts() == ["failed"]


def _intents(shop: Shop) -> list[str]:
    mine = PaymentIntent.objects.filter(merchant_id=shop.principal.merchant_id)
    return list(mine.values_list("status", flat=True))


def _is_cancelled(shop: Shop) -> bool:
    return _intents(shop) == ["cancelled"]


def _delivered(shop: Shop) -> bool:
    return not deliveries_due(shop.principal.merchant_id)


def _begin_a_failure(shop: Shop) -> None:
    shop.begin(metadata={"simulate": "payout_fail"})


def _refunded(shop: Shop) -> bool:
    return shop.refunds() == ["paid"] and shop.intent.status == "refunded"


def _paid_out(shop: Shop) -> bool:
    return shop.payouts() == ["paid"]


SETTLED: dict[str, Any] = {"ground": Shop.begin, "stands": Shop.has_settled}
OPERATIONS = (
    Operation(name="create intent", caller=_created, is_over=lambda shop: _intents(shop) == ["created"]),
    Operation(name="credit and settle", prepare=Shop.begin, is_over=Shop.has_settled),
    Operation(name="deliver webhook", prepare=Shop.create, is_over=_delivered, delivers=True),
    Operation(name="cancel intent", prepare=Shop.create, caller=_cancelled, is_over=_is_cancelled),
    Operation(name="create refund", caller=lambda shop: shop.refund().status == 201, is_over=_refunded, **SETTLED),
    Operation(name="send refund", prepare=Shop.refund, is_over=_refunded, **SETTLED),
    Operation(name="create payout", caller=_asked_for_payout, is_over=_paid_out, **SETTLED),
    Operation(name="send payout", prepare=Shop.pay_out, is_over=_paid_out, **SETTLED),
    Operation(
        name="replay payout", ground=_begin_a_failure, stands=_has_failed_payout, caller=_replayed, is_over=_paid_out
    ),
)
