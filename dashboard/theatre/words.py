"""What the pages call what happens in a replay, and how they write moments and amounts."""

from collections.abc import Mapping
from typing import Any, Final

from dashboard.payments.words import STATUS, Label
from payments.states import IntentStatus
from theatre.models import Replay, Verdict

HAPPENED: Final[Mapping[str, str]] = {
    "opened": "The payer opens the payment.",
    "cancelled": "The merchant cancels it.",
    "accepted": "The merchant takes what arrived as enough.",
    "quoted": "The payer asks for a price and is shown one.",
    "refused": "The payer asks for a price and gets none",
    "answer": "A provider offers a way",
    "answer_chosen": "A provider offers the way that is taken",
    "answer_refused": "A provider has no way",
    "handed_out": "The payer accepts, and the wallet is given what to sign.",
    "ended_by_clock": "The time for this try is over.",
    "ended_by_payer": "The payer gives this try up.",
    "sent": "The wallet sends its transaction.",
    "included": "It stands in a block.",
    "failed_reverted": "It failed on its chain: no money moved.",
    "failed_replaced": "It can never land any more.",
    "failed_unfilled": "The bridge can deliver no more.",
    "in_doubt": "Nobody can say where the money is.",
    "returned": "The bridge gives the money back.",
    "arrived": "Money arrives at the merchant’s address",
    "counts": "It is deep enough in its chain to count",
    "final": "Its chain calls it final",
    "gone": "A reorganisation takes it away",
    "back": "It is there again",
}
VERDICTS: Final[Mapping[str, Label]] = {
    "": Label("Waits to be played"),
    Verdict.SAME: Label("Same end", "ok"),
    Verdict.DIFFERS: Label("Another end", "bad"),
    Verdict.BROKEN: Label("Cannot be played", "warn"),
}


def verdict_of(replay: Replay) -> Label:
    """The pill of a replay."""
    return VERDICTS[replay.verdict]


def moment_of(milliseconds: int) -> str:
    """So long after the payment was created."""
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{clock}.{rest:03}"


def step_lines(step: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A step as the page shows it."""
    return {
        "number": number,
        "at": moment_of(step["at_ms"]),
        "status": STATUS[IntentStatus(step["status"])],
        "received": step["received_usd"],
        "happened": [_happened(one) for one in step["happened"]],
        "moves": step["moves"],
        "events": step["events"],
        "legs": step["legs"],
        "last_error": step["last_error"],
    }


def _happened(one: Mapping[str, Any]) -> str:
    words = HAPPENED.get(one["code"], one["code"])
    more = [one["detail"]] if one.get("detail") else []
    more += [f"{one['amount']} base units"] if one.get("amount") else []
    text = f"{words.rstrip('.')}: {', '.join(more)}." if more else f"{words.rstrip('.')}."
    return f"Transaction {one['leg']}. {text}" if one.get("leg") else text
