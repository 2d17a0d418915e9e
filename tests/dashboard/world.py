"""One merchant with something of everything, told by the real services under a clock that the story moves."""

from datetime import timedelta

import time_machine

from core.clock import now
from core.modes import Mode
from mcp.models import AgentRecord
from merchants.models import Role, User
from merchants.services import NewMerchant, create_merchant
from tests.conftest import ApiClient
from tests.dashboard.places import actor
from tests.factories.payouts import failed_payout
from tests.merchants.people import OWNER, PASSWORD, add_member
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay
from tests.refunds.stories import PAYEE, refund, settled, work
from webhooks.delivery.fan_out import fan_out
from webhooks.services import send_test_event

LONG_NAME = "Ümit & Søn’s Kitchenware Emporium of Lower Saxony"
LONG = {"amount": 876543.21, "reference": "R" * 100, "customer_email": f"{'a' * 60}@payer.example"}
ODD_ENDS = ("overpay", "bridge_refund", "in_doubt")
DAYS_OF_SALES = 12
A_DAY = 86_400


def tell() -> NewMerchant:
    """The merchant, and in test mode everything that can have happened to it; in live mode one row for every page."""
    with time_machine.travel(now() - timedelta(days=DAYS_OF_SALES), tick=False) as clock:
        account = create_merchant(LONG_NAME, OWNER, PASSWORD)
        User.objects.filter(pk=account.owner.pk).update(name="Ann Owner")
        for role in set(Role) - {Role.OWNER}:
            add_member(account.merchant, f"{role}@shop.example", role)
        world, api = World(clock=clock), ApiClient(account.test.secret_key)
        hook = {"url": "https://shop.example/webhooks/causeway", "events": ["*"]}
        endpoint = api.post("/webhook-endpoints", hook).body["id"]
        for day in range(DAYS_OF_SALES - 2):
            pay(api, create(api, amount=20 + 17 * (day % 5), reference=f"order-{day}"))
            world.run(10)
            world.wait(A_DAY - 10)
        for scenario in ODD_ENDS:
            pay(api, create(api, **LONG, metadata={"order_id": "A-1042", "gift": True}), scenario)
        world.run(10)
        for destination in ({"destination": PAYEE}, {}):
            refund(api, settled(world, api), 25, reason="The lid was cracked", **destination)
        work(world, 8)
        failed_payout(create(api, reference="payout-failed")["id"])
        for status in STORIES:
            intent_in(world, api, status, return_url="https://shop.example/thanks")
        fan_out()
        send_test_event(actor(account, Mode.TEST), endpoint, "ping")
    common = {"merchant_id": account.merchant.pk, "mode": "test", "user_id": account.owner.pk, "deed": "call"}
    for outcome, code in (("denied", "limit_exceeded"), ("ok", "")):
        told = {"tool": "create_refund", "client_name": "Shopkeeper", "arguments": {"amount_usd": "5"}}
        AgentRecord.objects.create(**common, **told, outcome=outcome, code=code)
    return account
