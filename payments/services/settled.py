"""Who hears that an intent settled, in the transaction that settles it. Why: payments cannot know the apps above."""

from collections.abc import Callable

from payments.models import PaymentIntent

Listener = Callable[[PaymentIntent], object]
"""Called under the intent's lock: what it writes is there exactly when the settlement is; what it raises undoes it."""
_listeners: list[Listener] = []


def register_listener(listener: Listener) -> None:
    """Have somebody hear of settlements. Called when an app starts."""
    if listener not in _listeners:
        _listeners.append(listener)


def announce_settled(intent: PaymentIntent) -> None:
    """Tell all listeners. Locks: the caller holds the intent's lock."""
    for listener in _listeners:
        listener(intent)
