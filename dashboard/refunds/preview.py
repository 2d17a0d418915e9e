"""What a new refund will be for its payer, told before anything is made."""

from dataclasses import dataclass

from chains.registry import chain
from core.modes import Mode
from core.money import from_base_units, to_decimal_string
from refunds.models import Refund
from refunds.payer_words import ON_ITS_WAY, PAID, WAITS, PayerWords
from refunds.selectors import destination_tail

_MINUTE, _SHORT = 60, 90


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A refund that does not exist yet, in words."""

    refund: Refund
    usd: str
    amount: str
    chain_name: str
    tail: str
    asks_payer: bool
    by_policy: bool
    typical_time: str
    status_now: PayerWords
    status_paid: PayerWords


def preview_of(draft: Refund, *, typed: str) -> Preview:
    """What will be seen of a drafted refund, by merchant and payer."""
    known = chain(draft.chain)
    return Preview(
        refund=draft,
        usd=to_decimal_string(draft.amount_usd),
        amount=f"{to_decimal_string(from_base_units(draft.base_units, draft.token_decimals))} {draft.token}",
        chain_name=draft.chain if known is None else known.display_name,
        tail=destination_tail(draft),
        asks_payer=not draft.destination,
        by_policy=bool(draft.destination) and not typed,
        typical_time=typical_time(draft),
        status_now=ON_ITS_WAY if draft.destination else WAITS,
        status_paid=PAID,
    )


def typical_time(draft: Refund) -> str:
    """How long it takes once it is sent. Units: blocks of its chain until they count, as seconds."""
    known = chain(draft.chain)
    if draft.mode == Mode.TEST or known is None:
        return "a few seconds, simulated"
    seconds = int(known.confirmations_required * known.block_seconds)
    return "about a minute" if seconds <= _SHORT else f"about {-(-seconds // _MINUTE)} minutes"
