"""A database that is put back to before, and sees the same happen again: it has the identity that it had.

Receivers know it by that, and a chain knows a transfer by its id (tests/live/money_out/test_restored.py).
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.db import transaction

from chains.models import Transfer
from core.clock import now
from core.ids import derived_event_id, derived_id
from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import Credit, LatePolicy, PaymentIntent, PaymentPolicy
from payouts.services import create_payout, set_payout_at_settle
from refunds.models import Refund
from refunds.services.late import send_late_money_back
from tests.conftest import ApiClient
from tests.factories.payments import BOBS_EVM, credit
from tests.factories.refunds import paid_intent
from tests.payments.world import World, create, pay
from tests.payouts.stories import run
from tests.refunds.claiming import paid_by
from tests.refunds.stories import PAYEE, refund, settled, work
from webhooks.events import ONCE, event_id
from webhooks.models import Event

BORN = datetime(2026, 5, 4, 12, tzinfo=UTC)
Identities = tuple[set[tuple[str, str]], set[UUID]]


def identities(happens: Callable[[], Any]) -> Identities:
    """Of all events and transfers after something happened, which the database then forgets."""
    with transaction.atomic():
        happens()
        events = set(Event.objects.values_list("type", "id"))
        transfers = set(Transfer.objects.values_list("id", flat=True))
        transaction.set_rollback(True)
    return events, transfers


def twice(world: World, happens: Callable[[], Any]) -> Identities:
    """The identities of what happens, a minute later again to the same rows; they must be the same."""
    start = world.clock
    first = identities(happens)
    start.shift(60)
    assert identities(happens) == first
    return first


def test_a_payment_that_was_forgotten_is_told_as_it_was(world: World, api: ApiClient) -> None:
    intent = create(api)

    def happens() -> None:
        pay(api, intent)
        world.run(4)

    events, _ = twice(world, happens)
    told = {name for name, _ in events}
    assert {"payment_intent.created", "payment_intent.executing", "payment_intent.settled"} <= told


def test_a_refund_that_is_asked_for_again_under_its_key_is_the_same(world: World, api: ApiClient) -> None:
    """Its transfer carries the same mark, so the chain shows that it was sent."""
    intent = settled(world, api)

    def happens() -> None:
        refund(api, intent, 10, destination=PAYEE, key="order-1")
        work(world, 6)

    events, transfers = twice(world, happens)
    assert ({"refund.created", "refund.paid"} <= {name for name, _ in events}, len(transfers)) == (True, 1)


def test_each_key_is_another_refund(world: World, api: ApiClient) -> None:
    """Without a key nothing tells a repeat from a second one."""
    intents = [settled(world, api) for _ in range(2)]
    made = {refund(api, one, 1, destination=PAYEE, key=key)["id"] for one, key in zip(intents, "ab", strict=True)}
    made |= {refund(api, intents[0], 1, destination=PAYEE, key="c")["id"]}
    made |= {refund(api, intents[0], 1, destination=PAYEE)["id"] for _ in range(2)}
    assert len(made) == 5


def test_a_payout_at_settle_is_the_same(world: World, api: ApiClient, principal: Principal) -> None:
    """Nobody asks for it again: the service itself makes it once it sees the settlement again."""
    set_payout_at_settle(principal, enabled=True)
    intent = create(api)

    def happens() -> None:
        pay(api, intent)
        run(world, 30)

    events, transfers = twice(world, happens)
    assert ("payout.paid" in {name for name, _ in events}, len(transfers)) == (True, 1)


def test_whoever_asks_for_the_payout_it_is_the_same(world: World, api: ApiClient, principal: Principal) -> None:
    intent = UUID(settled(world, api)["id"])
    agent = Principal(merchant_id=principal.merchant_id, mode=principal.mode, actor="agent:1")
    made = set[UUID]()
    for caller, key in ((principal, "k"), (agent, "other"), (principal, "k")):
        with transaction.atomic():
            made.add(create_payout(caller, intent, key).payout.pk)
            transaction.set_rollback(True)
    assert len(made) == 1


@pytest.mark.django_db
def test_late_money_goes_back_under_the_same_id_though_its_row_is_another(merchant: Merchant) -> None:
    """The credit is read from the chain again, and may get another number."""
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    PaymentPolicy.objects.create(merchant=merchant, mode=Mode.LIVE, late=LatePolicy.REFUND, late_since=long_ago)
    intent = paid_intent(merchant, units=10_000_000, target_base_units=25_000_000, status="expired", settled_at=None)
    paid_by(intent, PAYEE)
    made = []
    for _ in range(2):
        late = _late_credit(intent)
        with transaction.atomic():
            assert send_late_money_back() == 1
            made.append((Refund.objects.get().pk, late.pk))
            transaction.set_rollback(True)
        late.delete()
    assert (made[0][0] == made[1][0], made[0][1] == made[1][1]) == (True, False)


def _late_credit(intent: PaymentIntent) -> Credit:
    moment = now()
    made = credit(
        intent, 15_000_000, block_time=moment, final_at=moment, finalized_at=moment, network="localnet", late=True,
        value_usd=15, payer=BOBS_EVM, payer_proof="sender", tx_hash="0x" + "ab" * 32,
    )  # fmt: skip
    PaymentIntent.objects.filter(pk=intent.pk).update(received_usd=25)
    return made


@pytest.mark.parametrize("kind", sorted(ONCE))
def test_what_happens_once_has_one_identity_at_whichever_step(kind: str) -> None:
    """A payment that was forgotten half way may settle by fewer steps."""
    resource = uuid4()
    made = {
        event_id(type=kind, resource_id=resource, sequence=step, born_at=BORN, body={"amount": step}) for step in (3, 4)
    }
    assert len(made) == 1


def test_another_step_and_another_fact_are_another_event_and_another_moment_is_not() -> None:
    resource = uuid4()

    def made(sequence: int = 3, resource_id: UUID = resource, **body: object) -> str:
        kind = "payment_intent.partially_filled"
        return event_id(type=kind, resource_id=resource_id, sequence=sequence, born_at=BORN, body=body)

    first = made(amount_received="10.00", updated_at="2026-05-04T12:00:00.000Z")
    assert made(amount_received="10.00", updated_at="2026-05-04T12:07:00.000Z") == first
    others = [
        made(4, amount_received="10.00"),
        made(amount_received="15.00"),
        made(3, uuid4(), amount_received="10.00"),
    ]
    assert len({first, *others}) == 4


def test_ids_have_the_layout_of_their_standard() -> None:
    one, other = derived_id("transfer", "refund", 1), derived_id("transfer", "refund", 11)
    assert ((one.version, one.variant), one != other) == ((8, "specified in RFC 4122"), True)
    assert derived_id("transfer", "refund", 1) == one
    assert derived_id("a", "bc") != derived_id("ab", "c")
    event = derived_event_id(BORN, "x")
    with time_machine.travel(BORN):
        assert UUID(event.removeprefix("evt_")).version == 7
    assert event < derived_event_id(datetime(2026, 5, 4, 12, 0, 1, tzinfo=UTC), "x")
