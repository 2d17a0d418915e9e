"""One source of time: core.clock, which tests freeze and the test clock moves."""

import ast

from tests.architecture.source import Module, app_modules, imports, parse

CLOCK = "core.clock"
NOT_THE_TIME = {"config.folder_broker": "numbers message files in the order they were written"}
OTHER_CLOCKS = frozenset(
    {
        *("timezone.now", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
        *("datetime.datetime.now", "datetime.date.today", "time.time", "time.time_ns", "timezone.localtime"),
    }
)


def other_clocks(module: Module) -> list[str]:
    """Every call of, or reference to, a clock that is not ours; and its import by name."""
    attributes = [node for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)]
    found = [module.at(node, ast.unparse(node)) for node in attributes if ast.unparse(node) in OTHER_CLOCKS]
    by_name = [(node, name) for node, name in imports(module) if name in {"time.time", "django.utils.timezone.now"}]
    return found + [module.at(node, name) for node, name in by_name]


def test_only_core_clock_knows_the_time() -> None:
    modules = [module for module in app_modules() if module.dotted not in {CLOCK, *NOT_THE_TIME}]
    assert [place for module in modules for place in other_clocks(module)] == []


def test_other_clocks_are_noticed() -> None:
    text = (
        "from time import time\nexpires = timezone.now()\ncreated = Field(default=timezone.now)\nt = time.monotonic()\n"
    )
    assert other_clocks(parse("payments/planted.py", text)) == [
        "payments/planted.py:2: timezone.now",
        "payments/planted.py:3: timezone.now",
        "payments/planted.py:1: time.time",
    ]
