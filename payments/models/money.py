"""Money under way and money that arrived: legs and credits."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.columns import BaseUnitsColumn, OptionalBaseUnitsColumn, UsdColumn
from core.models import StatefulModel
from core.modes import Mode
from core.money import ZERO_USD
from core.price_column import PriceColumn
from merchants.models import Merchant
from merchants.querysets import MerchantScoped
from payments.models.attempts import PaymentAttempt
from payments.models.intents import MAX_NAME, PaymentIntent, Tenant
from payments.states import LegStatus


class Leg(Tenant, StatefulModel):
    """One transaction that a payer signs, followed to the merchant's address. Source: docs/design/payments.md, A leg.

    On real chains: blocks from ``start_block`` on count, those up to ``scanned_block`` were searched, and
    ``source_nonce`` is the place of the transaction that was seen among its sender's. Across chains ``bridge`` is
    the protocol and ``order_id`` its mark that links both ends; the ``destination_`` blocks are those of ``to_chain``.
    ``signed_transaction`` is what a wallet signed and the service sends; ``answer`` is the provider's firm answer.
    ``payer_claim`` is its wallet's signature under the claim that an unmarked transaction was this payment.
    ``departed_at`` is the time of the block in which the payer's side of it stands, where it crosses a bridge.
    ``looked_at`` is when its chain was last asked about it, whatever it said.
    ``platform_fee_usd`` is what the issued call gives the operator, at the price of that moment;
    ``platform_fee_base_units`` of what the payer gives, none where it is taken out of what comes.
    ``unsaid`` are parts of it that no node could speak of: see ``payments.services.unsaid``.
    ``search_at`` is when it is searched for by itself, beside its chain's reader: see ``payments.services.searches``.
    ``mark`` is that by which a reader of its chain knows its transaction: see ``chains.reader.marks``.
    ``rate_base_units`` is the whole amount at the rate it was quoted at, kept until ``rate_until``, where the intent's
    was frozen anew since; null: the intent's own.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    intent = models.ForeignKey(PaymentIntent, on_delete=models.CASCADE, related_name="legs")
    attempt = models.ForeignKey(PaymentAttempt, on_delete=models.CASCADE, null=True, related_name="legs")
    sequence = models.PositiveIntegerField()
    kind = models.CharField(max_length=12)
    provider = models.CharField(max_length=32)
    chain = models.CharField(max_length=MAX_NAME)
    to_chain = models.CharField(max_length=MAX_NAME)
    token = models.CharField(max_length=MAX_NAME)
    to_token = models.CharField(max_length=MAX_NAME)
    token_address = models.CharField(max_length=MAX_NAME)
    token_decimals = models.PositiveSmallIntegerField()
    to_token_decimals = models.PositiveSmallIntegerField()
    input_base_units = BaseUnitsColumn()
    min_output_base_units = BaseUnitsColumn()
    output_base_units = OptionalBaseUnitsColumn(null=True)
    amount_usd = UsdColumn()
    fee_usd = UsdColumn(default=ZERO_USD)
    gas_usd = UsdColumn(default=ZERO_USD)
    platform_fee_base_units = BaseUnitsColumn(default=0)
    platform_fee_usd = UsdColumn(default=ZERO_USD)
    rate_base_units = OptionalBaseUnitsColumn(null=True)
    rate_until = models.DateTimeField(null=True)
    typical_seconds = models.PositiveIntegerField(default=0)
    sub_status = models.CharField(max_length=40, blank=True)
    tx_hash = models.CharField(max_length=128, blank=True)
    destination_tx_hash = models.CharField(max_length=128, blank=True)
    block_number = models.BigIntegerField(null=True)
    confirmations = models.PositiveIntegerField(default=0)
    confirmations_required = models.PositiveIntegerField(default=1)
    payer_address = models.CharField(max_length=MAX_NAME)
    issued = models.JSONField(default=dict)
    mark = models.CharField(max_length=64, blank=True, db_default="")
    start_block = models.BigIntegerField(null=True)
    scanned_block = models.BigIntegerField(null=True)
    source_nonce = models.BigIntegerField(null=True)
    tool = models.CharField(max_length=64, blank=True)
    bridge = models.CharField(max_length=32, blank=True)
    order_id = models.CharField(max_length=200, blank=True)
    destination_start_block = models.BigIntegerField(null=True)
    destination_scanned_block = models.BigIntegerField(null=True)
    signed_transaction = models.TextField(blank=True)
    payer_claim = models.TextField(blank=True)
    answer = models.JSONField(default=dict)
    unsaid = models.JSONField(default=dict, db_default={})
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=now)
    looked_at = models.DateTimeField(null=True)
    search_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    departed_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(default=now)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=LegStatus.values), name="leg_status_known"),
            models.UniqueConstraint(fields=["intent", "sequence"], name="legs_are_numbered"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["mode", "-submitted_at"], name="leg_record"),
            models.Index(fields=["tx_hash"], condition=~Q(tx_hash=""), name="leg_by_hash"),
            models.Index(fields=["mark"], condition=~Q(mark=""), name="leg_by_mark"),
            models.Index(fields=["search_at", "id"], condition=Q(search_at__isnull=False), name="leg_to_search"),
            models.Index(fields=["destination_tx_hash"], condition=~Q(destination_tx_hash=""), name="leg_by_arrival"),
            models.Index(fields=["confirmed_at"], condition=Q(confirmed_at__isnull=False), name="leg_confirmed"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"leg {self.sequence} of {self.intent_id}"


class BridgeOrder(models.Model):
    """An order that a leg's transaction opened. Several where its chain took another branch: each may be filled."""

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="orders")
    order_id = models.CharField(max_length=200)
    opened_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["leg", "order_id"], name="an_order_is_a_legs_once")]
        indexes: ClassVar = [models.Index(fields=["order_id"], name="bridge_order")]

    def __str__(self) -> str:
        """Its id."""
        return self.order_id


class MarkedTransaction(models.Model):
    """A transaction in which a chain's reader found a leg's mark. What it brought is seen when the leg is looked at.

    ``news_at`` is when the reader last had news of it, ``looked_at`` when a look that began then was written down;
    ``gone_at`` says that its block is of no branch that stands, ``final_at`` that its chain calls the block final.
    """

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="marked")
    intent = models.ForeignKey(PaymentIntent, on_delete=models.CASCADE, related_name="marked")
    chain = models.CharField(max_length=MAX_NAME)
    lane = models.CharField(max_length=8)
    tx_hash = models.CharField(max_length=128)
    block_number = models.BigIntegerField()
    block_hash = models.CharField(max_length=128)
    news_at = models.DateTimeField(default=now)
    looked_at = models.DateTimeField(null=True)
    final_at = models.DateTimeField(null=True)
    gone_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["leg", "chain", "tx_hash"], name="a_transaction_is_marked_once_for_a_leg")
        ]
        indexes: ClassVar = [models.Index(fields=["chain", "block_number"], name="marked_by_block")]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.tx_hash} with the mark of leg {self.leg_id}"


class Credit(models.Model):
    """Money seen arriving on a chain; one event on a chain can credit at most once, ever.

    ``position`` is the log index, trace path or token account. ``final_at``: it counts, by the settle policy;
    ``finalized_at``: its chain calls it final. ``reversed_at`` marks a credit that a reorganisation removed, and
    ``vanished_at`` one that was final and is gone all the same: that changes nothing by itself and needs a person.
    ``mark`` is what makes it the leg's (``chains.clients.base.Mark``). With the purpose ``unattributed`` it is
    nobody's: it moved inside the leg's own call, has no intent, and needs a person. A ``stray`` is another token than
    was asked for, or came to another place: worth nothing here, and its intent's so that a person sees it.
    ``promised_at`` is when a refund first gave a stray back: from then on no better title takes it over.
    ``payer`` is the wallet that provably sent it, by the credit's own transaction, never by its leg; empty: nobody's.
    ``payer_nonce`` is that transaction's, ``payer_proof`` how the wallet is known (``chains.clients.base.PayerProof``).
    ``payer_due_at`` is when a credit of before payers were kept is read again for it.
    ``counted_base_units`` are the settlement units that it counts for at the intent's frozen rate, where those are not
    its own: it left too late, at the price ``price_usd`` of its block, or was asked for at another rate.
    Source: docs/adr/0043; docs/adr/0044.
    """

    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=MAX_NAME)
    tx_hash = models.CharField(max_length=128)
    kind = models.CharField(max_length=12)
    position = models.CharField(max_length=64)
    purpose = models.CharField(max_length=12, default="settlement")
    mark = models.CharField(max_length=16, blank=True, default="")
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, null=True, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    intent = models.ForeignKey(PaymentIntent, on_delete=models.PROTECT, null=True, related_name="credits")
    leg = models.ForeignKey(Leg, on_delete=models.PROTECT, null=True, related_name="credits")
    token_address = models.CharField(max_length=MAX_NAME)
    base_units = BaseUnitsColumn()
    counted_base_units = OptionalBaseUnitsColumn(null=True)
    price_usd = PriceColumn(null=True)
    value_usd = UsdColumn()
    sender = models.CharField(max_length=MAX_NAME)
    payer = models.CharField(max_length=MAX_NAME, blank=True)
    payer_nonce = models.BigIntegerField(null=True)
    payer_proof = models.CharField(max_length=16, blank=True)
    payer_due_at = models.DateTimeField(null=True)
    recipient = models.CharField(max_length=MAX_NAME)
    block_number = models.BigIntegerField()
    block_hash = models.CharField(max_length=128)
    block_time = models.DateTimeField()
    late = models.BooleanField(default=False)
    observed_at = models.DateTimeField(default=now)
    final_at = models.DateTimeField(null=True)
    finalized_at = models.DateTimeField(null=True)
    vanished_at = models.DateTimeField(null=True)
    reversed_at = models.DateTimeField(null=True)
    promised_at = models.DateTimeField(null=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["network", "chain", "tx_hash", "kind", "position"], name="one_credit_per_chain_event"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["tx_hash"], name="credit_by_hash"),
            models.Index(fields=["merchant", "mode", "sender", "-observed_at"], name="credit_by_sender"),
            models.Index(fields=["merchant", "mode", "observed_at"], condition=Q(late=True), name="credit_late"),
            models.Index(fields=["payer_due_at"], condition=Q(payer_due_at__isnull=False), name="credit_payer_unknown"),
            models.Index(
                fields=["merchant", "chain"],
                condition=Q(final_at__isnull=False, finalized_at=None, reversed_at=None, mode=Mode.LIVE),
                name="credit_not_final",
            ),
            models.Index(
                fields=["merchant", "mode", "observed_at"],
                condition=Q(purpose="unattributed"),
                name="credit_unattributed",
            ),
            models.Index(fields=["merchant", "mode", "observed_at"], condition=Q(purpose="stray"), name="credit_stray"),
            models.Index(fields=["final_at"], condition=Q(final_at__isnull=False), name="credit_final"),
            models.Index(fields=["reversed_at"], condition=Q(reversed_at__isnull=False), name="credit_reversed"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.base_units} in {self.tx_hash}"


def stray_id_of(intent_id: uuid.UUID, credit_id: int) -> uuid.UUID:
    """What a stray is called on the wire. Why not its key: that counts the credits of all merchants."""
    return uuid.uuid5(intent_id, f"stray {credit_id}")


class CountedElsewhere(Tenant):
    """A transfer with the mark, or the claim, of a leg that counts for somebody else; to be told until ``told_at``.

    Why no constraint to the intent: the row may be written by whoever holds another intent's lock, and a constraint
    would wait for this one's. Source: docs/adr/0044.
    """

    intent = models.ForeignKey(
        PaymentIntent, on_delete=models.CASCADE, db_constraint=False, related_name="counted_elsewhere"
    )
    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, db_constraint=False, related_name="counted_elsewhere")
    chain = models.CharField(max_length=MAX_NAME)
    tx_hash = models.CharField(max_length=128)
    kind = models.CharField(max_length=12)
    position = models.CharField(max_length=64)
    base_units = BaseUnitsColumn()
    noticed_at = models.DateTimeField(default=now)
    told_at = models.DateTimeField(null=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["leg", "chain", "tx_hash", "kind", "position"], name="counted_elsewhere_told_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["noticed_at"], condition=Q(told_at=None), name="counted_elsewhere_untold"),
            models.Index(fields=["merchant", "mode", "noticed_at"], name="counted_elsewhere_newest"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.base_units} in {self.tx_hash}"
