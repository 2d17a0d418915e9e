"""Every name by which a task is called belongs to a task: a misspelt wake-up would be silent for ever."""

import ast

import pytest

from config.celery import app
from config.schedule import AT_ONCE, SCHEDULE
from core.dispatch import WORKERS
from tests.architecture.source import Module, app_modules, called_name, calls, parse

CALLS_BY_NAME = frozenset({"nudge", "send_task"})
ASKS_FOR_ANY = frozenset({"core.dispatch", "config.broker", "config.celery"})
"""They pass on names that others gave, or that stand in the clock's table."""


def registered_tasks() -> frozenset[str]:
    app.loader.import_default_modules()
    return frozenset(name for name in app.tasks if not name.startswith("celery."))


def names_called(module: Module) -> list[tuple[str, str | None]]:
    """Every name handed to nudge, with its place; None where it cannot be read from the text."""
    constants = _constants(module)
    return [
        (module.at(call, called_name(call)), _text(call.args[0], constants) if call.args else None)
        for call in calls(module)
        if called_name(call) in CALLS_BY_NAME
    ]


def _constants(module: Module) -> dict[str, str]:
    named = [(node.targets[0], node.value) for node in module.tree.body if isinstance(node, ast.Assign)]
    return {
        target.id: value.value
        for target, value in named
        if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def _text(node: ast.expr, constants: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def unknown_names(module: Module, known: frozenset[str]) -> list[str]:
    """Every call by a name that is no task, or that cannot be read from the text."""
    return [f"{place} of {name}" for place, name in names_called(module) if name not in known]


@pytest.mark.spec("Rulings B3.2")
def test_the_beat_calls_tasks_by_messages_that_expire() -> None:
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} - registered_tasks() == set()
    entries = app.conf.beat_schedule.values()
    assert all(entry["options"]["expires"] <= max(2 * entry["schedule"], 2.0) for entry in entries)


def test_what_is_done_at_once_is_done_by_the_clock_too() -> None:
    assert set(AT_ONCE) <= set(SCHEDULE) <= registered_tasks()


def test_what_is_nudged_is_a_task() -> None:
    known = registered_tasks()
    modules = [module for module in app_modules() if module.dotted not in ASKS_FOR_ANY]
    assert [place for module in modules for place in unknown_names(module, known)] == []
    text = 'WAKE = "app.wrong"\nnudge("app.wrong")\nnudge(WAKE)\nnudge(name)\nnudge("app.right")\n'
    assert unknown_names(parse("payments/planted.py", text), frozenset({"app.right"})) == [
        "payments/planted.py:2: nudge of app.wrong",
        "payments/planted.py:3: nudge of app.wrong",
        "payments/planted.py:4: nudge of None",
    ]


def test_a_task_is_named_after_its_app_and_function_and_goes_to_a_queue_that_workers_read() -> None:
    runs = {name: app.tasks[name].run for name in registered_tasks()}
    named = {name: f"{run.__module__.partition('.')[0]}.{run.__name__}" for name, run in runs.items()}
    assert {name: at for name, at in named.items() if at != name} == {}
    queues = {name: app.amqp.router.route({}, name)["queue"].name for name in runs}
    assert {name: queue for name, queue in queues.items() if queue not in WORKERS} == {}
