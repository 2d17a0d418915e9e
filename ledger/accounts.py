"""The accounts of the books, the same for each merchant, mode and asset. Data only.

Source: docs/ledger.md, Accounts.
"""

from typing import Final

from django.db import models


class Account(models.TextChoices):
    """Where money is, and where it came from."""

    EXPECTED = "expected"
    RECEIVED = "received"
    RESERVED = "reserved"
    REFUNDED = "refunded"
    PAID_OUT = "paid_out"
    STRAY = "stray"
    UNATTRIBUTED = "unattributed"
    FEES = "fees"
    PAYMENTS = "payments"
    LATE = "late"
    BESIDE = "beside"
    OTHER_FUNDS = "other_funds"
    OWED = "owed"


A = Account
SOURCES_OF_MONEY: Final = frozenset({A.PAYMENTS, A.LATE, A.BESIDE, A.OTHER_FUNDS, A.OWED})
"""These grow by credits and are below zero in the table; all others grow by debits."""
MEANS: Final = {
    A.EXPECTED: "seen on its chain, and not counted yet",
    A.RECEIVED: "counted, and neither reserved nor gone",
    A.RESERVED: "held for refunds and payouts that are not over",
    A.REFUNDED: "sent back to payers",
    A.PAID_OUT: "sent on to the merchant by a payout",
    A.STRAY: "another token, or at another place, than was asked for",
    A.UNATTRIBUTED: "moved in a payment's own call, and is nobody's",
    A.FEES: "given to the platform on top of what arrived",
    A.PAYMENTS: "what payers sent in time",
    A.LATE: "what payers sent after their payment had ended",
    A.BESIDE: "what came beside a payment",
    A.OTHER_FUNDS: "what the merchant gave from elsewhere for refunds",
    A.OWED: "what left, though a reorganisation took away what it was taken from",
}


class Source(models.TextChoices):
    """What a posting leads back to: the row that it books."""

    CREDIT = "credit"
    LEG = "leg"
    REFUND = "refund"
    PAYOUT = "payout"
    INTENT = "intent"


class Kind(models.TextChoices):
    """Why an entry was made."""

    BOOKED = "booked"
    CHANGED = "changed"
    REVERSED = "reversed"
    OPENED = "opened"
    """Of a row that was there before the books were."""
