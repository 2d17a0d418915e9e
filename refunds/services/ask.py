"""Sending the claim link to the payer: the words, and a mail at most once an hour."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from core.clock import now
from core.money import from_base_units, to_decimal_string
from merchants.audit import record_audit
from merchants.models import Change, Merchant
from merchants.principal import Principal
from refunds.errors import PayerAskedAlready, PayerUnknown, RefundDestinationNotNeeded
from refunds.models import Refund
from refunds.services.transition import locked_own_refund
from refunds.states import PUBLIC_STATUS, REFUND_MACHINE, R

PAYER_ASKED: Final = "refund.payer_asked"
PAUSE: Final = timedelta(hours=1)
_NAME_LENGTH: Final = 80


def claim_link(refund: Refund) -> str:
    """The page on which the payer says where its refund goes. It may be known to anybody."""
    return f"{settings.BASE_URL}/claim/{refund.pk}"


def claim_letter(refund: Refund, merchant_name: str) -> str:
    """What to write to the payer. ``merchant_name`` is the merchant's own word: put on one line, and cut."""
    amount = f"{to_decimal_string(from_base_units(refund.base_units, refund.token_decimals))} {refund.token}"
    name = " ".join(merchant_name.split())[:_NAME_LENGTH]
    return (
        f"Hello,\n\n{name} wants to send you {amount} (${to_decimal_string(refund.amount_usd)}) back. "
        f"Please say where it goes, with the wallet that paid:\n\n{claim_link(refund)}\n\n"
        "The page asks your wallet to sign a text. Signing is free and moves nothing out of your wallet. "
        "Nobody needs your recovery words or a payment for this.\n"
    )


@transaction.atomic
def mail_claim_link(principal: Principal, refund: Refund) -> None:
    """Mail the link to the address that came with the payment; a worker sends it.

    Raises: NotFound, RefundDestinationNotNeeded, PayerUnknown, PayerAskedAlready. Locks: the refund, so that two
    clicks make one mail.
    """
    waiting = locked_own_refund(principal, refund.pk)
    if not REFUND_MACHINE.allows(waiting.status, "address"):
        raise RefundDestinationNotNeeded(PUBLIC_STATUS[R(waiting.status)])
    email = waiting.intent.customer_email
    if not email:
        raise PayerUnknown
    asked = Change.objects.filter(merchant_id=principal.merchant_id, action=PAYER_ASKED, subject=str(waiting.pk))
    if asked.filter(created_at__gt=now() - PAUSE).exists():
        raise PayerAskedAlready
    record_audit(principal, PAYER_ASKED, str(waiting.pk), after={"by": "mail"})
    name = Merchant.objects.values_list("name", flat=True).get(pk=principal.merchant_id)
    send_mail("Where shall your refund go?", claim_letter(waiting, name), None, [email])
