"""Every event type, in one table: which resource it tells of, since which API version, and when it is sent.

Any merchant may subscribe to every type. An event goes to the endpoints of the same merchant and mode that were
enabled and subscribed when it happened. Source: specification, Events; docs/guides/webhooks.md, Events.
"""

from collections.abc import Iterable
from dataclasses import dataclass

EVERYTHING = "*"
PING = "ping"


@dataclass(frozen=True, kw_only=True)
class EventType:
    """One row of the catalogue."""

    name: str
    since: str
    when: str

    @property
    def resource(self) -> str:
        """The resource it tells of, which is also its wildcard: ``payout`` for ``payout.*``."""
        return self.name.partition(".")[0]


def _since_1_2(resource: str, rows: dict[str, str]) -> tuple[EventType, ...]:
    return tuple(EventType(name=f"{resource}.{name}", since="1.2.0", when=when) for name, when in rows.items())


EVENT_TYPES: tuple[EventType, ...] = (
    *_since_1_2(
        "payment_intent",
        {
            "created": "An intent was created.",
            "quoted": "A routing plan was produced.",
            "executing": "The payer's transaction was seen; funds are moving.",
            "partially_filled": "Some funds arrived, less than the amount, and nothing is under way.",
            "settled": "The amount arrived and is final enough for the merchant's policy. Once per intent, ever.",
            "failed": "The intent ended without payment.",
            "expired": "The intent's time ran out; partially_funded tells whether something had arrived.",
            "cancelled": "The merchant cancelled the intent.",
            "refunded": "Everything that had arrived was refunded.",
            "late_payment": "Funds arrived after the intent had expired or was cancelled.",
            "overpaid": "More arrived than was asked for.",
            "settlement_reversed": "A settlement disappeared from its chain before it was final.",
            "settlement_restored": "A reversed settlement is back.",
            "funds_owed": "A chain took money away that was refunded or paid out already: owed_usd.",
            "stray_arrived": "A token came with a payment that it does not settle in: strays.",
            "payment_counted_elsewhere": "A transaction with this payment's mark counts for another one.",
        },
    ),
    *_since_1_2(
        "refund",
        {
            "created": "A refund was created.",
            "missing_destination": "A refund waits for somebody to say where to send it.",
            "processing": "A refund is being sent.",
            "paid": "A refund is confirmed on its chain.",
            "failed": "A refund failed for good.",
            "cancelled": "A refund was cancelled before it was sent.",
        },
    ),
    *_since_1_2(
        "payout",
        {
            "created": "A payout was created.",
            "processing": "A payout is being sent.",
            "retry_scheduled": "A payout could not be sent and will be tried again.",
            "paused": "A payout waits for approval, for the merchant or for a provider.",
            "paid": "A payout is paid.",
            "failed": "A payout failed.",
        },
    ),
    *_since_1_2("webhook_endpoint", {"disabled": "An endpoint was switched off because deliveries to it failed."}),
    EventType(name=PING, since="1.2.0", when="Somebody asked for a test event."),
)

EVENT_NAMES = frozenset(entry.name for entry in EVENT_TYPES)
NAMES_IN_ORDER: tuple[str, ...] = tuple(entry.name for entry in EVENT_TYPES)
RESOURCES: tuple[str, ...] = tuple(dict.fromkeys(entry.resource for entry in EVENT_TYPES))
"""Everything that an event can tell of."""
_WILDCARDS = tuple(dict.fromkeys(f"{entry.resource}.*" for entry in EVENT_TYPES if "." in entry.name))
SUBSCRIBABLE: tuple[str, ...] = (*(entry.name for entry in EVENT_TYPES), *_WILDCARDS, EVERYTHING)
"""Everything that may stand in an endpoint's ``events``."""
_SUBSCRIBABLE = frozenset(SUBSCRIBABLE)


def unknown_names(events: Iterable[str]) -> list[str]:
    """The names among these that nobody can subscribe to."""
    return [name for name in events if name not in _SUBSCRIBABLE]


def covers(events: Iterable[str], event_type: str) -> bool:
    """Whether a subscription to ``events`` includes this type."""
    wildcard = f"{event_type.partition('.')[0]}.*"
    return any(name in (event_type, wildcard, EVERYTHING) for name in events)


def types_covered_by(events: Iterable[str]) -> list[str]:
    """Every event type that a subscription to ``events`` includes."""
    wanted = list(events)
    return [entry.name for entry in EVENT_TYPES if covers(wanted, entry.name)]
