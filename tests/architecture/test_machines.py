"""Every state machine is complete: each status can be reached, and each can be left or is an end."""

import importlib
from collections.abc import Iterable
from importlib.util import find_spec

import pytest

from core.models import StatefulModel, TransitionRecord
from core.states import Machine, row
from tests.architecture.source import APPS


def machines() -> list[Machine]:
    modules = [importlib.import_module(f"{app}.states") for app in APPS if find_spec(f"{app}.states")]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Machine)]
    return list({id(machine): machine for machine in found}.values())


def reachable(machine: Machine, starts: Iterable[str]) -> set[str]:
    seen = set(starts)
    while True:
        more = {step.target for step in machine.transitions if step.sources & seen} - seen
        if not more:
            return seen
        seen |= more


def faults(machine: Machine) -> list[str]:
    statuses = set(machine.statuses) | machine.terminal
    found = [f"{status} cannot be reached" for status in sorted(statuses - reachable(machine, [machine.initial]))]
    stuck = [status for status in sorted(statuses) if not reachable(machine, [status]) & machine.terminal]
    found += [f"{status} leads to no end" for status in stuck]
    column = StatefulModel._meta.get_field("status").max_length or 0
    found += [f"{status} does not fit its column" for status in sorted(statuses) if len(status) > column]
    trigger_column = TransitionRecord._meta.get_field("trigger").max_length or 0
    triggers = sorted({step.trigger for step in machine.transitions})
    return found + [f"{trigger} does not fit its column" for trigger in triggers if len(trigger) > trigger_column]


@pytest.mark.spec("Contract 4.5")
def test_machines_are_complete_and_have_own_names() -> None:
    names = [machine.name for machine in machines()]
    assert "payment intent" in {name.replace("_", " ") for name in names}
    assert len(names) == len(set(names))
    assert {machine.name: wrong for machine in machines() if (wrong := faults(machine))} == {}
    planted = Machine(
        name="planted",
        initial="created",
        terminal=frozenset({"settled", "lost"}),
        transitions=(row("pay", ["created"], "settled"), row("stall", ["created"], "stuck")),
    )
    assert faults(planted) == ["lost cannot be reached", "stuck leads to no end"]
