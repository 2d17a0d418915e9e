"""One source of time: core.clock, which tests freeze and the test clock moves.

And no verdict by a real clock: only ``tests.machine`` sleeps, reads a clock, takes a port or says how long to wait.
"""

import ast
from collections.abc import Iterator

from tests.architecture.source import Module, app_modules, imports, modules_below, parse

CLOCK = "core.clock"
REAL_SECONDS = {
    "chains.clients.channel": "how long a node is waited for",
    "chains.clients.endpoints": "how long a node that failed rests, and how fresh what it said is",
    "chains.clients.evm": "how fresh a gas price is",
    "chains.clients.heads": "how far a chain can have come meanwhile",
    "chains.clients.pool": "how long all nodes together are waited for",
    "operations.supervisor": "how long processes are waited for",
    "core.leases": "how long a worker goes on before it lets others",
    "core.outbound.providers": "how long a provider is waited for, and rests",
    "core.outbound.reading": "how long an answer is read",
    "mcp.calls": "tells how long a call took",
    "merchants.request_log": "tells how long a request took",
    "dashboard.payments.figures": "keeps figures that took long",
    "payments.routing.jupiter.provider": "how fresh a price is",
    "tokens.services.prices": "how long the sources of prices are waited for",
    "webhooks.delivery.certifying": "tells how long a receiver took",
    "webhooks.delivery.posting": "tells how long a receiver took",
    "webhooks.delivery.rounds": "how long a worker goes on before it lets others",
}
"""What waits for the outside or tells how long it took. All else that counts seconds asks ``core.clock.ticks``."""
STOPWATCHES = frozenset({"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"})
OTHER_CLOCKS = frozenset(
    {
        *("timezone.now", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
        *("datetime.datetime.now", "datetime.date.today", "time.time", "time.time_ns", "timezone.localtime"),
    }
)
MACHINE, PROPERTIES = "tests.machine", "tests.properties"
PROGRAMS = {"tests.journeys.recipe": "a merchant's own program, which holds signatures against the time as all do"}
"""Modules that stand for somebody else's program."""
TEST_CLOCKS = frozenset(
    {
        *("time.sleep", "time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.process_time"),
        *("time.perf_counter", "time.perf_counter_ns", "datetime.now", "datetime.datetime.now", "date.today"),
        *("datetime.date.today", "asyncio.sleep"),
    }
)
LAST_WORDS = frozenset(name.rpartition(".")[2] for name in OTHER_CLOCKS | TEST_CLOCKS)
"""What to look at more closely. Why: writing out every attribute of all modules takes seconds."""
PORTS = frozenset({"scripts.service_process.free_port", "localnet.nodes.free_port"})


def other_clocks(module: Module) -> list[str]:
    """Every call of, or reference to, a clock that is not ours; and its import by name."""
    attributes = [node for node in module.nodes if isinstance(node, ast.Attribute) and node.attr in LAST_WORDS]
    found = [module.at(node, ast.unparse(node)) for node in attributes if ast.unparse(node) in OTHER_CLOCKS]
    by_name = [(node, name) for node, name in imports(module) if name in {"time.time", "django.utils.timezone.now"}]
    return found + [module.at(node, name) for node, name in by_name]


def stopwatches(module: Module) -> list[str]:
    attributes = [node for node in module.nodes if isinstance(node, ast.Attribute) and node.attr in STOPWATCHES]
    by_name = [(node, name) for node, name in imports(module) if name in {f"time.{one}" for one in STOPWATCHES}]
    found = [module.at(node, node.attr) for node in attributes]
    return found + [module.at(node, name) for node, name in by_name]


def test_seconds_are_counted_by_ticks_alone() -> None:
    counting = {module.dotted: places for module in app_modules() if (places := stopwatches(module))}
    assert set(counting) == {CLOCK, *REAL_SECONDS}, counting
    text = "import time as clock\nfrom time import monotonic\nbegun = clock.perf_counter_ns()\n"
    assert stopwatches(parse("payments/planted.py", text)) == [
        "payments/planted.py:3: perf_counter_ns",
        "payments/planted.py:2: time.monotonic",
    ]


def test_core_clock_alone_knows_the_time() -> None:
    modules = [module for module in app_modules() if module.dotted != CLOCK]
    assert [place for module in modules for place in other_clocks(module)] == []
    text = (
        "from time import time\nexpires = timezone.now()\ncreated = Field(default=timezone.now)\nt = time.monotonic()\n"
    )
    assert other_clocks(parse("payments/planted.py", text)) == [
        "payments/planted.py:2: timezone.now",
        "payments/planted.py:3: timezone.now",
        "payments/planted.py:1: time.time",
    ]


def asks_the_machine(module: Module) -> Iterator[str]:
    """Every clock, rest, port and number of seconds that a module takes by itself."""
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.attr in LAST_WORDS and ast.unparse(node) in TEST_CLOCKS:
            yield module.at(node, ast.unparse(node))
        if isinstance(node, ast.FunctionDef) and node.name == "free_port":
            yield module.at(node, "free_port")
        if isinstance(node, ast.keyword) and node.arg == "timeout" and _is_written_out(node.value):
            yield module.at(node.value, f"timeout={ast.unparse(node.value)}")
    for statement, name in imports(module):
        if name in TEST_CLOCKS | PORTS:
            yield module.at(statement, name)
        if name == "hypothesis.settings" and module.dotted != PROPERTIES:
            yield module.at(statement, name)


def _is_written_out(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Constant) and isinstance(node.value, int | float) for node in ast.walk(value))


def test_one_module_of_the_suite_asks_the_machine() -> None:
    modules = [module for module in modules_below("tests") if module.dotted not in {MACHINE, *PROGRAMS}]
    assert [place for module in modules for place in asks_the_machine(module)] == []
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
