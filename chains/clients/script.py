"""What the simulated chain does with a leg, per behaviour: the transactions it will show, and when. Pure.

Times are short, so that a person who tries test mode sees a payment settle within three seconds.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from chains.base58 import base58
from chains.models import SimulatedRole, SimulatedTransaction
from chains.registry import Family, chain
from core.money import BaseUnits

LANDS_AFTER = timedelta(milliseconds=500)
FINAL_AFTER = timedelta(seconds=1)
IN_DOUBT_FOR = timedelta(seconds=600)
SEEN_BEFORE_REORG = timedelta(seconds=3)
GONE_IN_REORG = timedelta(seconds=3)
DROPPED_AFTER = timedelta(seconds=3)
STUCK_FOR = timedelta(hours=1)
REPLACED_AFTER = timedelta(seconds=2)
PARTIAL_PERCENT = 60
OVERPAY_PERCENT = 110

_SIGNATURE_BYTES = 64
_ADDRESS_BYTES = 32


class Behaviour(StrEnum):
    """What the chain does with a transaction.

    Source: docs/routing.md, The simulated chain. A word not listed here settles.
    """

    SETTLE = "settle"
    PARTIAL = "partial"
    OVERPAY = "overpay"
    LATE = "late"
    FAIL_EXECUTION = "fail_execution"
    FAIL = "fail"
    BRIDGE_REFUND = "bridge_refund"
    IN_DOUBT = "in_doubt"
    REORG = "reorg"
    STUCK = "stuck"
    REPLACED = "replaced"
    DROPPED = "dropped"


REVERTING = frozenset({Behaviour.FAIL_EXECUTION, Behaviour.FAIL})
_PERCENT_DELIVERED = {Behaviour.PARTIAL: PARTIAL_PERCENT, Behaviour.OVERPAY: OVERPAY_PERCENT}


@dataclass(frozen=True, kw_only=True, slots=True)
class SimulatedLeg:
    """What is sent: plain values, so that the chain knows nothing of intents or merchants.

    ``recipient`` gets ``output_base_units`` of ``destination_token`` on ``to_chain``, ``bridge_seconds`` after
    the source landed (at once on one chain). ``block_time`` overrides what the blocks say, for late money.
    """

    owner: str
    tag: str
    chain: str
    to_chain: str
    sender: str
    recipient: str
    token: str
    destination_token: str
    input_base_units: BaseUnits
    output_base_units: BaseUnits
    behaviour: str = Behaviour.SETTLE
    bridge_seconds: int = 1
    block_time: datetime | None = None


def rows_for(leg: SimulatedLeg, at: datetime) -> list[SimulatedTransaction]:
    """The transactions that a leg causes, unsaved, the payer's own first."""
    behaviour = behaviour_named(leg.behaviour)
    if behaviour is Behaviour.REPLACED:
        return [_dropped(_source(leg, None, at), at + REPLACED_AFTER), *_sent(leg, at + REPLACED_AFTER)]
    return _sent(leg, at + STUCK_FOR if behaviour is Behaviour.STUCK else at)


def _sent(leg: SimulatedLeg, at: datetime) -> list[SimulatedTransaction]:
    """What a transaction causes that a miner takes up at this moment."""
    behaviour = behaviour_named(leg.behaviour)
    landed = at + LANDS_AFTER
    arrived = landed + (IN_DOUBT_FOR if behaviour is Behaviour.IN_DOUBT else timedelta(seconds=leg.bridge_seconds))
    if behaviour is Behaviour.DROPPED:
        return [_dropped(_source(leg, None, at), at + DROPPED_AFTER)]
    if behaviour in REVERTING:
        return [_source(leg, landed, at)]
    if behaviour is Behaviour.BRIDGE_REFUND:
        return [_source(leg, landed, at), _return(leg, arrived)]
    if leg.chain == leg.to_chain and behaviour is not Behaviour.IN_DOUBT:
        return [_delivery(leg, SimulatedRole.WHOLE, landed)]
    return [_source(leg, landed, at), _delivery(leg, SimulatedRole.DELIVERY, arrived)]


def behaviour_named(name: str) -> Behaviour:
    """The behaviour of this name; what the chain has no script for settles."""
    return Behaviour(name) if name in set(Behaviour) else Behaviour.SETTLE


def synthetic_address(chain_name: str, seed: str) -> str:
    """An address that looks right on this chain and is nobody's; the same seed gives the same address."""
    digest = hashlib.sha256(f"{chain_name}|{seed}".encode()).digest()
    return base58(digest[:_ADDRESS_BYTES]) if is_solana(chain_name) else f"0x{digest.hex()[:40]}"


def is_solana(chain_name: str) -> bool:
    """Whether hashes and addresses of this chain are base58; chains nobody knows look like EVM chains."""
    known = chain(chain_name)
    return known is not None and known.family is Family.SOLANA


def _source(leg: SimulatedLeg, lands_at: datetime | None, at: datetime) -> SimulatedTransaction:
    return SimulatedTransaction(
        **_common(leg, leg.chain, lands_at or at),
        role=SimulatedRole.SOURCE,
        sender=leg.sender,
        recipient=synthetic_address(leg.chain, "router"),
        token=leg.token,
        base_units=leg.input_base_units,
        lands_at=lands_at,
    )


def _delivery(leg: SimulatedLeg, role: SimulatedRole, lands_at: datetime) -> SimulatedTransaction:
    behaviour = behaviour_named(leg.behaviour)
    reorganised = behaviour is Behaviour.REORG
    gone_from = lands_at + SEEN_BEFORE_REORG
    return SimulatedTransaction(
        **_common(leg, leg.to_chain, lands_at),
        role=role,
        sender=leg.sender if role is SimulatedRole.WHOLE else synthetic_address(leg.to_chain, "filler"),
        recipient=leg.recipient,
        token=leg.destination_token,
        base_units=leg.output_base_units * _PERCENT_DELIVERED.get(behaviour, 100) // 100,
        lands_at=lands_at,
        gone_from=gone_from if reorganised else None,
        gone_until=gone_from + GONE_IN_REORG if reorganised else None,
    )


def _return(leg: SimulatedLeg, lands_at: datetime) -> SimulatedTransaction:
    return SimulatedTransaction(
        **_common(leg, leg.chain, lands_at),
        role=SimulatedRole.RETURN,
        sender=synthetic_address(leg.chain, "filler"),
        recipient=leg.sender,
        token=leg.token,
        base_units=leg.input_base_units,
        lands_at=lands_at,
    )


def _dropped(row: SimulatedTransaction, gone_from: datetime) -> SimulatedTransaction:
    row.gone_from = gone_from
    return row


def _common(leg: SimulatedLeg, chain_name: str, block_time: datetime) -> dict[str, object]:
    # In the chain's own form: a 64 byte signature in base58, or 32 bytes in hex.
    new_hash = base58(secrets.token_bytes(_SIGNATURE_BYTES)) if is_solana(chain_name) else f"0x{secrets.token_hex(32)}"
    return {
        "owner": leg.owner,
        "tag": leg.tag,
        "chain": chain_name,
        "tx_hash": new_hash,
        "behaviour": behaviour_named(leg.behaviour).value,
        "block_time": leg.block_time or block_time,
    }
