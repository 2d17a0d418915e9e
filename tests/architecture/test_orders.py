"""Every order ends with a key that no two rows share: else rows of one moment come in whatever order chance has."""

import ast
from collections.abc import Iterator

from tests.architecture.source import Module, app_modules, called_name, calls, modules_below, parse

UNIQUE = frozenset({"pk", "id"})
NUMBERED = frozenset({"sequence", "number", "round", "nonce", "family", "address"})
"""What a constraint of the tables makes unique: the legs, attempts and events of one thing, the transfers of one
account, the settlement profiles of one merchant and mode, the tokens of one chain."""
READS = frozenset({"values", "values_list"})


def loose_orders(module: Module) -> Iterator[str]:
    read = {id(call.func.value): call for call in calls(module) if isinstance(call.func, ast.Attribute)}
    for call in calls(module):
        if called_name(call) in {"order_by", "latest", "earliest"} and call.args:
            last = call.args[-1]
            if not _is_unique(last) and not _is_all_that_is_read(last, read.get(id(call))):
                yield module.at(call, ast.unparse(last))
    for node in module.nodes:
        if _names_ordering(node) and isinstance(node.value, ast.List | ast.Tuple) and node.value.elts:  # type: ignore[attr-defined]  # what assigns has a value
            last = node.value.elts[-1]  # type: ignore[attr-defined]  # as above
            if not _is_unique(last):
                yield module.at(node, ast.unparse(last))


def _names_ordering(node: ast.AST) -> bool:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return any(isinstance(target, ast.Name) and target.id == "ordering" for target in targets)


def _key(node: ast.AST) -> str:
    return node.value.removeprefix("-") if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_unique(last: ast.AST) -> bool:
    return _key(last).rpartition("__")[2] in UNIQUE or _key(last) in NUMBERED


def _is_all_that_is_read(last: ast.AST, then: ast.Call | None) -> bool:
    """Whether nothing but the key itself is asked for: of two equal ones either will do."""
    return then is not None and called_name(then) in READS and [_key(one) for one in then.args] == [_key(last)]


def test_each_order_ends_with_a_key_of_its_own() -> None:
    modules = (*app_modules(), *modules_below("localnet", "scripts", "tests"))
    assert [place for module in modules for place in loose_orders(module)] == []
    text = (
        'rows.order_by("-created_at")[:5]\n'
        'rows.order_by("created_at", "pk").first()\n'
        'rows.order_by("due_at").values_list("due_at", flat=True).first()\n'
        'rows.order_by("due_at").values_list("pk", flat=True).first()\n'
        'rows.order_by("sequence")\n'
        "rows.order_by(*keys)\n"
        "class Meta:\n    ordering: ClassVar = ['at']\n"
        "class Rows:\n    ordering = ('at', '-pk')\n"
    )
    assert sorted(loose_orders(parse("payments/planted.py", text))) == [
        "payments/planted.py:1: '-created_at'",
        "payments/planted.py:4: 'due_at'",
        "payments/planted.py:6: *keys",
        "payments/planted.py:8: 'at'",
    ]
