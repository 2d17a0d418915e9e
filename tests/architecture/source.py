"""The project's own text, parsed once, for the tests of the house rules. Knows no rule itself."""

import ast
import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = (
    "core", "merchants", "chains", "proofs", "tokens", "webhooks", "ledger", "payments", "checkout", "refunds",
    "payouts", "records", "theatre", "mcp", "dashboard", "operations", "guides", "config",
)  # fmt: skip
MADE_NOT_WRITTEN = frozenset(
    {".git", ".venv", ".local", "node_modules", "__pycache__", "staticfiles", ".env"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache", ".hypothesis", ".schemathesis"}
)


@dataclass(frozen=True, kw_only=True)
class Module:
    path: str
    text: str
    tree: ast.Module

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree. Why kept: each rule looks at all of them, and walking is most of what that takes."""
        return tuple(ast.walk(self.tree))

    @property
    def dotted(self) -> str:
        name = ".".join(PurePosixPath(self.path).with_suffix("").parts)
        return name.removesuffix(".__init__")

    @property
    def app(self) -> str:
        return PurePosixPath(self.path).parts[0]

    def at(self, node: ast.AST, message: str) -> str:
        """A finding, in the form that editors jump to."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}: {message}"

    def is_in(self, *places: str) -> bool:
        """Whether it is one of these dotted modules or inside one of these packages."""
        return any(self.dotted == place or self.dotted.startswith(f"{place}.") for place in places)


def parse(path: str, text: str) -> Module:
    return Module(path=path, text=text, tree=ast.parse(text))


def written_files() -> Iterator[Path]:
    """Every file of the project that somebody wrote, and no file that a tool made."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - MADE_NOT_WRITTEN)
        yield from (Path(folder) / name for name in sorted(set(names) - MADE_NOT_WRITTEN))


def modules_below(*folders: str) -> tuple[Module, ...]:
    """Every Python module in these top folders, migrations left out."""
    return tuple(module for folder in folders for module in _modules_of(folder))


@functools.cache
def _modules_of(folder: str) -> tuple[Module, ...]:
    paths = [path.relative_to(ROOT) for path in _python_files()]
    chosen = [path for path in paths if path.parts[0] == folder and "migrations" not in path.parts]
    return tuple(parse(path.as_posix(), (ROOT / path).read_text(encoding="utf-8")) for path in chosen)


@functools.cache
def _python_files() -> tuple[Path, ...]:
    return tuple(path for path in written_files() if path.suffix == ".py")


def app_modules() -> tuple[Module, ...]:
    return modules_below(*APPS)


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def calls(module: Module) -> Iterator[ast.Call]:
    return (node for node in module.nodes if isinstance(node, ast.Call))


def called_name(call: ast.Call) -> str:
    """The last part of what is called: ``update`` in ``rows.update(...)``."""
    called = call.func
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""


def imports(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Every absolute dotted name that the module imports, with the statement."""
    package = module.dotted if module.path.endswith("__init__.py") else module.dotted.rpartition(".")[0]
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield from ((node, f"{base}.{alias.name}") for alias in node.names)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])
