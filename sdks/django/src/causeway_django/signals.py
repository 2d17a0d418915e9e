"""What a shop connects to. Each receiver gets the row and the ``event`` that changed it.

They are sent within the transaction that stores the event: what a receiver writes into the database is written once,
with it; what it raises undoes both, and the service sends the event again. Send mails by ``transaction.on_commit``.
They follow the row, so the order in which events arrive changes nothing.
"""

from django.dispatch import Signal

event_received = Signal()
"""Every event once, of every kind, whatever its order: ``event``."""
payment_changed = Signal()
"""A payment's row follows a newer event: ``payment``, ``event``."""
payment_settled = Signal()
"""The money is there. Ship now: it is sent once for each payment: ``payment``, ``event``."""
payment_reversed = Signal()
"""A chain took back a settlement that was announced: ``payment``, ``event``."""
payment_restored = Signal()
"""A settlement that was reversed is back: ``payment``, ``event``."""
payment_closed = Signal()
"""Failed, expired or cancelled: nothing was paid, or not enough: ``payment``, ``event``."""
payment_refunded = Signal()
"""All that had arrived went back: ``payment``, ``event``."""
refund_changed = Signal()
"""A refund's row follows a newer event: ``refund``, ``event``."""
refund_paid = Signal()
"""A refund arrived: ``refund``, ``event``."""
refund_failed = Signal()
"""A refund failed or was cancelled, and the money is yours again: ``refund``, ``event``."""
payout_changed = Signal()
"""A payout's row follows a newer event: ``payout``, ``event``."""
