"""What plants are planted into: a shop in which everything is as it must be, in test mode and in live mode."""

import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from chains.models import SimulatedTransaction, Transfer, TransferProof
from core.modes import Mode
from core.money import UsdAmount, usd_from_micros, usd_to_micros
from merchants.principal import Principal
from merchants.services import NewMerchant, create_merchant
from payments.models import Credit, PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.factories.money_out import paid_payout, paid_refund
from tests.races.shop import Shop
from webhooks.models import Event

WALLET = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
STRANGER = "0x00000000000000000000000000000000000bad00"


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Of one merchant: a payment paid back, one paid out, one that just settled; and a live one, in part paid back.

    ``foreign`` is a settled payment of another merchant.
    """

    shop: Shop
    other: NewMerchant
    refund: Refund
    payout: Payout
    settled: PaymentIntent
    live_refund: Refund
    foreign: PaymentIntent

    @property
    def returned(self) -> PaymentIntent:
        return PaymentIntent.objects.get(pk=self.refund.intent_id)

    @property
    def kept(self) -> PaymentIntent:
        return PaymentIntent.objects.get(pk=str(self.payout.intent_id))

    @property
    def live(self) -> PaymentIntent:
        return PaymentIntent.objects.get(pk=self.live_refund.intent_id)


def make_ground() -> Ground:
    shop, _ = _shop("Corner Shop", "owner@shop.example")
    elsewhere, other = _shop("Other Shop", "owner@other.example")
    returned, kept, settled, live = (_settled(shop) for _ in range(4))
    refund, payout = paid_refund(returned), paid_payout(kept)
    locked = locked_intent(returned.pk)
    apply_trigger(locked, "refund", actor="worker")
    set_intent(returned, refunded_usd=returned.received_usd)
    return Ground(
        shop=shop,
        other=other,
        refund=refund,
        payout=payout,
        settled=settled,
        live_refund=_live_refund(live),
        foreign=_settled(elsewhere),
    )


def _shop(name: str, email: str) -> tuple[Shop, NewMerchant]:
    made = create_merchant(name, email, "correct horse battery")
    principal = Principal(merchant_id=made.merchant.pk, mode=Mode.TEST, actor="key:test")
    return Shop(api=ApiClient(made.test.secret_key), principal=principal), made


def _settled(shop: Shop) -> PaymentIntent:
    intent_id = shop.create()
    assert shop.pay(intent_id).status == 200
    shop.finish()
    return shop.row(intent_id).get()


def _live_refund(intent: PaymentIntent) -> Refund:
    for rows in (intent.legs, intent.credits, intent.payment_attempts, intent.route_candidates):
        rows.all().update(mode="live")
    intent.credits.update(network="localnet")
    PaymentIntent.objects.filter(pk=intent.pk).update(mode="live")
    for event in Event.objects.filter(resource_id=intent.pk):
        payload = event.payload.replace('"test"', '"live"')
        Event.objects.filter(pk=event.pk).update(mode="live", payload=payload)
    intent.refresh_from_db()
    refund = paid_refund(intent, amount_usd=dollars("10"), base_units=10_000_000, rail="merchant_wallet")
    sent = Transfer.objects.filter(purpose_id=refund.pk)
    SimulatedTransaction.objects.filter(tag=f"refund:{refund.pk}").delete()
    sent.get().attempts.all().delete()
    sent.update(rail="merchant_wallet", network="localnet", sender=WALLET)
    prove(sent.get())
    set_intent(intent, refunded_usd=dollars("10"))
    return refund


def prove(transfer: Transfer, **fields: Any) -> TransferProof:
    facts: dict[str, Any] = {"kind": "log", "position": "7", "block_number": 1, "block_hash": "0x01"}
    facts |= {name: getattr(transfer, name) for name in ("network", "chain", "tx_hash", "base_units")}
    made: TransferProof = TransferProof.objects.create(transfer=transfer, **facts | fields)
    return made


def set_intent(intent: PaymentIntent, **fields: Any) -> None:
    PaymentIntent.objects.filter(pk=intent.pk).update(**fields)


def change(rows: Any, **fields: Any) -> None:
    """Update rows that are there, or one row."""
    found = rows if hasattr(rows, "update") else row_of(rows)
    assert found.update(**fields), "nothing was planted"


def row_of(row: Any) -> Any:
    return type(row).objects.filter(pk=row.pk)


def transfer_of(row: Refund | Payout) -> Any:
    return Transfer.objects.filter(purpose_id=row.pk)


def shown_of(row: Refund | Payout) -> Any:
    return SimulatedTransaction.objects.filter(tag__endswith=f":{row.pk}")


def only_credit(intent: PaymentIntent) -> Credit:
    credit: Credit = Credit.objects.get(intent=intent)
    return credit


def copy_of(credit: Credit, **fields: Any) -> Credit:
    credit.pk = None
    for name, value in fields.items():
        setattr(credit, name, value)
    credit.save(force_insert=True)
    return credit


def dollars(text: str) -> UsdAmount:
    """So many dollars, as the database gives them back and sentences write them: with six decimals."""
    return usd_from_micros(usd_to_micros(Decimal(text)))


def fresh_hash() -> str:
    return f"0x{uuid.uuid4().hex * 2}"
