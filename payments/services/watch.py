"""Looking at signed legs on their chains, with no transaction open; what was seen is written down in ``follow``.

What the operator of a route says of a payment says where to look and when to worry, never that money arrived.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet, Sum

from chains.clients.allowance import BudgetSpent, asking_for
from chains.clients.base import (
    BridgeReport,
    ChainClient,
    Claim,
    IssuedCall,
    IssuedLeg,
    KnownBlock,
    LegView,
    Mark,
    SeenStatus,
)
from chains.errors import ChainUnavailable, QuestionUnanswered
from chains.finality import Finality
from core.clock import now
from core.compiled import compiled_once
from core.modes import Mode
from payments.models import Credit, FinalityPolicy, Leg, MarkedTransaction, PaymentIntent
from payments.routing.base import LegKind
from payments.routing.registry import operator_report
from payments.selectors import policy_for
from payments.services.budgets import LegPurse
from payments.services.marks import marked_for
from payments.services.reports import Looked, looked_for, open_hints
from payments.services.unsaid import given_up, left_alone, paused_until, unanswered_view
from payments.states import FLYING_LEG

logger = logging.getLogger("causeway.payments")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighting:
    """What was seen of a leg; of what its readers had found (``marked``, by key) before ``at``.

    ``looked`` are the hints that it was looked for by.
    """

    view: LegView
    at: datetime
    marked: tuple[int, ...] = ()
    looked: tuple[Looked, ...] = ()


def look_at_legs(
    intent: PaymentIntent, legs: Sequence[Leg], client: ChainClient, heights_read: Mapping[str, int]
) -> dict[UUID, Sighting]:
    """Ask the chain about legs whose money has not arrived, or counts and is not final yet.

    ``heights_read``: how far chains were read before this look began (``marks.heights``).
    A leg that no node can be asked about now is left out: silence changes nothing. Nor does what none of them can say,
    but that is counted, as is what takes too many questions. Raises: BudgetSpent where the whole intent, or its
    merchant, has asked enough, and nothing was seen.
    """
    views: dict[UUID, Sighting] = {}
    for leg in legs:
        if paused_until(leg) is not None:
            continue
        read = heights_read if leg.mark else {}
        moment, marked = now(), marked_for(leg) if read else []
        issued, purse = by_readers(issued_leg(intent, leg), marked, read), LegPurse(leg.pk)
        looked: tuple[Looked, ...] = ()
        try:
            with asking_for(purse):
                view, looked = _looked_at(leg, issued, client)
            known = frozenset(block.tx_hash for block in issued.known_blocks)
            view = replace(view, checked=known - view.unseen)
        except QuestionUnanswered as error:
            logger.warning("no node of %s can speak of leg %s: %s", error.chain_name, leg.pk, error.reason)
            view = unanswered_view(error.reason)
        except BudgetSpent as spent:
            logger.warning("questions_spent: leg %s of merchant %s", leg.pk, intent.merchant_id)
            if spent.purse is not purse and views:
                break  # what was seen is written down first; the next look begins with what is left to ask
            if spent.purse is not purse:
                raise
            view = unanswered_view("too many questions")
        except ChainUnavailable as error:
            logger.warning("no node of %s spoke of leg %s; looking again later", error.chain_name, leg.pk)
            continue
        views[leg.pk] = Sighting(view=view, at=moment, marked=tuple(row.pk for row in marked), looked=looked)
    return views


def _looked_at(leg: Leg, issued: IssuedLeg, client: ChainClient) -> tuple[LegView, tuple[Looked, ...]]:
    """What is seen of a leg, and of the hints that it was looked for by: one after the other until one is its own.

    Why in one look: a wrong hint must not have the right one wait.
    """
    hints = open_hints(leg)
    looked: list[Looked] = []
    views: list[LegView] = []
    if not hints:
        return with_hint(leg, client.look(issued)), ()
    for hint in hints:
        try:
            view = client.look(replace(issued, tx_hash=hint.tx_hash, claim=_claim(leg, hint.claim)))
        except (QuestionUnanswered, BudgetSpent, ChainUnavailable):
            if not views:
                raise
            break
        views.append(view)
        looked.append(looked_for(leg, hint, view.seen))
        if looked[-1].is_own:
            break
    last, unsaid = views[-1], {part: reason for view in views for part, reason in view.unsaid.items()}
    unseen = frozenset().union(*(view.unseen for view in views))
    seen = last.seen if looked[-1].is_own else None
    return replace(last, seen=seen, unsaid=unsaid, unseen=unseen), tuple(looked)


def by_readers(issued: IssuedLeg, marked: Sequence[MarkedTransaction], read: Mapping[str, int]) -> IssuedLeg:
    """The leg with what the readers of its chains found, where they have any."""
    return replace(
        issued,
        marked=tuple(row.tx_hash for row in marked if row.chain == issued.chain),
        marked_there=tuple(row.tx_hash for row in marked if row.chain == issued.to_chain),
        read_to=read.get(issued.chain),
        there_read_to=read.get(issued.to_chain),
    )


def issued_leg(intent: PaymentIntent, leg: Leg) -> IssuedLeg:
    """All by which a leg's money is recognised."""
    recorded = _credits_of(leg.pk)
    # Why without what is nobody's, or a stray: no node shows that among the leg's own transfers, and would be taken
    # to hide it.
    own = [credit for credit in recorded if credit.intent_id is not None and credit.mark != Mark.STRAY]
    counting = [credit for credit in own if credit.final_at is not None and credit.reversed_at is None]
    return IssuedLeg(
        tag=str(leg.pk),
        chain=leg.chain,
        to_chain=leg.to_chain,
        sender=leg.payer_address,
        recipient=intent.settlement_address,
        token_address=intent.settlement_token_address,
        call=_call(leg),
        authorization=leg.issued.get("authorization", ""),
        nothing_older=bool(leg.issued.get("authorization")),
        claim=_claim(leg, leg.payer_claim),
        reference=leg.issued.get("reference", ""),
        issued_transaction=leg.issued.get("transaction_base64", ""),
        last_valid_height=leg.issued.get("last_valid_block_height"),
        bridge=leg.bridge,
        order_id=leg.order_id,
        orders_before=_orders_before(leg),
        tx_hash=leg.tx_hash,
        known_hashes=tuple(dict.fromkeys(credit.tx_hash for credit in recorded)),
        nonce=leg.source_nonce,
        start_block=leg.start_block,
        scanned_to=leg.scanned_block,
        destination_start_block=leg.destination_start_block,
        destination_scanned_to=leg.destination_scanned_block,
        least_head=max((credit.block_number for credit in recorded), default=0),
        at_stake_usd=at_stake_usd(intent),
        at_least=_at_least(intent),
        known_blocks=tuple(
            KnownBlock(tx_hash=credit.tx_hash, number=credit.block_number, hash=credit.block_hash)
            for credit in counting
        ),
        settled_hashes=frozenset(credit.tx_hash for credit in own if credit.finalized_at is not None),
        left_alone=left_alone(leg),
        given_up=given_up(leg),
    )


@compiled_once
def _credits_of(leg_id: UUID) -> QuerySet[Credit]:
    return Credit.objects.filter(leg_id=leg_id).order_by("pk")


def _orders_before(leg: Leg) -> tuple[str, ...]:
    if leg.chain == leg.to_chain:
        return ()
    return tuple(leg.orders.exclude(order_id=leg.order_id).order_by("pk").values_list("order_id", flat=True))


def _at_least(intent: PaymentIntent) -> Finality:
    """What the merchant itself asks of the chain. Why not in test mode: nothing there is safe before it is final."""
    finality = policy_for(intent).finality if intent.mode == Mode.LIVE else FinalityPolicy.TABLE
    return Finality(finality) if finality else Finality.INCLUDED


def _claim(leg: Leg, claim: str) -> Claim | None:
    """What the payer signed about a transfer; a call is only ever recognised whole."""
    if not claim or leg.kind != LegKind.TRANSFER:
        return None
    signature = bytes.fromhex(claim.removeprefix("0x"))
    return Claim(signature=signature, base_units=leg.input_base_units)


def _call(leg: Leg) -> IssuedCall | None:
    """The call as it was issued; None for a transfer, which its tag alone marks."""
    request = leg.issued.get("request")
    if request is None or leg.kind == LegKind.TRANSFER:
        return None
    calldata = bytes.fromhex(request["data"].removeprefix("0x"))
    return IssuedCall(to=request["to"], value=int(request["value"], 16), calldata=calldata)


USUALLY_DONE = timedelta(minutes=2)
"""Before this, or the route's own time, nobody is asked: an answer would change nothing."""
OVERDUE_TIMES, OVERDUE_AT_LEAST = 3, timedelta(minutes=10)
"""When a payment under way counts as in doubt: this many of the route's usual times after it was sent."""
_LOGGER = logging.getLogger("causeway.payments")


def with_hint(leg: Leg, view: LegView) -> LegView:
    """The view of a leg between chains whose arrival is due, with what the operator says of it.

    Why an operator's word never ends it: only a chain can say that money arrived, or that it never can.
    Called outside any database transaction.
    """
    departed = view.seen is not None and view.seen.status == SeenStatus.INCLUDED
    is_open = view.report == BridgeReport.WAITING and leg.status in FLYING_LEG and bool(leg.bridge)
    # Due: the payer's side is done, the merchant's is not, and it should be.
    if not (departed and is_open and _age(leg) > max(timedelta(seconds=leg.typical_seconds), USUALLY_DONE)):
        return view
    report = operator_report(leg.provider, leg.tx_hash, leg.bridge, (leg.chain, leg.to_chain))
    overdue = _age(leg) > max(OVERDUE_TIMES * timedelta(seconds=leg.typical_seconds), OVERDUE_AT_LEAST)
    if report == BridgeReport.DONE:
        _LOGGER.error("payment_claimed_done: %s says leg %s arrived; its chain does not show it", leg.provider, leg.pk)
    is_doubtful = overdue or report in {BridgeReport.REFUNDED, BridgeReport.UNKNOWN}
    return replace(view, report=BridgeReport.UNKNOWN) if is_doubtful else view


def _age(leg: Leg) -> timedelta:
    return timedelta(0) if leg.submitted_at is None else now() - leg.submitted_at


def at_stake_usd(intent: PaymentIntent) -> Decimal:
    """By which amount is decided how surely a payment must stand: the intent's own, or all that is at stake together.

    At stake is what counts of a merchant's money and its chain may still take back.
    Why together above a limit: whoever can take back blocks takes back many small payments at once.
    Source: docs/live.md, What an operator sets.
    """
    amount: Decimal = intent.amount
    if intent.mode != Mode.LIVE:
        return amount
    elsewhere = _open_elsewhere(intent.merchant_id, intent.mode, intent.settlement_chain, intent.pk)
    together = sum(elsewhere, amount)
    return together if together > settings.UNFINALIZED_CAP_USD else amount


@compiled_once
def _open_elsewhere(merchant_id: int, mode: str, chain: str, intent_id: UUID) -> QuerySet[Credit, Decimal]:
    """What counts of a merchant's other payments on a chain and may still be taken back: one sum, or none."""
    rows = Credit.objects.filter(
        merchant_id=merchant_id, mode=mode, chain=chain, final_at__isnull=False, finalized_at=None, reversed_at=None
    ).exclude(intent_id=intent_id)
    return rows.order_by().values("merchant_id").annotate(total=Sum("value_usd")).values_list("total", flat=True)
