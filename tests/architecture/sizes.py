"""How long modules and functions are."""

from tests.architecture.source import ROOT, Module, functions, written_files

AIM_LINES = 250
HARD_STOP_LINES = 400
LONGEST_FUNCTION_LINES = 50
USUAL_FUNCTION_LINES = 30
GENERATED = "# Written by `make sdks` "
"""How a file begins that nobody writes. Why it may be long: it is one module so that the wheel stays small."""


def line_counts() -> dict[str, int]:
    """Lines of every Python and JavaScript file that somebody wrote: no migration, and nothing that is generated."""
    paths = [path.relative_to(ROOT) for path in written_files() if path.suffix in {".py", ".js", ".mjs"}]
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in paths if "migrations" not in path.parts}
    return {path.as_posix(): len(text.splitlines()) for path, text in texts.items() if not text.startswith(GENERATED)}


def modules_longer_than(limit: int) -> list[str]:
    return [f"{path} ({lines})" for path, lines in line_counts().items() if lines > limit]


def function_lengths(modules: tuple[Module, ...]) -> dict[str, int]:
    return {
        module.at(function, function.name): (function.end_lineno or function.lineno) - function.lineno + 1
        for module in modules
        for function in functions(module)
    }


def long_functions(modules: tuple[Module, ...]) -> list[str]:
    lengths = function_lengths(modules)
    return [f"{place} ({lines} lines)" for place, lines in lengths.items() if lines > LONGEST_FUNCTION_LINES]


def share_of_usual_functions(modules: tuple[Module, ...]) -> float:
    lengths = function_lengths(modules).values()
    return sum(lines <= USUAL_FUNCTION_LINES for lines in lengths) / max(len(lengths), 1)
