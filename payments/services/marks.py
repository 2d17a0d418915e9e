"""What the readers of live chains look for, and to which leg it leads.

A mark is a leg's for ever; what is asked of a chain is bounded by the addresses where something is awaited, and by what
is under way over bridges. Source: docs/adr/0058, docs/adr/0100.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, F, Q, QuerySet, Subquery

from chains.clients.across import ACROSS, Order
from chains.models import ChainReader, Lane, WatchedAddress
from chains.reader.base import Opened, Watch
from chains.reader.marks import mark_of_call, mark_of_tag, marks_in
from chains.registry import EVM_NATIVE_ADDRESS, Family, chain
from core.clock import now
from core.compiled import compiled_once
from core.modes import Mode
from payments.models import AwaitedBy, BridgeOrder, Leg, MarkedTransaction, PaymentIntent
from payments.routing.base import LegKind
from payments.states import FLYING_LEG, UNSENT_LEG

BRIDGES_WATCHED = timedelta(hours=24)
"""How long after an intent's end its bridges' orders, and payments in coin, are read for."""
MOST_MARKS_A_LOOKUP = 2_000
MOST_LOOKED_AT = 20
"""Transactions of a leg that are looked at together; the rest is news for the next look."""


LANES = {Family.EVM: (Lane.LOGS, Lane.BLOCKS), Family.SOLANA: (Lane.ACCOUNTS,)}
"""By what the chains of a family are read; each lane has a reader of its own."""
EXTENDED_SELDOM = timedelta(hours=1)
"""How much longer an address must be awaited before that is written down. Why: not with every payment."""


def is_read(place: str) -> bool:
    """Whether a chain is of a family that has readers."""
    return bool(lanes_of(place))


def lanes_of(place: str) -> tuple[Lane, ...]:
    """By what a chain is read; nothing where nobody knows the chain."""
    known = chain(place)
    return () if known is None else LANES[known.family]


def is_read_by_blocks(place: str) -> bool:
    """Whether a chain is of a family whose chains are read block by block."""
    return Lane.LOGS in lanes_of(place)


def mark_of(leg: Leg, issued: Mapping[str, Any]) -> str:
    """By what a reader knows the transaction that a leg's wallet is given; empty where none can.

    Why none of what leaves Solana over a bridge: it touches no account of a merchant there.
    """
    if not is_read(leg.chain) or leg.mode != Mode.LIVE:
        return ""
    if not is_read_by_blocks(leg.chain):
        return str(issued.get("reference", "")) if leg.chain == leg.to_chain else ""
    request = issued.get("request")
    if request is None or leg.kind == LegKind.TRANSFER:
        return mark_of_tag(str(leg.pk))
    return mark_of_call(bytes.fromhex(request["data"].removeprefix("0x")))


def watch_address(intent: PaymentIntent) -> None:
    """Have the readers ask for what settles the intent. In the transaction that hands out what is to be signed."""
    is_coin_by_blocks = intent.settlement_token_address == EVM_NATIVE_ADDRESS
    if intent.mode != Mode.LIVE or not is_read(intent.settlement_chain) or is_coin_by_blocks:
        return
    until = intent.expires_at + BRIDGES_WATCHED
    row, _ = WatchedAddress.objects.get_or_create(
        network=settings.NETWORK_PROFILE,
        chain=intent.settlement_chain,
        token_address=intent.settlement_token_address,
        address=intent.settlement_address,
        defaults={"awaited_until": until + EXTENDED_SELDOM},
    )
    by_blocks = is_read_by_blocks(row.chain)
    rests = by_blocks and row.read_at is not None
    if rests or row.awaited_until is None or until > row.awaited_until + EXTENDED_SELDOM:
        asked_again: dict[str, None] = {"read_at": None} if by_blocks else {}
        WatchedAddress.objects.filter(pk=row.pk).update(awaited_until=until + EXTENDED_SELDOM, **asked_again)
    own, _ = AwaitedBy.objects.get_or_create(
        watched=row, merchant_id=intent.merchant_id, defaults={"awaited_until": until + EXTENDED_SELDOM}
    )
    if until > own.awaited_until + EXTENDED_SELDOM:
        AwaitedBy.objects.filter(pk=own.pk).update(awaited_until=until + EXTENDED_SELDOM)


def heights(intent: PaymentIntent) -> dict[str, int]:
    """How far chains were read by who finds the intent's payments; nothing where its address is left out."""
    if intent.mode != Mode.LIVE:
        return {}
    own = watched_addresses(intent.settlement_chain).filter(address=intent.settlement_address)
    by_lane: dict[str, list[int]] = {}
    settles = (intent.settlement_chain, intent.settlement_token_address, intent.settlement_address)
    for place, read_to, own_read_to in _read_to(settings.NETWORK_PROFILE, *settles, now()):
        is_behind = own_read_to is not None and place == intent.settlement_chain and is_read_by_blocks(place)
        by_lane.setdefault(place, []).append(min(read_to or 0, own_read_to or 0) if is_behind else read_to or 0)
    read = {place: min(found) for place, found in by_lane.items() if len(found) == len(lanes_of(place))}
    if read and not is_read_by_blocks(intent.settlement_chain):
        # Why not by the reader: each account there is read by itself, and a new one has yet to be.
        by_itself = own.filter(token_address=intent.settlement_token_address, read_to__isnull=False)
        read.pop(intent.settlement_chain, None)
        read |= {row.chain: row.read_to for row in by_itself if row.read_to is not None}
    return read


@compiled_once
def _read_to(
    network: str, place: str, token: str, address: str, moment: datetime
) -> QuerySet[ChainReader, tuple[str, int | None, int | None]]:
    """Each reader, how far it is, and how far the address is where that is read by itself."""
    own = WatchedAddress.objects.filter(network=network, chain=place, address=address)
    is_left_out = Exists(own.filter(left_out_until__gt=moment))
    by_itself = Subquery(own.filter(token_address=token).values("read_to")[:1])
    rows = ChainReader.objects.filter(~is_left_out, network=network, read_to__isnull=False)
    return rows.annotate(own_read_to=by_itself).values_list("chain", "read_to", "own_read_to")


def watched_addresses(place: str) -> QuerySet[WatchedAddress]:
    """Where money may arrive on a chain."""
    rows: QuerySet[WatchedAddress] = WatchedAddress.objects.filter(network=settings.NETWORK_PROFILE, chain=place)
    return rows


def not_left_out(place: str) -> QuerySet[WatchedAddress]:
    """Those of a chain that are not left alone for a while."""
    return watched_addresses(place).filter(Q(left_out_until=None) | Q(left_out_until__lte=now()))


def followed(rows: QuerySet[WatchedAddress]) -> QuerySet[WatchedAddress]:
    """Those of them that each block is asked about; the others rest (``payments.services.resting``)."""
    return rows.filter(read_at=None)


NEWS = Q(looked_at=None) | Q(looked_at__lte=F("news_at"))
"""Of what readers found: no look has been written down since."""


def marked_for(leg: Leg) -> list[MarkedTransaction]:
    """What is looked at of that now: the oldest news, and what no node could speak of before."""
    return _marked_news(leg.pk) if not leg.unsaid else _marked_news_or(leg.pk, list(leg.unsaid))


@compiled_once
def _marked_news(leg_id: UUID) -> QuerySet[MarkedTransaction]:
    return MarkedTransaction.objects.filter(NEWS, leg_id=leg_id).order_by("pk")[:MOST_LOOKED_AT]


@compiled_once
def _marked_news_or(leg_id: UUID, hashes: Sequence[str]) -> QuerySet[MarkedTransaction]:
    rows = MarkedTransaction.objects.filter(NEWS | Q(tx_hash__in=hashes), leg_id=leg_id)
    return rows.order_by("pk")[:MOST_LOOKED_AT]


def watch_for(place: str) -> Watch:
    """What a chain is read for now."""
    asked = followed(not_left_out(place))
    bridges = _handed_out().exclude(bridge="")
    leaving = bridges.filter(chain=place).exclude(to_chain=place)
    coming = BridgeOrder.objects.filter(leg__in=bridges.filter(to_chain=place))
    return Watch(
        transfers=frozenset(asked.values_list("token_address", "address")),
        coin_recipients=coins_awaited(place),
        depositors=frozenset(leaving.values_list("payer_address", flat=True)),
        orders=frozenset(_ids(coming.values_list("order_id", flat=True))),
    )


def coins_awaited(place: str) -> frozenset[str]:
    """Where a chain's native coin may arrive for somebody, or did in a block that is to be read once more."""
    own = Q(to_chain=place, chain=place, intent__settlement_token_address=EVM_NATIVE_ADDRESS)
    found = MarkedTransaction.objects.filter(chain=place, lane=Lane.BLOCKS, final_at=None, gone_at=None)
    legs = [_handed_out().filter(own), Leg.objects.filter(own, pk__in=found.values("leg_id"))]
    return frozenset(address for some in legs for address in some.values_list("intent__settlement_address", flat=True))


def awaited_on_chains() -> QuerySet[Leg]:
    """Live legs that somebody may have paid, or may pay, of intents that are not long over."""
    return _handed_out().filter(status__in=[*FLYING_LEG, *UNSENT_LEG])


def _handed_out() -> QuerySet[Leg]:
    """The same, and those that were paid: what is sent twice arrives twice, and each block is read twice."""
    rows: QuerySet[Leg] = Leg.objects.filter(mode=Mode.LIVE, intent__expires_at__gt=now() - BRIDGES_WATCHED)
    return rows.exclude(issued={})


def legs_of(place: str, opened: Iterable[Opened]) -> Iterator[tuple[Leg, Opened]]:
    """Every leg with each transaction that carries its mark, or fills its order."""
    seen = list(opened)
    yield from _carried(Leg.objects.filter(mode=Mode.LIVE, chain=place), seen)
    for one in seen:
        if one.orders:
            filled = Leg.objects.filter(mode=Mode.LIVE, to_chain=place, orders__order_id__in=one.orders).distinct()
            yield from ((leg, one) for leg in filled.order_by("pk"))


def legs_paid_at(address: WatchedAddress, opened: Iterable[Opened]) -> Iterator[tuple[Leg, Opened]]:
    """Every leg that is to be paid at an address, with each of these transactions that carries its mark.

    Why no others: whoever is paid elsewhere is found there; and anybody may name a mark anywhere.
    """
    own = Leg.objects.filter(
        mode=Mode.LIVE,
        chain=address.chain,
        intent__settlement_token_address=address.token_address,
        intent__settlement_address=address.address,
    )
    return _carried(own, opened)


def _carried(legs: QuerySet[Leg], opened: Iterable[Opened]) -> Iterator[tuple[Leg, Opened]]:
    """Each of these legs with each transaction that carries its mark."""
    carriers: dict[str, list[Opened]] = {}
    for one in opened:
        for mark in one.marks or marks_in(one.content):
            carriers.setdefault(mark, []).append(one)
    marks = sorted(carriers)
    for start in range(0, len(marks), MOST_MARKS_A_LOOKUP):
        found = legs.filter(mark__among=marks[start : start + MOST_MARKS_A_LOOKUP])
        yield from ((leg, one) for leg in found.order_by("pk") for one in carriers[leg.mark])


def _ids(order_ids: Iterable[str]) -> Iterator[tuple[int, int]]:
    for text in order_ids:
        if text.startswith(f"{ACROSS}:"):
            order = Order.parse(text)
            yield order.origin_chain_id, order.deposit_id
