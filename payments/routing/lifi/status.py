"""What LI.FI says became of a payment: a hint for where to look, never a proof, and never a credit.

Source: https://docs.li.fi, status; docs/routing.md, LI.FI.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from chains.clients.base import BridgeReport
from chains.registry import chain
from core.outbound.providers import ProviderUnreachable
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.pins import lifi_id
from payments.routing.lifi.questions import ask_status, is_configured
from payments.routing.lifi.reading import Fields

_HASH_BYTES = 32
_NO_ANSWER = "NO_ANSWER"


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusHint:
    """One answer. ``needs_attention`` says that a person should look; ``destination_tx_hash`` is empty if unknown.

    ``is_partial`` says that another token is told to have arrived.
    """

    report: BridgeReport
    status: str = ""
    substatus: str = ""
    needs_attention: bool = False
    is_partial: bool = False
    destination_tx_hash: str = ""


_WAITING = StatusHint(report=BridgeReport.WAITING)
_CANNOT_SAY = StatusHint(report=BridgeReport.UNKNOWN)
_ALARMING = StatusHint(report=BridgeReport.UNKNOWN, needs_attention=True)
_NEW_WORD = StatusHint(report=BridgeReport.WAITING, needs_attention=True)
_DONE = StatusHint(report=BridgeReport.DONE)
_REFUNDED = StatusHint(report=BridgeReport.REFUNDED)

MEANINGS: Mapping[tuple[str, str], StatusHint] = {
    ("NOT_FOUND", ""): _WAITING,
    ("INVALID", ""): _ALARMING,
    ("PENDING", ""): _WAITING,
    ("PENDING", "WAIT_SOURCE_CONFIRMATIONS"): _WAITING,
    ("PENDING", "WAIT_DESTINATION_TRANSACTION"): _WAITING,
    ("PENDING", "BRIDGE_NOT_AVAILABLE"): _CANNOT_SAY,
    ("PENDING", "CHAIN_NOT_AVAILABLE"): _CANNOT_SAY,
    ("PENDING", "REFUND_IN_PROGRESS"): _WAITING,
    ("PENDING", "UNKNOWN_ERROR"): _CANNOT_SAY,
    ("PENDING", "INTENT_AWAITING_FUNDS"): _WAITING,
    ("PENDING", "INTENT_READY"): _WAITING,
    ("PENDING", "INTENT_EXECUTING"): _WAITING,
    ("PENDING", "INTENT_FAILED_RETRYABLE"): _WAITING,
    ("PENDING", "INTENT_SIMULATION_FAILURE"): _WAITING,
    ("DONE", ""): _DONE,
    ("DONE", "COMPLETED"): _DONE,
    ("DONE", "PARTIAL"): StatusHint(report=BridgeReport.DONE, needs_attention=True, is_partial=True),
    ("DONE", "REFUNDED"): _REFUNDED,
    ("FAILED", ""): _CANNOT_SAY,
    ("FAILED", "INSUFFICIENT_ALLOWANCE"): _CANNOT_SAY,
    ("FAILED", "INSUFFICIENT_BALANCE"): _CANNOT_SAY,
    ("FAILED", "OUT_OF_GAS"): _CANNOT_SAY,
    ("FAILED", "EXPIRED"): _CANNOT_SAY,
    ("FAILED", "SLIPPAGE_EXCEEDED"): _CANNOT_SAY,
    ("FAILED", "UNKNOWN_FAILED_ERROR"): _CANNOT_SAY,
    ("FAILED", "UNKNOWN_ERROR"): _CANNOT_SAY,
    ("FAILED", "NOT_PROCESSABLE_REFUND_NEEDED"): _ALARMING,
    ("FAILED", "REFUNDED"): _REFUNDED,
}
"""By status and substatus. Why a failure is no end: whether the payer's transaction failed is for its chain to say.

A pair that is not here counts as waiting, and somebody should look.
"""


def status(tx_hash: str, bridge: str, from_chain: str, to_chain: str) -> StatusHint:
    """What LI.FI says of the payment under a source hash; ``UNKNOWN`` where it says nothing readable.

    ``bridge`` is empty on one chain. Called outside any database transaction.
    """
    source, destination = chain(from_chain), chain(to_chain)
    asked = [None if known is None else lifi_id(known) for known in (source, destination)]
    ids = [chain_id for chain_id in asked if chain_id is not None]
    if len(ids) != 2 or not is_configured():  # noqa: PLR2004 - both ends
        return StatusHint(report=BridgeReport.UNKNOWN, status=_NO_ANSWER)
    try:
        answer = ask_status(tx_hash, bridge, ids[0], ids[1])
        if answer.status == 404:  # noqa: PLR2004 - not indexed yet
            return StatusHint(report=BridgeReport.WAITING, status="NOT_FOUND")
        return read_status(answer.body) if answer.is_success else StatusHint(report=BridgeReport.UNKNOWN)
    except (ProviderUnreachable, LifiRefused):
        return StatusHint(report=BridgeReport.UNKNOWN, status=_NO_ANSWER)


def read_status(body: object) -> StatusHint:
    """The hint in an answer. Raises: LifiRefused where it is not in the documented form."""
    fields = Fields(body)
    words = fields.text("status"), fields.text("substatus") if fields.has("substatus") else ""
    meaning = MEANINGS.get(words, _NEW_WORD)
    return StatusHint(
        report=meaning.report,
        status=words[0],
        substatus=words[1],
        needs_attention=meaning.needs_attention,
        is_partial=meaning.is_partial,
        destination_tx_hash=_destination_hash(fields) if meaning.report is BridgeReport.DONE else "",
    )


def _destination_hash(fields: Fields) -> str:
    """Where the money is told to have arrived; empty where that is no hash of an EVM chain."""
    receiving = fields.inside("receiving") if fields.has("receiving") else None
    if receiving is None or not receiving.has("txHash"):
        return ""
    found = receiving.raw_bytes("txHash", _HASH_BYTES)
    return "0x" + found.hex() if len(found) == _HASH_BYTES else ""
