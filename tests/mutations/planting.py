"""What a fault is, and how it comes into a service that is loaded already.

The changed source is compiled, and every function of the module gets its new code in place, so that whoever holds the
function (a decorator, a URL, a registry) has the fault. Constants are worked out anew and put wherever their name
was imported.
"""

import ast
import gc
import importlib
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
Place = tuple[str, str, int]
"""Where a function was written: file, qualified name, first line."""
Functions = Mapping[Place, list[FunctionType]]


@dataclass(frozen=True)
class Fault:
    name: str
    rule: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    needs_postgres: bool = False

    @property
    def module(self) -> ModuleType:
        return importlib.import_module(self.file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))

    def sources(self) -> tuple[str, str]:
        before = (ROOT / self.file).read_text()
        if before.count(self.old) != 1:
            raise Stale(f"{self.file} holds the old text {before.count(self.old)} times")
        return before, before.replace(self.old, self.new)


class Stale(Exception):  # noqa: N818 - the state of an entry of the list, not an error of the service
    """A fault that cannot be planted any more: its line was rewritten."""


def loaded_functions() -> Functions:
    """Every function of this process by its place. Why once: it looks at all that the process holds."""
    gc.unfreeze()
    found: dict[Place, list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:  # not isinstance, which asks dead proxies
            found[_place(thing.__code__)].append(thing)
    return found


def plant(fault: Fault, functions: Functions) -> None:
    before, after = fault.sources()
    module = fault.module
    path = str(module.__file__)
    changed = set(_new_values(ast.parse(before).body, ast.parse(after).body, module))
    for old, new in _pairs(compile(before, path, "exec"), compile(after, path, "exec")):
        live = functions.get(_place(old), [])
        for function in live:
            function.__code__ = new
        if live:
            changed = {name for name in changed if name != old.co_qualname}
    if changed:
        raise Stale(f"nobody holds {', '.join(sorted(changed))} of {fault.file}")
    _write_anew(functions)


def _write_anew(functions: Functions) -> None:
    """Forget the SQL that questions are kept as. Why: a test that ran before the fault may have asked them."""
    from core.compiled import compiled_once  # noqa: PLC0415 - the list of faults is read without the service

    asked = next(code for code in _nested(compiled_once.__code__) if code.co_name == "asked")
    for function in functions.get(_place(asked), []):
        inspect.getclosurevars(function).nonlocals["kept"].clear()


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _pairs(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    new = defaultdict(list)
    for code in _nested(after):
        new[code.co_qualname].append(code)
    for code in _nested(before):
        if new[code.co_qualname]:
            yield code, new[code.co_qualname].pop(0)


def _nested(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested(constant)


def _new_values(before: list[ast.stmt], after: list[ast.stmt], module: ModuleType, owner: str = "") -> Iterator[str]:
    """Work out anew what changed outside of functions; the qualified names of the functions whose body changed."""
    if len(before) != len(after):
        raise Stale("a fault changes statements, and adds or removes none outside of functions")
    for old, new in zip(before, after, strict=True):
        if ast.dump(old) == ast.dump(new):
            continue
        if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef):
            yield from _new_values(old.body, new.body, module, f"{owner}{old.name}.")
        elif isinstance(old, ast.FunctionDef) and isinstance(new, ast.FunctionDef) and _head(old) == _head(new):
            yield f"{owner}{old.name}"
        else:
            _run(new, module, owner)


def _head(function: ast.FunctionDef) -> list[str]:
    return [ast.dump(part) for part in (function.args, *function.decorator_list)]


def _run(statement: ast.stmt, module: ModuleType, owner: str) -> None:
    """Run one statement again where it stands, and give everybody the new value."""
    values: dict[str, Any] = {}
    code = compile(ast.Module([statement], []), str(module.__file__), "exec")
    exec(code, vars(module), values)  # noqa: S102 - our own source, with one line changed
    if not values:
        raise Stale("what changed outside of functions is no name's value")
    for name, value in values.items():
        if owner:
            setattr(_named(module, owner), name, value)
            continue
        old = vars(module)[name]
        if isinstance(old, dict) and isinstance(value, dict):
            old.clear()  # in place: decorators and tables hold it, under names that nobody knows
            old.update(value)
            continue
        for other in list(sys.modules.values()):
            if getattr(other, "__dict__", {}).get(name) is old:
                setattr(other, name, value)


def _named(module: ModuleType, owner: str) -> Any:
    found: Any = module
    for part in owner.removesuffix(".").split("."):
        found = getattr(found, part)
    return found
