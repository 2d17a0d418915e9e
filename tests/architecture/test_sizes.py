"""Small modules and small functions: a reader holds one in the head."""

from tests.architecture import sizes
from tests.architecture.source import app_modules, parse


def test_no_module_is_longer_than_the_hard_stop() -> None:
    assert sizes.modules_longer_than(sizes.HARD_STOP_LINES) == []


def test_no_function_is_longer_than_the_hard_stop() -> None:
    assert sizes.long_functions(app_modules()) == []


def test_nine_functions_in_ten_are_short() -> None:
    assert sizes.share_of_usual_functions() >= 0.9


def test_a_long_module_is_noticed() -> None:
    assert "tests/architecture/sizes.py" in " ".join(sizes.modules_longer_than(10))


def test_a_long_function_is_noticed() -> None:
    body = "\n".join(["    count += 1"] * 60)
    planted = parse("payments/planted.py", f"def grow(count):\n{body}\n")
    assert sizes.long_functions((planted,)) == ["payments/planted.py:1: grow (61 lines)"]
    assert sizes.share_of_usual_functions((planted,)) == 0
