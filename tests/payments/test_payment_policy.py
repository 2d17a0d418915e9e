"""Each switch of how payments are judged: set on the page, seen in what becomes of a payment."""

from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from core.clock import now
from core.money import usd
from merchants.models import Change, Role
from merchants.services import NewMerchant
from payments.models import Leg, PaymentIntent, PaymentPolicy
from payments.services.outcome import conclude
from payments.services.transition import locked_intent
from refunds.models import Refund, RefundPolicy
from refunds.services.late import send_late_money_back
from tests.conftest import ApiClient
from tests.factories.payments import credit
from tests.merchants.people import OWNER, add_member, add_second_factor, confirm_identity, send_form, sign_in, text_of
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, pay, read

pytestmark = pytest.mark.slow

TEST, LIVE = "/dashboard/test/settings/payments/", "/dashboard/live/settings/payments/"
REFUNDS = "/dashboard/test/settings/refunds/"


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner, who may go live and has just proven it."""
    client = sign_in(OWNER)
    confirm_identity(client)
    add_second_factor(OWNER)
    return client


def judge(client: Client, path: str = TEST, **fields: str) -> Any:
    """Set the policy on the page."""
    return send_form(client, path, **fields)


def arrives(intent: dict[str, Any], units: int, kind: str = "bridge") -> None:
    """So many units arrive over a bridge, unless over another kind of leg, while the payment is on its way."""
    with transaction.atomic():
        row = locked_intent(intent["id"])
        credit(row, units, block_time=now(), final_at=now(), leg=Leg.objects.get(intent=row))
        Leg.objects.filter(intent=row).update(status="confirmed", kind=kind)
        conclude(row)


def arrives_late(intent: dict[str, Any], units: int) -> None:
    """So many units arrive after the end of a payment that nobody had quoted."""
    with transaction.atomic():
        row = locked_intent(intent["id"])
        row.target_base_units = 25_000_000
        row.save(update_fields=["target_base_units"])
        credit(row, units, block_time=now(), final_at=now(), late=True, value_usd=units // 10**6)
        conclude(row)


def paid_late(world: World, api: ApiClient) -> dict[str, Any]:
    """An intent whose whole money came after it had expired."""
    intent = create(api)
    pay(api, intent, "late")
    world.run(8)
    return read(api, intent)


@pytest.mark.spec("Contract 2.16; Rulings C12.1")
@pytest.mark.spec("Tolerance is 0 for direct payments, the contract's default for bridges")
@pytest.mark.parametrize(
    ("tolerance", "settles_with"),
    [("", 24_900_000), ("0", 25_000_000), ("2", 24_500_000), ("0,01", 24_997_500), ("5", 23_750_000)],
)
def test_how_short_a_bridged_payment_may_be(
    world: World, api: ApiClient, owner: Client, tolerance: str, settles_with: int
) -> None:
    """And the whole of a direct one, whatever is allowed."""
    assert judge(owner, tolerance=tolerance).status_code == 302
    bridged, direct = intent_in(world, api, "executing"), intent_in(world, api, "executing")
    arrives(bridged, settles_with - 1)
    assert read(api, bridged)["status"] == "partially_filled"
    arrives(bridged, 1)
    assert read(api, bridged)["status"] == "settled"
    arrives(direct, 24_999_999, kind="transfer")
    assert read(api, direct)["status"] == "partially_filled"


@pytest.mark.spec("Rulings C12.1")
def test_it_is_never_more_than_five_dollars(world: World, api: ApiClient, owner: Client) -> None:
    judge(owner, tolerance="5")
    intent = intent_in(world, api, "executing")
    PaymentIntent.objects.update(amount=1000, target_base_units=1_000_000_000)
    arrives(intent, 994_999_999)
    assert read(api, intent)["status"] == "partially_filled"


@pytest.mark.spec("Contract 2.11")
@pytest.mark.spec("States: into failed, expired, refunded (not shown)")
def test_late_money_is_held_by_default(world: World, api: ApiClient) -> None:
    shown = paid_late(world, api)
    assert (shown["status"], shown["amount_received"]) == ("expired", "25.00")
    assert send_late_money_back() == 0


@pytest.mark.spec("Contract 2.11")
def test_late_money_settles_what_expired(world: World, api: ApiClient, owner: Client) -> None:
    assert judge(owner, late="settle").status_code == 302
    shown = paid_late(world, api)
    assert (shown["status"], shown["amount_received"]) == ("settled", "25.00")
    row = PaymentIntent.objects.get()
    last = row.history.order_by("pk").values_list("trigger", flat=True).last()
    assert (row.settled_reason, last) == ("late_payment", "accept_late")


@pytest.mark.spec("Rulings C1.6")
def test_late_money_never_settles_what_was_cancelled(world: World, api: ApiClient, owner: Client) -> None:
    judge(owner, late="settle")
    intent = intent_in(world, api, "cancelled")
    arrives_late(intent, 25_000_000)
    assert (read(api, intent)["status"], read(api, intent)["amount_received"]) == ("cancelled", "25.00")


@pytest.mark.spec("Contract 2.11")
def test_late_money_is_sent_back_once(world: World, api: ApiClient, owner: Client) -> None:
    """A part too; not again where somebody cancelled it, and not what came before the switch."""
    paid_late(world, api)
    confirm_identity(owner)
    assert judge(owner, late="refund").status_code == 302
    assert send_late_money_back() == 0
    assert paid_late(world, api)["status"] == "expired"
    assert (send_late_money_back(), send_late_money_back()) == (1, 0)
    refund = Refund.objects.get()
    assert (refund.amount_usd, refund.created_by, refund.status) == (usd("25"), "policy:late", "waiting")
    assert refund.reason == "Arrived after the payment had expired."
    assert api.post(f"/refunds/{refund.pk}/cancel").status == 200
    assert send_late_money_back() == 0
    arrives_late(intent_in(world, api, "expired"), 5_000_000)
    assert send_late_money_back() == 1
    assert [one.amount_usd for one in Refund.objects.exclude(pk=refund.pk)] == [5]


def test_other_merchants_are_judged_as_before(
    world: World, api: ApiClient, other_api: ApiClient, owner: Client
) -> None:
    judge(owner, late="settle", tolerance="5")
    assert paid_late(world, other_api)["status"] == "expired"
    assert [policy.merchant.name for policy in PaymentPolicy.objects.all()] == ["Corner Shop"]


def test_refunds_to_the_paying_wallet_are_a_switch(account: NewMerchant, owner: Client) -> None:
    assert send_form(owner, REFUNDS, destination="wallet").status_code == 302
    assert RefundPolicy.objects.get().to_paying_wallet
    assert "Back to the wallet that paid" in text_of(owner.get("/dashboard/test/settings/"))
    assert send_form(owner, REFUNDS, destination="somewhere").status_code == 400
    assert send_form(owner, REFUNDS, destination="ask").status_code == 302
    assert not RefundPolicy.objects.get().to_paying_wallet
    changes = Change.objects.filter(deed="refund_policy.changed").order_by("pk")
    assert [line.after for line in changes] == [{"to_paying_wallet": True}, {"to_paying_wallet": False}]


NONSENSE = {
    "tolerance": ["-1", "5.01", "0.001", "NaN", "Infinity", "1e3", "٣", "9" * 10_000, "<b>1</b>"],
    "late": ["steal", "", "x" * 10_000],
    "finality": ["safe", "included"],
}


def test_nonsense_changes_nothing(account: NewMerchant, owner: Client) -> None:
    for field, values in NONSENSE.items():
        for value in values:
            answer = judge(owner, **{field: value})
            assert answer.status_code == 400, (field, value[:80])
            assert "Nothing was changed" in text_of(answer)
            assert "<b>1</b>" not in text_of(answer)
    assert (PaymentPolicy.objects.count(), Change.objects.exclude(deed__startswith="person.").count()) == (0, 0)


def test_every_change_is_put_down_with_before_and_after(account: NewMerchant, owner: Client) -> None:
    judge(owner, LIVE, tolerance="1.5", finality="finalized", late="hold")
    judge(owner, LIVE, tolerance="1.5", finality="finalized", late="hold")
    judge(owner, LIVE, tolerance="", finality="finalized", late="settle")
    lines = list(Change.objects.filter(deed="payment_policy.changed").order_by("pk").values_list("before", "after"))
    assert lines == [
        ({"finality": "", "tolerance_bps": None}, {"finality": "finalized", "tolerance_bps": 150}),
        ({"late": "hold", "tolerance_bps": 150}, {"late": "settle", "tolerance_bps": None}),
    ]
    shown = text_of(owner.get("/dashboard/live/settings/"))
    assert "Always final" in shown
    assert "Take it" in shown


def test_a_developer_looks_and_does_not_change(account: NewMerchant) -> None:
    add_member(account.merchant, "dev@shop.example", Role.DEVELOPER)
    developer = sign_in("dev@shop.example")
    confirm_identity(developer)
    assert "When a payment counts" in text_of(developer.get("/dashboard/test/settings/"))
    assert send_form(developer, TEST, at="/dashboard/test/settings/", late="settle").status_code == 403
    assert not PaymentPolicy.objects.exists()
