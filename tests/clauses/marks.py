"""Which tests carry which marks, read from the source without importing it: quick, and the same for every runner."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
MARK = "pytest.mark.spec"
WORDS_WRITTEN_OUT = f"Write the clause of {MARK} as plain text, so that the report can read it"


@dataclass(frozen=True, order=True)
class Marked:
    """A mark, and the test (or the whole file) that carries it. ``test`` is a path below tests/."""

    test: str
    mark: str


def marked_tests(root: Path = TESTS) -> list[Marked]:
    """Every mark in every test file, in order. Raises: ValueError for one that only shows when the code runs."""
    return sorted(mark for path in root.rglob("test_*.py") for mark in _marks_in(path, root))


def _marks_in(path: Path, root: Path) -> Iterator[Marked]:
    source = path.read_text(encoding="utf-8")
    if MARK not in source:
        return
    file = path.relative_to(root).as_posix()
    for statement in ast.parse(source).body:
        is_test = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name.startswith("test_")
        place = f"{file}::{statement.name}" if is_test else file  # type: ignore[attr-defined]  # a test has a name
        yield from (Marked(place, words) for words in _words(statement, file))


def _words(statement: ast.stmt, file: str) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == MARK:
            [argument] = node.args
            if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                raise ValueError(f"{file}:{node.lineno}: {WORDS_WRITTEN_OUT}")
            yield argument.value
