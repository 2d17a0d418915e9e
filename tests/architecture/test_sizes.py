"""Small modules and small functions: a reader holds one in the head."""

from tests.architecture import sizes
from tests.architecture.source import app_modules, parse


def test_modules_and_functions_are_short() -> None:
    assert sizes.modules_longer_than(sizes.HARD_STOP_LINES) == []
    assert sizes.long_functions(app_modules()) == []
    assert sizes.share_of_usual_functions(app_modules()) >= 0.9
    assert "tests/architecture/sizes.py" in " ".join(sizes.modules_longer_than(10))
    body = "\n".join(["    count += 1"] * 60)
    planted = parse("payments/planted.py", f"def grow(count):\n{body}\n")
    assert sizes.long_functions((planted,)) == ["payments/planted.py:1: grow (61 lines)"]
    assert sizes.share_of_usual_functions((planted,)) == 0
