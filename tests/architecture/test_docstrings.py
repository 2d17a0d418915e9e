"""Every module says what it is for, every public service what it does."""

import ast

from tests.architecture.source import Module, app_modules, parse

PUBLIC_PARTS = frozenset({"services", "selectors", "transitions", "delivery", "signatures"})


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


def is_public_part(module: Module) -> bool:
    """Whether other apps call this module: a service, a selector, or one of the named doors."""
    return bool(PUBLIC_PARTS & set(module.dotted.split(".")))


def test_every_module_says_what_it_is_for() -> None:
    assert undocumented_modules(app_modules()) == []


def test_every_public_service_says_what_it_does() -> None:
    parts = [module for module in app_modules() if is_public_part(module)]
    assert [place for module in parts for place in undocumented_functions(module)] == []


def test_there_are_services_to_look_at() -> None:
    assert {"merchants", "core"} <= {module.app for module in app_modules() if is_public_part(module)}


def test_missing_docstrings_are_noticed() -> None:
    planted = parse(
        "payments/services/planted.py", "def pay(): ...\ndef _quiet(): ...\nclass New:\n    def go(self): ...\n"
    )
    assert undocumented_modules((planted,)) == ["payments/services/planted.py"]
    assert undocumented_functions(planted) == [
        "payments/services/planted.py:1: pay",
        "payments/services/planted.py:3: New",
        "payments/services/planted.py:4: go",
    ]
