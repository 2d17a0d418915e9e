"""Following signed legs on the chain: first look, outside any transaction, then write down what was seen."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from chains.clients.base import (
    BridgeReport,
    ChainClient,
    IssuedLeg,
    ObservedTransfer,
    SeenStatus,
    SeenTransaction,
)
from chains.errors import ChainUnavailable
from chains.registry import confirmations_required
from core.clock import now
from core.transitions import move
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.services.credits import record_transfers, withdraw_missing
from payments.services.outcome import conclude
from payments.services.schedule import HINT_LIFETIME, REPLACED, REVERTED, schedule_next_look, watched_legs
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import (
    ATTEMPT_MACHINE,
    FLYING_LEG,
    LEG_MACHINE,
    UNSENT_LEG,
    AttemptStatus,
    IntentStatus,
    LegStatus,
)

logger = logging.getLogger("causeway.payments")


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """Everything the chain and the route's operator say of one leg at this moment."""

    leg_id: UUID
    seen: SeenTransaction | None
    transfers: tuple[ObservedTransfer, ...]
    refund: ObservedTransfer | None
    report: BridgeReport
    scanned_to: int | None = None


def look_at_legs(intent: PaymentIntent, client: ChainClient) -> list[Sighting]:
    """Ask the chain about every leg whose money has not arrived. No transaction is open.

    A leg that no node can speak of now is left out: silence changes nothing.
    """
    sightings = []
    for leg in watched_legs(intent):
        try:
            sightings.append(_look(intent, leg, client))
        except ChainUnavailable as error:
            logger.warning("no node of %s spoke of leg %s; looking again later", error.chain_name, leg.pk)
    return sightings


def _look(intent: PaymentIntent, leg: Leg, client: ChainClient) -> Sighting:
    view = client.look(_issued(intent, leg))
    return Sighting(
        leg_id=leg.pk,
        seen=view.seen,
        transfers=view.transfers,
        refund=view.refund,
        report=view.report,
        scanned_to=view.scanned_to,
    )


def _issued(intent: PaymentIntent, leg: Leg) -> IssuedLeg:
    credited = list(leg.credits.values_list("tx_hash", "block_number")) if leg.status in FLYING_LEG else []
    return IssuedLeg(
        tag=str(leg.pk),
        chain=leg.chain,
        to_chain=leg.to_chain,
        sender=leg.payer_address,
        recipient=intent.settlement_address,
        token_address=intent.settlement_token_address,
        tx_hash=leg.tx_hash,
        known_hashes=tuple(tx_hash for tx_hash, _ in credited),
        nonce=leg.source_nonce,
        start_block=leg.start_block,
        scanned_to=leg.scanned_block,
        least_head=max([leg.start_block or 0, *(number for _, number in credited)]),
    )


@transaction.atomic
def record_sightings(intent_id: UUID, sightings: Iterable[Sighting]) -> None:
    """Write down what was seen and draw the conclusions. Locks: the intent."""
    intent = locked_intent(intent_id)
    for sighting in sightings:
        leg = intent.legs.select_related("attempt").get(pk=sighting.leg_id)
        _remember(leg, sighting)
        _find(intent, leg, sighting)
        if leg.status in FLYING_LEG:
            withdraw_missing(leg, sighting.transfers)
            record_transfers(intent, leg, sighting.transfers)
            _follow(leg, sighting)
    conclude(intent)
    schedule_next_look(intent)


def _remember(leg: Leg, sighting: Sighting) -> None:
    """Keep what the next look starts from."""
    seen = sighting.seen
    nonce = seen.nonce if seen is not None and seen.tag == str(leg.pk) else None
    facts = {"scanned_block": sighting.scanned_to, "source_nonce": nonce}
    _save(leg, {name: fact for name, fact in facts.items() if fact is not None and fact != getattr(leg, name)})


def _find(intent: PaymentIntent, leg: Leg, sighting: Sighting) -> None:
    """Notice that a leg was sent: by the wallet's hint or, without one, by what arrived.

    Why the status is asked again: another worker may have gone further since this one looked.
    """
    if leg.status not in UNSENT_LEG:
        return
    seen = sighting.seen
    if seen is not None and seen.tag != str(leg.pk):
        _drop_hint(leg, "tx_not_for_this_intent")
    elif seen is None and leg.tx_hash and _is_stale(leg.submitted_at):
        _drop_hint(leg, "tx_not_found")
    elif _is_somewhere(seen) or sighting.transfers:
        changes: dict[str, Any] = {"submitted_at": leg.submitted_at or now(), "updated_at": now(), "error": ""}
        move(LEG_MACHINE, leg, "submit", changes)
        _begin_execution(intent, leg)


def _is_somewhere(seen: SeenTransaction | None) -> bool:
    return seen is not None and seen.status != SeenStatus.REPLACED


def _is_stale(reported_at: datetime | None) -> bool:
    return reported_at is not None and now() - reported_at > HINT_LIFETIME


def _drop_hint(leg: Leg, reason: str) -> None:
    leg.tx_hash, leg.submitted_at, leg.error, leg.updated_at = "", None, reason, now()
    leg.save(update_fields=["tx_hash", "submitted_at", "error", "updated_at"])


def _begin_execution(intent: PaymentIntent, leg: Leg) -> None:
    attempt: PaymentAttempt | None = leg.attempt
    if attempt is not None and attempt.status == AttemptStatus.AWAITING_SIGNATURE:
        move(ATTEMPT_MACHINE, attempt, "sign", {"signed_at": now()})
        if intent.status == IntentStatus.AWAITING_SIGNATURE:
            apply_trigger(intent, "sign", actor=PAYER)


def _follow(leg: Leg, sighting: Sighting) -> None:
    """Move a flying leg by what is now known of it.

    Why two depths: a revert and a return happen on the payer's chain, an arrival on the merchant's.
    """
    seen, changes = sighting.seen, _block_facts(sighting)
    if seen is not None and seen.status == SeenStatus.REPLACED:
        move(LEG_MACHINE, leg, "fail", {**changes, "error": REPLACED, "tx_hash": "", "source_nonce": None})
    elif seen is not None and seen.status == SeenStatus.REVERTED:
        if seen.confirmations >= confirmations_required(leg.chain):
            move(LEG_MACHINE, leg, "fail", {**changes, "error": REVERTED})
    elif sighting.refund is not None and sighting.refund.confirmations >= confirmations_required(leg.chain):
        move(LEG_MACHINE, leg, "give_back", {**changes, "destination_tx_hash": sighting.refund.tx_hash})
    elif _all_final(leg, sighting.transfers):
        _confirm(leg, sighting, changes)
    elif leg.status == LegStatus.CONFIRMING and not sighting.transfers and sighting.report == BridgeReport.UNKNOWN:
        move(LEG_MACHINE, leg, "lose_sight", changes)
    elif leg.status == LegStatus.SUBMITTED and (sighting.transfers or _is_included(seen)):
        move(LEG_MACHINE, leg, "include", changes)
    else:
        _save(leg, changes)


def _is_included(seen: SeenTransaction | None) -> bool:
    return seen is not None and seen.status == SeenStatus.INCLUDED


def _block_facts(sighting: Sighting) -> dict[str, Any]:
    """Block number and depth: of the arrival once there is one, until then of the payer's transaction."""
    facts: dict[str, Any] = {"updated_at": now()}
    if sighting.transfers:
        facts["confirmations"] = min(transfer.confirmations for transfer in sighting.transfers)
        facts["block_number"] = sighting.transfers[0].block_number
    elif sighting.seen is not None and sighting.seen.block_number is not None:
        facts["confirmations"] = sighting.seen.confirmations
        facts["block_number"] = sighting.seen.block_number
    return facts


def _all_final(leg: Leg, transfers: tuple[ObservedTransfer, ...]) -> bool:
    return bool(transfers) and all(transfer.confirmations >= leg.confirmations_required for transfer in transfers)


def _confirm(leg: Leg, sighting: Sighting, changes: dict[str, Any]) -> None:
    transfers = sighting.transfers
    arrived = sum(transfer.base_units for transfer in transfers)
    move(
        LEG_MACHINE,
        leg,
        "confirm",
        {
            **changes,
            "tx_hash": leg.tx_hash if sighting.seen else _sent_as(leg, transfers[0]) or leg.tx_hash,
            "destination_tx_hash": transfers[0].tx_hash,
            "output_base_units": arrived,
            "sub_status": "partial" if arrived < leg.min_output_base_units else "",
            "confirmed_at": now(),
        },
    )


def _sent_as(leg: Leg, arrival: ObservedTransfer) -> str:
    """The payer's own hash, where the one that was told is nowhere: the arrival's on the same chain.

    Why told ones may be nowhere: a wallet that pays more for speed sends the same call under another hash.
    """
    return arrival.tx_hash if arrival.chain == leg.chain else ""


def _save(leg: Leg, changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        setattr(leg, name, value)
    if changes:
        leg.save(update_fields=list(changes))
