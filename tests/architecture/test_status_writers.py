"""One writer of statuses: whatever changes one goes through core.transitions, with history and event."""

import ast
import re
from dataclasses import dataclass

import pytest
from django.apps import apps

from core.models import StatefulModel, TransitionRecord
from tests.architecture.source import Module, app_modules, called_name, calls, parse

WRITER = "core.transitions"
WRITES_ROWS = frozenset({"update", "create", "get_or_create", "update_or_create", "bulk_update", "aupdate", "acreate"})
SQL_WRITE = re.compile(r"\bset\b[^;]*\bstatus\b\s*=", re.IGNORECASE)
OTHER_STATUSES: dict[str, str] = {
    "webhooks.delivery": "a delivery is a queue row: one UPDATE records a batch, its attempts are its history",
    "refunds.samples": "what it makes is never stored",
    "payouts.samples": "what it makes is never stored",
}


@dataclass(frozen=True, kw_only=True)
class Stateful:
    """The names of the models that are state machines, and of those of them that keep a history."""

    names: frozenset[str]
    with_history: frozenset[str]

    @classmethod
    def of_the_service(cls) -> "Stateful":
        models = list(apps.get_models())
        records = [model for model in models if issubclass(model, TransitionRecord)]
        return cls(
            names=frozenset(model.__name__ for model in models if issubclass(model, StatefulModel)),
            with_history=frozenset(vars(record)["subject"].field.related_model.__name__ for record in records),
        )


def status_writes(module: Module, stateful: Stateful) -> list[str]:
    """Every place that writes a status column, or builds a stateful row with one."""
    found = [module.at(node, "assigns .status") for node in module.nodes if _assigns_status(node)]
    for call in calls(module):
        if called_name(call) == "setattr" and _names_status(call.args[1:2]):
            found.append(module.at(call, "setattr of status"))
        elif _writes_a_row(call, stateful) and _passes_status(call) and not _is_plain_creation(call, stateful):
            found.append(module.at(call, f"{called_name(call)}() with a status"))
    texts = [node for node in module.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    found += [module.at(text, "SQL that sets a status") for text in texts if SQL_WRITE.search(str(text.value))]
    return found


def _writes_a_row(call: ast.Call, stateful: Stateful) -> bool:
    if called_name(call) in stateful.names:
        return True
    model = _model(call)
    return called_name(call) in WRITES_ROWS and (model is None or model in stateful.names)


def _is_plain_creation(call: ast.Call, stateful: Stateful) -> bool:
    """Whether it only begins a machine without history: ``Leg(status=LEG_MACHINE.initial)``."""
    begins = [keyword.value for keyword in call.keywords if keyword.arg == "status"]
    is_initial = [isinstance(value, ast.Attribute) and value.attr == "initial" for value in begins]
    return bool(is_initial) and all(is_initial) and (_model(call) or called_name(call)) not in stateful.with_history


def _model(call: ast.Call) -> str | None:
    """The model that a call names: ``Leg`` in ``Leg.objects.filter(...).update(...)``."""
    node: ast.expr = call.func
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) and node.id[0].isupper() else None


def _assigns_status(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "status" and isinstance(node.ctx, ast.Store)


def _passes_status(call: ast.Call) -> bool:
    if any(keyword.arg == "status" for keyword in call.keywords):
        return True
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    dictionaries = [value for value in given if isinstance(value, ast.Dict)]
    lists = [value for value in given if isinstance(value, ast.List | ast.Tuple | ast.Set)]
    return any(_names_status(dictionary.keys) for dictionary in dictionaries) or any(
        _names_status(names.elts) for names in lists
    )


def _names_status(nodes: object) -> bool:
    return any(isinstance(node, ast.Constant) and node.value == "status" for node in nodes)  # type: ignore[attr-defined]  # the syntax tree's lists are loosely typed


@pytest.mark.spec("Rulings A6.1")
def test_core_transitions_alone_writes_a_status() -> None:
    stateful = Stateful.of_the_service()
    others = [one for one in app_modules() if one.dotted != WRITER and not one.is_in(*OTHER_STATUSES)]
    assert [place for module in others for place in status_writes(module, stateful)] == []
    [writer] = [module for module in app_modules() if module.dotted == WRITER]
    assert len(status_writes(writer, stateful)) >= 2
    text = """
intent.status = "settled"
rows.filter(pk=1).update(status="settled")
setattr(intent, "status", "settled")
PaymentIntent(merchant=merchant, status=INTENT_MACHINE.initial)
rows.update_or_create(defaults={"status": "settled"})
rows.bulk_update(intents, ["status"])
cursor.execute("UPDATE payments_paymentintent SET status = 'settled'")
Leg.objects.create(status="settled")
Leg.objects.filter(pk=1).update(status=LEG_MACHINE.terminal)
Response(status=201)
Receipt.objects.filter(pk=1).update(status=200)
Leg(status=LEG_MACHINE.initial)
Leg.objects.create(status=LEG_MACHINE.initial)
"""
    planted = parse("payments/planted.py", text)
    stateful = Stateful(names=frozenset({"PaymentIntent", "Leg"}), with_history=frozenset({"PaymentIntent"}))
    lines = {int(place.split(":")[1]) for place in status_writes(planted, stateful)}
    assert lines == {2, 3, 4, 5, 6, 7, 8, 9, 10}
