"""No float where money is: a float cannot hold a cent."""

import ast

import pytest

from tests.architecture.source import Module, app_modules, called_name, parse

MONEY = (
    "core.money", "core.columns", "core.fields", "core.parsers", "core.renderers", "payments", "refunds", "payouts",
    "tokens", "checkout", "chains", "mcp",
)  # fmt: skip
NOT_MONEY = {
    "payments.routing.advisor": "a learned preference: it orders candidates and never makes an amount",
    "payments.routing.ranker": "a learned preference: it orders candidates and never makes an amount",
}
FLOAT_FIELDS = frozenset({"FloatField"})


def floats(module: Module) -> list[str]:
    found = []
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and not _is_time(node, module):
            found.append(module.at(node, f"the float {node.value}"))
        elif isinstance(node, ast.Name) and node.id == "float":
            found.append(module.at(node, "float"))
        elif isinstance(node, ast.Call) and called_name(node) in FLOAT_FIELDS:
            found.append(module.at(node, called_name(node)))
    return found


def _is_time(literal: ast.Constant, module: Module) -> bool:
    """Whether the literal is a duration by its name: ``timeout=2.5``, ``POLL_SECONDS = 0.5``."""
    for node in module.nodes:
        if isinstance(node, ast.keyword) and node.value is literal:
            return _names_time(node.arg or "")
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is literal:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return all(isinstance(target, ast.Name) and _names_time(target.id) for target in targets)
    return False


def _names_time(name: str) -> bool:
    return name.lower().endswith(("seconds", "timeout", "interval"))


@pytest.mark.spec("Rulings A1.4")
def test_money_modules_hold_no_float() -> None:
    modules = [module for module in app_modules() if module.is_in(*MONEY) and not module.is_in(*NOT_MONEY)]
    assert [place for module in modules for place in floats(module)] == []
    models = [module for module in app_modules() if module.is_in(f"{module.app}.models")]
    assert [place for module in models for place in floats(module) if "FloatField" in place] == []
    text = "fee = 0.5\ndef cost(amount: float): return float(amount)\nprice = models.FloatField()\nPOLL_SECONDS = 0.5\n"
    assert floats(parse("payments/planted.py", text)) == [
        "payments/planted.py:1: the float 0.5",
        "payments/planted.py:3: FloatField",
        "payments/planted.py:2: float",
        "payments/planted.py:2: float",
    ]
