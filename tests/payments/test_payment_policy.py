"""Each switch of how payments are judged: set on the page, seen in what becomes of a payment."""

from typing import Any

import pytest
from django.test import Client

from core.money import usd
from merchants.models import Change
from merchants.services import NewMerchant
from payments.models import PaymentIntent, PaymentPolicy
from refunds.models import Refund, RefundPolicy
from refunds.services.late import send_late_money_back
from tests.conftest import ApiClient
from tests.merchants.people import confirm_identity, send_form, text_of
from tests.payments.arrivals import arrives
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, pay, read

pytestmark = pytest.mark.slow

TEST, LIVE = "/dashboard/test/settings/payments/", "/dashboard/live/settings/payments/"
REFUNDS = "/dashboard/test/settings/refunds/"


def judge(client: Client, path: str = TEST, **fields: str) -> Any:
    return send_form(client, path, **fields)


def paid_late(world: World, api: ApiClient) -> dict[str, Any]:
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
    arrives(bridged, settles_with - 1, "bridge")
    assert read(api, bridged)["status"] == "partially_filled"
    arrives(bridged, 1, "bridge")
    assert read(api, bridged)["status"] == "settled"
    arrives(direct, 24_999_999, "transfer")
    assert read(api, direct)["status"] == "partially_filled"


@pytest.mark.spec("Rulings C12.1")
def test_it_is_never_more_than_five_dollars(world: World, api: ApiClient, owner: Client) -> None:
    judge(owner, tolerance="5")
    intent = intent_in(world, api, "executing")
    PaymentIntent.objects.update(amount=1000, target_base_units=1_000_000_000)
    arrives(intent, 994_999_999, "bridge")
    assert read(api, intent)["status"] == "partially_filled"


@pytest.mark.spec("Contract 2.11; States: into failed, expired, refunded (not shown)")
def test_late_money_is_held_by_default(world: World, api: ApiClient, owner: Client) -> None:
    """And settles what expired where the merchant says so."""
    shown = paid_late(world, api)
    assert (shown["status"], shown["amount_received"], send_late_money_back()) == ("expired", "25.00", 0)
    confirm_identity(owner)
    assert judge(owner, late="settle").status_code == 302
    shown = paid_late(world, api)
    assert (shown["status"], shown["amount_received"]) == ("settled", "25.00")
    row = PaymentIntent.objects.get(pk=shown["id"])
    last = row.history.order_by("pk").values_list("trigger", flat=True).last()
    assert (row.settled_reason, last) == ("late_payment", "accept_late")


@pytest.mark.spec("Rulings C1.6")
def test_late_money_never_settles_what_was_cancelled(world: World, api: ApiClient, owner: Client) -> None:
    judge(owner, late="settle")
    intent = intent_in(world, api, "cancelled")
    arrives(intent, 25_000_000, late=True)
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
    arrives(intent_in(world, api, "expired"), 5_000_000, late=True)
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
    changes = Change.objects.filter(action="refund_policy.changed").order_by("pk")
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
    assert (PaymentPolicy.objects.count(), Change.objects.exclude(action__startswith="person.").count()) == (0, 0)


def test_every_change_is_put_down_with_before_and_after(account: NewMerchant, owner: Client) -> None:
    judge(owner, LIVE, tolerance="1.5", finality="finalized", late="hold")
    judge(owner, LIVE, tolerance="1.5", finality="finalized", late="hold")
    judge(owner, LIVE, tolerance="", finality="finalized", late="settle")
    lines = list(Change.objects.filter(action="payment_policy.changed").order_by("pk").values_list("before", "after"))
    assert lines == [
        ({"finality": "", "tolerance_bps": None}, {"finality": "finalized", "tolerance_bps": 150}),
        ({"late": "hold", "tolerance_bps": 150}, {"late": "settle", "tolerance_bps": None}),
    ]
    shown = text_of(owner.get("/dashboard/live/settings/"))
    assert "Always final" in shown
    assert "Take it" in shown
