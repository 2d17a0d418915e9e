"""B7, Python: every answer with a key and with words that this version does not know is read, and nothing raises."""

import sys
from typing import Any

from scripts.bars.figures import Figure, exactly
from sdks.generator.ir import Api, Model, Type
from sdks.generator.python import PACKAGE
from sdks.generator.read import read_api

TOMORROW = "a_word_of_tomorrow"
VALUES: dict[str, Any] = {
    "decimal": "1.50",
    "moment": "2030-01-01T00:00:00Z",
    "integer": 1,
    "boolean": True,
    "map": {},
    "null": None,
}


def measure() -> list[Figure]:
    """How many attributes of all models raise when they are read."""
    sys.path.insert(0, str(PACKAGE.parent))
    from causeway_sdk import types  # noqa: PLC0415 - found by the line above

    api = read_api()
    models = [model for name, model in api.models.items() if hasattr(types, name)]
    raised = sum(_raised(getattr(types, model.name)(_raw(api, model)), model) for model in models)
    what = f"raises over {len(models)} models with a key and words of tomorrow"
    return [exactly("B7", what, raised, 0, "")]


def _raw(api: Api, model: Model) -> dict[str, Any]:
    return {**{field.name: _value(api, field.type) for field in model.fields}, "planted": TOMORROW}


def _value(api: Api, found: Type) -> Any:
    if found.kind == "model":
        return _raw(api, api.models[found.name])
    if found.kind == "list":
        return [_value(api, found.items)] if found.items else []
    return VALUES.get(found.kind, TOMORROW)


def _raised(made: Any, model: Model) -> int:
    count = 0
    for name in [*(field.name for field in model.fields), "planted"]:
        try:
            getattr(made, name)
        except Exception:  # noqa: BLE001 - whatever it is, it counts
            count += 1
    return count
