"""The statuses of a transfer that the service makes, and every way from one to another. Data only.

Source: docs/money-out.md, EVM chains; docs/money-out.md, On Solana.
"""

from django.db import models

from core.states import Machine, row


class TransferStatus(models.TextChoices):
    """How far a transfer is. From ``signed`` on it may land at any moment, whatever anybody says."""

    NEW = "new"
    RESERVED = "reserved"
    SIGNED = "signed"
    BROADCAST = "broadcast"
    MINED = "mined"
    PAID = "paid"
    REVERTED = "reverted"
    FAILED = "failed"


T = TransferStatus
MAY_LAND = (T.SIGNED, T.BROADCAST, T.MINED)
"""Something is signed that a chain may hold: until it is final or dead, nothing else may be sent in its place."""
STARTED = (T.RESERVED, *MAY_LAND)
"""It has a nonce to use up, or something signed: not over until its chain says how it ended."""
ENDED_UNPAID = (T.REVERTED, T.FAILED)
"""Nothing moved and nothing can: another transfer for the same purpose is safe."""

TRANSFER_MACHINE = Machine(
    name="transfer",
    initial=T.NEW,
    terminal=frozenset({T.PAID, T.REVERTED, T.FAILED}),
    transitions=(
        row("reserve", [T.NEW], T.RESERVED),
        row("sign", [T.NEW, T.RESERVED], T.SIGNED),
        row("offer", [T.NEW], T.SIGNED),
        row("broadcast", [T.SIGNED], T.BROADCAST),
        row("include", [T.SIGNED, T.BROADCAST], T.MINED),
        row("drop", [T.MINED], T.BROADCAST),
        row("lapse", [T.SIGNED, T.BROADCAST], T.NEW),
        row("displace", [T.RESERVED, T.SIGNED, T.BROADCAST, T.MINED], T.NEW),
        row("pay", [T.MINED], T.PAID),
        row("revert", [T.MINED], T.REVERTED),
        row("fail", [T.NEW, T.SIGNED, T.BROADCAST, T.MINED], T.FAILED),
    ),
)
"""``offer``: a merchant's own wallet was shown what to sign. ``lapse``: all that was signed is provably dead.
``displace``: a foreign transaction took the nonce for good. ``fail`` after ``sign``: only once a transaction that
moves nothing took its place for good, or what was signed can never land."""
