"""Who hears that an intent settled, or that money left it or was taken from it, in the transaction of that.

Why: payments cannot know the apps above.
"""

from collections.abc import Callable

from payments.models import PaymentIntent

Listener = Callable[[PaymentIntent], object]
"""Called under the intent's lock: what it writes is there exactly when the settlement is; what it raises undoes it."""
_listeners: list[Listener] = []
_of_movements: list[Listener] = []


def register_listener(listener: Listener) -> None:
    """Have somebody hear of settlements. Called when an app starts."""
    if listener not in _listeners:
        _listeners.append(listener)


def announce_settled(intent: PaymentIntent) -> None:
    """Tell all listeners. Locks: the caller holds the intent's lock."""
    for listener in _listeners:
        listener(intent)


def register_movement_listener(listener: Listener) -> None:
    """Have somebody hear of money that left an intent, or that a chain took back. Called when an app starts."""
    if listener not in _of_movements:
        _of_movements.append(listener)


def announce_movement(intent: PaymentIntent) -> None:
    """Tell these listeners. Locks: the caller holds the intent's lock, or that of the row that paid it out."""
    for listener in _of_movements:
        listener(intent)
