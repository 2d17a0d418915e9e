"""Which tests carry which marks, read from the source without importing it: quick, and the same for every runner."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.live.tier import is_left_out

TESTS = Path(__file__).resolve().parent.parent
MARK = "pytest.mark.spec"
EXHAUSTIVE = "pytest.mark.exhaustive"
WORDS_WRITTEN_OUT = f"Write the clause of {MARK} as plain text, so that the report can read it"


@dataclass(frozen=True, order=True)
class Marked:
    """A mark, and the test (or the whole file) that carries it. ``test`` is a path below tests/.

    ``is_exhaustive``: `make test` leaves all of it out, and `make test-all` runs it.
    """

    test: str
    mark: str
    is_exhaustive: bool = False


def marked_tests(root: Path = TESTS) -> list[Marked]:
    """Every mark in every test file, in order. Raises: ValueError for one that only shows when the code runs."""
    return sorted(mark for path in root.rglob("test_*.py") for mark in _marks_in(path, root))


def _marks_in(path: Path, root: Path) -> Iterator[Marked]:
    source = path.read_text(encoding="utf-8")
    if MARK not in source:
        return
    file = path.relative_to(root).as_posix()
    body = ast.parse(source).body
    whole_file = any(_is_whole_file_exhaustive(statement) for statement in body)
    for statement in body:
        is_test = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name.startswith("test_")
        place = f"{file}::{statement.name}" if is_test else file  # type: ignore[attr-defined]  # a test has a name
        is_exhaustive = (
            whole_file
            or (is_test and _is_exhaustive(statement.decorator_list))  # type: ignore[attr-defined]  # as above
            or (is_test and is_left_out(path, statement.name))  # type: ignore[attr-defined]  # as above
        )
        yield from (Marked(place, words, is_exhaustive) for words in _words(statement, file))


def _is_whole_file_exhaustive(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign) or ast.unparse(statement.targets[0]) != "pytestmark":
        return False
    value = statement.value
    return _is_exhaustive(value.elts if isinstance(value, ast.List | ast.Tuple) else [value])


def _is_exhaustive(marks: list[ast.expr]) -> bool:
    """Whether one of the marks is on the whole test. Why not any inside: a case of its own may carry it."""
    return EXHAUSTIVE in map(ast.unparse, marks)


def _words(statement: ast.stmt, file: str) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == MARK:
            [argument] = node.args
            if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                raise ValueError(f"{file}:{node.lineno}: {WORDS_WRITTEN_OUT}")
            yield argument.value
