"""No verdict by a real clock: only ``tests.machine`` sleeps, reads a clock, takes a port or says how long to wait."""

import ast
from collections.abc import Iterator

from tests.architecture.source import Module, imports, modules_below, parse

MACHINE, PROPERTIES = "tests.machine", "tests.properties"
PROGRAMS = {"tests.journeys.recipe": "a merchant's own program, which holds signatures against the time as all do"}
"""Modules that stand for somebody else's program."""
CLOCKS = frozenset(
    {
        *("time.sleep", "time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.process_time"),
        *("time.perf_counter", "time.perf_counter_ns", "datetime.now", "datetime.datetime.now", "date.today"),
        *("datetime.date.today", "asyncio.sleep"),
    }
)
PORTS = frozenset({"scripts.service_process.free_port", "localnet.nodes.free_port"})


def asks_the_machine(module: Module) -> Iterator[str]:
    """Every clock, rest, port and number of seconds that a module takes by itself."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in CLOCKS:
            yield module.at(node, ast.unparse(node))
        if isinstance(node, ast.FunctionDef) and node.name == "free_port":
            yield module.at(node, "free_port")
        if isinstance(node, ast.keyword) and node.arg == "timeout" and _is_written_out(node.value):
            yield module.at(node.value, f"timeout={ast.unparse(node.value)}")
    for statement, name in imports(module):
        if name in CLOCKS | PORTS:
            yield module.at(statement, name)
        if name == "hypothesis.settings" and module.dotted != PROPERTIES:
            yield module.at(statement, name)


def _is_written_out(value: ast.expr) -> bool:
    """Whether it is a number, or made of numbers."""
    return any(isinstance(node, ast.Constant) and isinstance(node.value, int | float) for node in ast.walk(value))


def test_only_one_module_of_the_suite_asks_the_machine() -> None:
    modules = [module for module in modules_below("tests") if module.dotted not in {MACHINE, *PROGRAMS}]
    assert [place for module in modules for place in asks_the_machine(module)] == []


def test_asking_the_machine_is_noticed() -> None:
    text = (
        "import time\nfrom datetime import datetime\nfrom time import monotonic\n"
        "from scripts.service_process import free_port\nfrom hypothesis import given, settings\n"
        "time.sleep(1)\nborn = datetime.now(UTC)\nprocess.wait(timeout=10)\n"
        "page.click(timeout=2 * PATIENCE_MS)\nprocess.wait(timeout=PATIENCE_SECONDS)\nmoment = clock.now()\n"
    )
    assert sorted(asks_the_machine(parse("tests/planted.py", text))) == [
        "tests/planted.py:3: time.monotonic",
        "tests/planted.py:4: scripts.service_process.free_port",
        "tests/planted.py:5: hypothesis.settings",
        "tests/planted.py:6: time.sleep",
        "tests/planted.py:7: datetime.now",
        "tests/planted.py:8: timeout=10",
        "tests/planted.py:9: timeout=2 * PATIENCE_MS",
    ]
