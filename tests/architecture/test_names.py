"""A reader should know from its name what a thing is, and from its docstring what a module or a service is for."""

import ast
from pathlib import PurePosixPath

from tests.architecture.source import Module, app_modules, functions, parse

EMPTY_WORDS = frozenset({"utils", "util", "helpers", "helper", "manager", "handle", "handler", "process", "processor"})
EMPTY_STARTS = ("do_", "handle_", "process_")
DICTATED_BY_DJANGO = frozenset(
    {"handle", "handle_no_permission", "process_view", "process_exception", "process_request", "process_response"}
)
TAKES_DATA_BY_CONTRACT = frozenset({"to_internal_value", "run_validation", "render", "get_paginated_response"})
PUBLIC_PARTS = frozenset({"services", "selectors", "transitions", "delivery", "signatures"})
"""What other apps call: services, selectors, and the named doors."""


def empty_names(module: Module) -> list[str]:
    words = set(PurePosixPath(module.path).with_suffix("").parts)
    found = [f"{module.path}:1: module {word}" for word in sorted(words & EMPTY_WORDS)]
    defined = [node for node in module.nodes if isinstance(node, _DEFINITIONS) and _is_empty(node.name)]
    found += [module.at(node, node.name) for node in defined]
    return found + [module.at(node, "data") for node in _variables_called_data(module)]


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_empty(name: str) -> bool:
    if name in DICTATED_BY_DJANGO:
        return False
    return name.lower().strip("_") in EMPTY_WORDS or name.lstrip("_").startswith(EMPTY_STARTS)


def _variables_called_data(module: Module) -> list[ast.AST]:
    columns = {id(target) for node in module.nodes if isinstance(node, ast.ClassDef) for target in _own(node)}
    stored: list[ast.AST] = [
        node
        for node in module.nodes
        if isinstance(node, ast.Name) and node.id == "data" and isinstance(node.ctx, ast.Store)
    ]
    taken = [
        argument
        for function in functions(module)
        if function.name not in TAKES_DATA_BY_CONTRACT
        for argument in [*function.args.args, *function.args.kwonlyargs]
        if argument.arg == "data"
    ]
    return [node for node in stored if id(node) not in columns] + taken


def _own(definition: ast.ClassDef) -> list[ast.expr]:
    """The targets of a class body: columns and fields, whose names the wire dictates."""
    targets: list[ast.expr] = []
    for node in definition.body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return targets


def test_no_name_says_nothing() -> None:
    assert [place for module in app_modules() for place in empty_names(module)] == []
    text = """
def do_pay(): ...
def handle_event(data): ...
class Manager: ...
def read():
    data = 1
class Event:
    data = Column()
class Command:
    def handle(self): ...
"""
    assert empty_names(parse("payments/utils.py", text)) == [
        "payments/utils.py:1: module utils",
        "payments/utils.py:2: do_pay",
        "payments/utils.py:3: handle_event",
        "payments/utils.py:4: Manager",
        "payments/utils.py:6: data",
        "payments/utils.py:3: data",
    ]


def undocumented_modules(modules: tuple[Module, ...]) -> list[str]:
    """The modules that hold code and say nothing of themselves."""
    return [module.path for module in modules if module.tree.body and not ast.get_docstring(module.tree)]


def undocumented_functions(module: Module) -> list[str]:
    """The public functions, classes and methods without a docstring; nested functions are private."""
    return [module.at(node, node.name) for node in _public(module.tree) if not ast.get_docstring(node)]


def _public(parent: ast.Module | ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    found: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = []
    for node in parent.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            found.append(node)
            if isinstance(node, ast.ClassDef):
                found += _public(node)
    return found


def test_modules_and_public_services_say_what_they_are_for() -> None:
    assert undocumented_modules(app_modules()) == []
    parts = [module for module in app_modules() if PUBLIC_PARTS & set(module.dotted.split("."))]
    assert {"merchants", "core"} <= {module.app for module in parts}
    assert [place for module in parts for place in undocumented_functions(module)] == []
    planted = parse(
        "payments/services/planted.py", "def pay(): ...\ndef _quiet(): ...\nclass New:\n    def go(self): ...\n"
    )
    assert undocumented_modules((planted,)) == ["payments/services/planted.py"]
    assert undocumented_functions(planted) == [
        "payments/services/planted.py:1: pay",
        "payments/services/planted.py:3: New",
        "payments/services/planted.py:4: go",
    ]
