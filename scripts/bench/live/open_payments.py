"""Makes open payments on the local node's chain, as many as wanted, and pays them.

The first goes the whole way of a payer; the others are copies of its rows, each with ids and a tag of its own. Must be
imported only when the environment is set, because it needs the service.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from django.db import models, transaction

from chains.reader.marks import mark_of_tag
from core.clock import now
from core.ids import new_growing_id
from core.modes import Mode
from core.money import UsdAmount
from localnet.addresses import CHAIN_IDS
from localnet.devchain import Call, DevChain, fresh_wallet
from merchants.principal import Principal
from payments.models import Leg, PayerWallet, PaymentAttempt, PaymentIntent, QueuedIntent, RouteCandidate
from payments.services.advance import sweep_due
from payments.services.attempts import connect_wallet, request_quote, request_start
from payments.services.create import NewIntent, create_intent
from tokens.models import Token, TokenPrice
from webhooks.models import Event

CHAIN, SYMBOL = "base", "USDC"
LASTS = timedelta(hours=6)
"""Longer than any run, so that nothing ends by itself."""
GAS, FEE = 100_000, 10**11
PLENTY = 10**24


@dataclass(kw_only=True)
class Till:
    """A merchant, a payer, and the node between them."""

    node: DevChain
    merchant_id: int
    payer: Any = field(default_factory=fresh_wallet)
    address: str = field(default_factory=lambda: fresh_wallet().address)
    _nonces: "count[int]" = field(default_factory=count)

    def prepare(self) -> None:
        """Know what things cost, and give the payer what it pays with."""
        TokenPrice.objects.bulk_create(
            TokenPrice(
                token=token, source=source, price_usd=Decimal(1 if token.is_usd_stablecoin else 2500), priced_at=now()
            )
            for token in Token.objects.filter(verified=True)
            for source in ("one", "other")
        )
        self.node.fund(self.payer.address, PLENTY)
        self.node.mint(self.token_address, self.payer.address, PLENTY)

    @property
    def token_address(self) -> str:
        """Of what is paid with."""
        return str(Token.objects.get(chain=CHAIN, symbol=SYMBOL).address)

    def new_intent(self) -> PaymentIntent:
        """An intent over 25 dollars, as a merchant creates it."""
        wish = NewIntent(
            amount_usd=UsdAmount(Decimal(25)),
            settlement_chain=CHAIN,
            settlement_token=SYMBOL,
            settlement_address=self.address,
            expires_in_seconds=86_400,
        )
        return create_intent(Principal(merchant_id=self.merchant_id, mode=Mode.LIVE, actor="key:1"), wish)

    def first(self) -> PaymentIntent:
        """One payment on its whole way to what a wallet is asked to sign."""
        intent = self.new_intent()
        connect_wallet(intent.pk, "evm", self.payer.address)
        sweep_due()
        wallet = PayerWallet.objects.get(intent=intent)
        request_quote(intent.pk, wallet, CHAIN, self.token_address, scenario="")
        sweep_due()
        request_start(intent.pk, PaymentAttempt.objects.get(intent=intent).pk)
        sweep_due()
        intent.refresh_from_db()
        assert intent.status == "awaiting_signature", intent.status  # noqa: S101 - else nothing here means anything
        return intent

    def copies(self, first: PaymentIntent, wanted: int) -> list[Leg]:
        """So many payments more that wait as the first one does; their legs."""
        PaymentAttempt.objects.filter(intent=first).update(signature_due_at=now() + LASTS)
        QueuedIntent.objects.filter(pk=first.pk).update(due_at=now() + LASTS, listed_at=now() + LASTS)
        made = copied(first.pk, wanted)
        return list(Leg.objects.filter(intent__in=made).order_by("pk"))

    def pay(self, legs: Sequence[Leg], *, together: bool = True) -> None:
        """Send what each leg's wallet is asked to, and have it stand in one block, or in one each."""
        sent: list[Call] = [("eth_sendRawTransaction", [self._signed(leg)]) for leg in legs]
        if not together:
            self.node.rpc_all(sent)
            return
        self.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
        self.node.rpc_all(sent)
        self.node.mine()
        self.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.

    def _signed(self, leg: Leg) -> str:
        request = leg.issued["request"]
        wanted = {
            "to": request["to"],
            "value": 0,
            "data": request["data"],
            "chainId": CHAIN_IDS[CHAIN],
            "nonce": next(self._nonces),
            "gas": GAS,
            "maxFeePerGas": FEE,
            "maxPriorityFeePerGas": 1,
        }
        signed: bytes = self.payer.sign_transaction(wanted).raw_transaction
        return "0x" + bytes(signed).hex()


def copied(first_id: UUID, wanted: int) -> list[PaymentIntent]:
    """Copies of all rows of a payment, without what readers and chains told of it; their intents."""
    intent = PaymentIntent.objects.get(pk=first_id)
    attempts, legs = list(intent.payment_attempts.all()), list(intent.legs.all())
    rows: list[models.Model] = [intent, *intent.history.order_by("id"), *intent.payer_wallets.all(), *attempts]
    rows += [*intent.route_candidates.all(), *legs, *Event.objects.filter(resource_id=first_id)]
    rows += QueuedIntent.objects.filter(pk=first_id)
    made: dict[type[models.Model], list[models.Model]] = {}
    for _ in range(wanted):
        ids = {old: uuid4() for old in (first_id, *(one.pk for one in (*attempts, *legs)))}
        for row in rows:
            made.setdefault(type(row), []).append(copy_of(row, ids))
    with transaction.atomic():
        for model, copies in made.items():
            model._default_manager.bulk_create(copies, batch_size=500)
    return [one for one in made[PaymentIntent] if isinstance(one, PaymentIntent)]


def copy_of(row: models.Model, ids: dict[UUID, UUID]) -> Any:
    """A row that differs in its own key and in those that it names, wherever they stand in it."""
    made: Any = type(row)()
    for column in row._meta.concrete_fields:
        value = getattr(row, column.attname)
        setattr(made, column.attname, ids.get(value, value) if isinstance(value, UUID) else value)
    if isinstance(row, Event):
        made.pk, made.payload = f"evt_{new_growing_id().hex}", renamed(row.payload, ids)
    elif isinstance(row, RouteCandidate):
        made.pk = uuid4()
    elif row.pk not in ids:
        made.pk = None
    if isinstance(row, Leg):
        made.issued = json.loads(renamed(json.dumps(row.issued), ids))
        made.mark = mark_of_tag(str(made.pk))
    return made


def renamed(text: str, ids: dict[UUID, UUID]) -> str:
    """A text with these ids in place of the others, in either form."""
    for old, new in ids.items():
        text = text.replace(str(old), str(new)).replace(old.hex, new.hex)
    return text
