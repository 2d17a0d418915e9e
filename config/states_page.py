"""docs/states.md: what statuses there are, and what leads from one to another, made of the tables that decide it."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.states import Machine
from payments.rules import INTENT_RULES, LEG_RULES, Note, Rule
from payments.states import ATTEMPT_MACHINE, INTENT_MACHINE, LEG_MACHINE
from payouts.states import PAYOUT_MACHINE
from refunds.states import REFUND_MACHINE

PAGE = Path(__file__).resolve().parent.parent / "docs" / "states.md"
HEAD = """\
# Statuses, and what leads from one to another

Written by `make states` from `payments/states.py`, `payments/rules.py`, `refunds/states.py` and `payouts/states.py`; a
test fails when it is not current. A status that is over is set in bold. What leads out of one all the same is money
that came late, went back, or was taken away by its chain.
"""
RULES = """\
## What follows from what the chains show

A worker looks, writes down what it saw, and takes of each list the first line that fits. Nothing else moves a leg that
was sent, or an intent by what arrived.
"""
NOTES = {
    Note.LESS: "its figures, nothing else",
    Note.SURPLUS: "its figures; `payment_intent.overpaid` where it is more than slippage",
    Note.LATE: "what was received; `payment_intent.late_payment`",
}
NOTHING = "nothing"


def written() -> str:
    """The whole page."""
    machines = (INTENT_MACHINE, ATTEMPT_MACHINE, LEG_MACHINE, REFUND_MACHINE, PAYOUT_MACHINE)
    rules = [*_rules("An intent", INTENT_RULES, INTENT_MACHINE), *_rules("A leg that was sent", LEG_RULES, LEG_MACHINE)]
    return "\n".join([HEAD, *(line for machine in machines for line in _table(machine)), RULES, *rules])


def _table(machine: Machine) -> Iterator[str]:
    event = f", told as `{machine.initial_event}`" if machine.initial_event else ""
    yield f"## {machine.name[0].upper()}{machine.name[1:]}\n\nBegins as `{machine.initial}`{event}.\n"
    yield "| From | by | to | told as |\n|---|---|---|---|"
    for step in machine.transitions:
        sources = ", ".join(_status(machine, status) for status in machine.statuses if status in step.sources)
        event = f"`{step.event}`" if step.event else ""
        yield f"| {sources} | `{step.trigger}` | {_status(machine, step.target)} | {event} |"
    yield ""


def _status(machine: Machine, status: str) -> str:
    return f"**{status}**" if status in machine.terminal else str(status)


def _rules(name: str, rules: Sequence[Rule[Any]], machine: Machine) -> Iterator[str]:
    targets = {step.trigger: _status(machine, step.target) for step in machine.transitions}
    yield f"### {name}\n\n| The first that fits | what follows | it is then |\n|---|---|---|"
    for rule in rules:
        yield f"| {rule.when} | {' | '.join(_follows(rule, targets))} |"
    yield ""


def _follows(rule: Rule[Any], targets: dict[str, str]) -> Iterable[str]:
    if rule.trigger is None:
        return NOTHING, ""
    if rule.trigger in NOTES:
        return NOTES[Note(rule.trigger)], "as it was"
    error = f", `{rule.error}`" if rule.error else ""
    return f"`{rule.trigger}`{error}", targets[rule.trigger]
