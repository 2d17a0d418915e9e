"""Where a refund goes: what may be a destination, and telling it to a refund that waits for one."""

from django.db import transaction

from chains.addresses import parse_address, refuse_unpayable
from chains.errors import InvalidAddress
from chains.registry import chain
from core.clock import now
from core.dispatch import nudge
from merchants.principal import Principal
from refunds.errors import DestinationInvalid, RefundDestinationNotNeeded
from refunds.models import Refund
from refunds.services.transition import apply_trigger, locked_own_refund
from refunds.states import PUBLIC_STATUS, REFUND_MACHINE, R
from tokens.selectors import token_contracts_at

_SWEEP = "refunds.sweep_due"


def checked_destination(chain_name: str, text: str) -> str:
    """The spelling under which a destination is stored; what only test mode knows as a chain takes any text.

    Raises: DestinationInvalid, also for blanks around it: an address is taken as it was written, or not at all.
    Source: docs/guides/refunds.md, Where it goes.
    """
    known = chain(chain_name)
    try:
        if text != text.strip():
            family = known.family if known else ""
            raise InvalidAddress("An address has no blanks around it.", chain_family=family, reason="format")
        if known is None:
            return text
        address = parse_address(known, text)
        refuse_unpayable(known, address, token_contracts_at(known.name, address))
    except InvalidAddress as error:
        raise DestinationInvalid(chain_name, error) from error
    return address


def set_destination(principal: Principal, refund: Refund, text: str, *, reason: str = "") -> Refund:
    """Tell a waiting refund where to go, and have it sent; the refund as it is then.

    Raises: NotFound; DestinationInvalid; RefundDestinationNotNeeded unless it waits for one.
    Locks: the refund, so that of two destinations and a cancel the first one counts.
    """
    destination = checked_destination(refund.chain, text)
    with transaction.atomic():
        waiting = locked_own_refund(principal, refund.pk)
        if not REFUND_MACHINE.allows(waiting.status, "address"):
            raise RefundDestinationNotNeeded(PUBLIC_STATUS[R(waiting.status)])
        send_to(waiting, destination, actor=principal.actor, reason=reason)
    return waiting


def send_to(refund: Refund, destination: str, *, actor: str, reason: str = "") -> None:
    """Queue a refund for a checked destination and wake a worker. Locks: the caller holds the refund's lock."""
    apply_trigger(
        refund,
        "address",
        actor=actor,
        reason=reason,
        destination=destination,
        failure_reason="",
        next_attempt_at=now(),
    )
    nudge(_SWEEP)
