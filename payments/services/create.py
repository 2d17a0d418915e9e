"""Creating an intent: three rows in one statement."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from core.clock import now
from core.money import UsdAmount
from core.transitions import Draft, drafted
from merchants.principal import Principal
from payments.models import PaymentIntent
from payments.scenarios import refuse_unknown_scenario
from payments.services.settlement import settle_where
from payments.services.transition import INTENT_LIFECYCLE

DEFAULT_LIFETIME_SECONDS = 1800
"""Source: specification, Limits (quote validity window, 30 minutes)."""


@dataclass(frozen=True, kw_only=True)
class NewIntent:
    """A merchant's wish, already checked for form. Fields left None are filled from the merchant's profile."""

    amount_usd: UsdAmount
    settlement_chain: str | None = None
    settlement_token: str | None = None
    settlement_address: str | None = None
    customer_email: str | None = None
    expires_in_seconds: int = DEFAULT_LIFETIME_SECONDS
    metadata: Mapping[str, Any] = field(default_factory=dict)
    reference: str = ""
    return_url: str = ""


def draft_intent(principal: Principal, new: NewIntent) -> Draft[PaymentIntent]:
    """An intent of the principal, with its first history line and event; to be stored with what must stand beside it.

    Raises: InvalidRequest for a scenario that test mode does not know; SettlementProfileMissing,
    SettlementPairUnsupported, SettlementAddressInvalid, SettlementAddressNotAllowed, SettlementAddressUnproven.
    """
    refuse_unknown_scenario(new.metadata, principal.mode)
    settlement = settle_where(principal, new.settlement_chain, new.settlement_token, new.settlement_address)
    moment = now()
    expires_at = moment + timedelta(seconds=new.expires_in_seconds)
    intent = PaymentIntent(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        amount=new.amount_usd,
        settlement_chain=settlement.chain,
        settlement_token=settlement.token,
        settlement_token_address=settlement.token_address,
        settlement_decimals=settlement.decimals,
        settlement_address=settlement.address,
        customer_email=new.customer_email,
        metadata=dict(new.metadata),
        reference=new.reference,
        return_url=new.return_url,
        created_at=moment,
        expires_at=expires_at,
        expires_due_at=expires_at,
    )
    return drafted(INTENT_LIFECYCLE, intent, actor=principal.actor)


def create_intent(principal: Principal, new: NewIntent) -> PaymentIntent:
    """Draft an intent and store it. Raises: as ``draft_intent``."""
    draft = draft_intent(principal, new)
    draft.insert()
    return draft.row
