"""One merchant with something of everything, told by the real services under a clock that the story moves."""

from datetime import timedelta
from typing import Any

import time_machine

from core.clock import now
from core.modes import Mode
from mcp.models import AgentRecord
from merchants.models import Role, User
from merchants.panels import Page
from merchants.services import NewMerchant, create_merchant
from payments.models import PaymentIntent
from payments.states import IntentStatus
from tests.conftest import ApiClient
from tests.dashboard.places import PLACES, Words, actor
from tests.factories.payouts import failed_payout
from tests.merchants.people import OWNER, PASSWORD, add_member
from tests.payments.world import World, create, pay
from tests.refunds.stories import PAYEE, refund, work
from webhooks.delivery.fan_out import fan_out
from webhooks.services import send_test_event

LONG_NAME = "Ümit & Søn’s Kitchenware Emporium of Lower Saxony"
STORIES = ("settle", "overpay", "partial", "fail", "in_doubt", "bridge_refund")
UNPAID = (
    IntentStatus.CREATED,
    IntentStatus.REQUIRES_PAYMENT,
    IntentStatus.QUOTED,
    IntentStatus.AWAITING_SIGNATURE,
    IntentStatus.EXECUTING,
)
DAYS_OF_SALES = 12


def tell(name: str = LONG_NAME) -> NewMerchant:
    """The merchant, and in test mode everything that can have happened to it; in live mode one row for every page."""
    with time_machine.travel(now() - timedelta(days=DAYS_OF_SALES), tick=False) as clock:
        account = create_merchant(name, OWNER, PASSWORD)
        User.objects.filter(pk=account.owner.pk).update(name="Ann Owner")
        for role in (Role.ADMIN, Role.DEVELOPER, Role.SUPPORT, Role.VIEWER):
            add_member(account.merchant, f"{role}@shop.example", role)
        world, api = World(clock=clock), ApiClient(account.test.secret_key)
        endpoint = _endpoint(account, api)
        _sales(world, api)
        _stories(world, api)
        _refunds(world, api)
        failed_payout(create(api, reference="payout-failed")["id"])
        fan_out()
        send_test_event(actor(account, Mode.TEST), endpoint, "ping")
    _log(account)
    return account


def place_of(page: Page, account: NewMerchant, mode: Mode) -> Words:
    """The words of a page's address, with a row of this merchant where one is needed. Raises: KeyError without any."""
    return PLACES[page.name](account, mode) if "<" in page.path else {}


def _endpoint(account: NewMerchant, api: ApiClient) -> str:
    reply = api.post("/webhook-endpoints", {"url": "https://shop.example/webhooks/causeway", "events": ["*"]})
    assert reply.status == 201, reply.body
    made: str = reply.body["id"]
    return made


def _sales(world: World, api: ApiClient) -> None:
    """A few payments a day, so that the chart has something to draw."""
    for day in range(DAYS_OF_SALES - 1):
        for number in range(1 + day * 5 % 3):
            amount = 20 + 17 * ((day + number) % 5)
            intent = create(api, amount=amount, reference=f"order-{day}-{number}", customer_email="buyer@mail.example")
            assert pay(api, intent).status == 200
        world.run(10)
        world.wait(timedelta(days=1).total_seconds() - 10)


def _stories(world: World, api: ApiClient) -> None:
    for story in STORIES:
        intent = create(api, reference=f"story-{story}", metadata={"order_id": f"A-{story}", "gift": True})
        assert pay(api, intent, story).status == 200
    work(world, 8)
    expiring = create(api, reference="expires", expires_in_seconds=60)
    cancelled = create(api, reference="cancelled")
    assert api.post(f"/payment-intents/{cancelled['id']}/cancel", {}).status == 200
    world.run(90)
    assert PaymentIntent.objects.get(pk=expiring["id"]).status == IntentStatus.EXPIRED
    for status in UNPAID:
        intent = create(api, reference=f"unpaid-{status}", return_url="https://shop.example/thanks")
        PaymentIntent.objects.filter(pk=intent["id"]).update(status=status, next_attempt_at=None)


def _refunds(world: World, api: ApiClient) -> None:
    for destination in (PAYEE, None):
        intent = _settled(world, api)
        refund(api, intent, 25, reason="The lid was cracked", **({"destination": destination} if destination else {}))
    work(world, 8)


def _settled(world: World, api: ApiClient) -> dict[str, Any]:
    intent = create(api, reference="comes-back")
    assert pay(api, intent).status == 200
    work(world)
    return intent


def _log(account: NewMerchant) -> None:
    common = {"merchant_id": account.merchant.pk, "mode": "test", "user_id": account.owner.pk, "deed": "call"}
    for tool, outcome, code in (("create_refund", "denied", "limit_exceeded"), ("poll_settlement", "ok", "")):
        AgentRecord.objects.create(
            **common, tool=tool, outcome=outcome, code=code, client_name="Shopkeeper", arguments={"amount_usd": "5"}
        )
