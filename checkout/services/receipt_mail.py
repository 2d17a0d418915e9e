"""Mailing a receipt to an address that its reader types: to a few, for paid payments, and kept nowhere beside the mail.

Why the form carries a signed mark: these pages know no session and no cookie, so there is nothing else to forge. A
mark is good for one payment, two hours and one mail; a reload of the answer sends nothing.
"""

import re
import secrets
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from checkout.receipt import Receipt
from core.buckets import Limit
from core.errors import RateLimited
from core.modes import Mode
from core.rate_limits import take, take_each
from core.secrets import keyed_digest
from payments.models import PaymentIntent

FORM_SECONDS: Final = 7200
LONGEST: Final = 254
PER_PAYMENT: Final = Limit(count=3, window_seconds=86_400)
PER_RECIPIENT: Final = Limit(count=5, window_seconds=86_400)
PER_CALLER: Final = Limit(count=20, window_seconds=3600)
PER_MERCHANT: Final = {
    Mode.TEST: Limit(count=100, window_seconds=86_400),
    Mode.LIVE: Limit(count=5000, window_seconds=86_400),
}
"""Why fewer in test mode: a merchant's name costs nothing there, and strangers would read it."""
_NAME_LENGTH: Final = 80
_SALT: Final = "receipt-form"
_PLAIN: Final = re.compile(r"[A-Za-z0-9.!#$&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]+\.[A-Za-z0-9-]{2,63}")
"""One mailbox at a named host. Why narrower than the standard: quotes, routes and numbers are for machines."""


class Outcome(StrEnum):
    """What became of the wish. ``SENT`` says that it was taken, not that anybody will read it."""

    SENT = "sent"
    BAD_ADDRESS = "bad_address"
    NOTHING_PAID = "nothing_paid"
    FORM_OLD = "form_old"


def form_mark(intent_id: UUID) -> str:
    """A fresh mark for a form on this payment's receipt."""
    return signing.TimestampSigner(salt=_SALT).sign(f"{intent_id.hex}.{secrets.token_hex(8)}")


def mail_receipt(intent: PaymentIntent, receipt: Receipt, merchant_name: str, *, to: str, mark: str,
                 caller: str) -> Outcome:  # fmt: skip
    """Have the receipt mailed; a worker sends it. Raises: RateLimited for the payment, its merchant or the caller.

    Why nothing is said where the recipient had enough already: it would tell that somebody else pays here, too.
    """
    if not _is_mark_of(mark, intent.pk):
        return Outcome.FORM_OLD
    if not receipt.has_money:
        return Outcome.NOTHING_PAID
    if not _is_mailbox(to):
        return Outcome.BAD_ADDRESS
    form = f"receipt_form:{keyed_digest('receipt-form', mark.encode())}"
    if not _taken(form, Limit(count=1, window_seconds=FORM_SECONDS)):  # the mark was used before
        return Outcome.SENT
    mode = Mode(intent.mode)
    take_each(
        [
            (f"receipt_mail:{intent.pk}", PER_PAYMENT),
            (f"receipt_mail_caller:{caller}", PER_CALLER),
            (f"receipt_mail_merchant:{intent.merchant_id}:{mode}", PER_MERCHANT[mode]),
        ]
    )
    if _taken(f"receipt_mail_to:{keyed_digest('receipt-mail', to.lower().encode())}", PER_RECIPIENT):
        # On one line, without what cannot be seen, and cut.
        seen = "".join(letter if letter.isprintable() else " " for letter in merchant_name)
        name = " ".join(seen.split())[:_NAME_LENGTH]
        letter = render_to_string("checkout/receipt_mail.txt", {"receipt": receipt, "merchant": name})
        send_mail(_subject(receipt), letter, None, [to])
    return Outcome.SENT


def _subject(receipt: Receipt) -> str:
    subject = _("Your receipt: %(amount)s %(currency)s") % {"amount": receipt.amount, "currency": receipt.currency}
    return f"[TEST] {subject}" if receipt.is_test else subject


def _is_mark_of(mark: str, intent_id: UUID) -> bool:
    try:
        signed = signing.TimestampSigner(salt=_SALT).unsign(mark, max_age=FORM_SECONDS)
    except signing.BadSignature:
        return False
    return signed.partition(".")[0] == intent_id.hex


def _is_mailbox(text: str) -> bool:
    if len(text) > LONGEST or _PLAIN.fullmatch(text) is None:
        return False
    try:
        validate_email(text)
    except ValidationError:
        return False
    return not text.rpartition(".")[2].isdecimal()


def _taken(bucket: str, limit: Limit) -> bool:
    try:
        take(bucket, (limit,))
    except RateLimited:
        return False
    return True
