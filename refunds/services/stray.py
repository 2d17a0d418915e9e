"""Giving a stray back: the very token, the very units, on its own chain, to the wallet that provably sent it; once.

No dollars move by it: what the intent received, holds and refunds is as it was. Source: docs/adr/0065.
"""

from django.db import transaction

from chains.addresses import same_address
from core.money import ZERO_USD, BaseUnits, UsdAmount
from merchants.principal import Principal
from payments.models import Credit
from payments.selectors import visible_intent
from payments.services.strays import promised_stray, stray_stands
from payments.services.transition import locked_intent
from refunds.errors import StrayGivenBack, StrayNotFinal, StrayNotSendable, StrayPayerUnknown
from refunds.models import Refund
from refunds.services.create import TO_SENDER, NewRefund, begin_refund, payable, put_under_key, unsaved_refund
from refunds.states import RELEASED, STRAY_CHANGED
from tokens.selectors import find_token, price_for_caps


@transaction.atomic
def give_stray_back(principal: Principal, new: NewRefund) -> Refund:
    """Create the refund of a stray; it leaves once its chain calls the stray final.

    Raises: NotFound; StrayNotFinal; StrayGivenBack; StrayPayerUnknown; StrayNotSendable.
    Locks: the intent, then the stray, so that of two at once one is made.
    """
    assert new.stray_id is not None  # noqa: S101 - the caller looked
    intent = locked_intent(visible_intent(principal, new.intent_id).pk)
    stray = promised_stray(intent, new.stray_id)
    if not stray_stands(stray):
        raise StrayNotFinal
    if Refund.objects.filter(stray=stray).exclude(status__in=RELEASED).exists():
        raise StrayGivenBack
    token = find_token(stray.chain, stray.token_address)
    if token is None or not same_address(stray.recipient, intent.settlement_address):
        raise StrayNotSendable
    destination = payable(stray.chain, stray.payer)
    if not destination:
        raise StrayPayerUnknown
    refund = unsaved_refund(principal, intent, ZERO_USD, BaseUnits(stray.base_units), reason=new.reason)
    put_under_key(refund, new.idempotency_key, new.fingerprint)
    refund.stray, refund.chain, refund.token_address = stray, stray.chain, stray.token_address
    refund.token, refund.token_decimals = token.symbol, token.decimals
    begin_refund(refund, destination, reason=TO_SENDER)
    return refund


def what_stray_lacks(refund: Refund) -> str | None:
    """Why a refund's stray may not leave now: a reason, empty while its chain does not call it final; None: it may.

    Why all of it again: a reorganisation may have taken it, or left another in its place.
    """
    stray = Credit.objects.get(given_back=refund)
    seen = (stray.intent_id, stray.chain, stray.token_address, stray.base_units)
    wanted = (refund.intent_id, refund.chain, refund.token_address, refund.base_units)
    if not stray_stands(stray) or seen != wanted or not same_address(stray.payer, refund.destination):
        return STRAY_CHANGED
    return None if stray.finalized_at is not None else ""


def stray_worth(refund: Refund) -> UsdAmount | None:
    """What caps count of it, at today's price; None where nobody knows, and no key may send it by itself."""
    return price_for_caps(refund.chain, refund.token_address, refund.base_units)
