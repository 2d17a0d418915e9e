"""B13: a drift of each kind that is planted in the description changes what is generated, so the drift tests fail."""

import copy
from collections.abc import Callable
from typing import Any

import yaml

from scripts.bars.figures import Figure, exactly
from sdks.generator.ir import Api
from sdks.generator.python import python_files
from sdks.generator.read import DESCRIPTION, api_of
from sdks.generator.typescript import files as typescript_files

Document = dict[str, Any]


def _field(document: Document) -> None:
    document["components"]["schemas"]["PaymentIntent"]["properties"]["planted"] = {"type": "string"}


def _enum(document: Document) -> None:
    document["components"]["schemas"]["IntentStatus"]["enum"].append("planted")


def _operation(document: Document) -> None:
    paths = document["paths"]
    paths["/api/public/v1/planted"] = {"get": dict(paths["/api/public/v1/account"]["get"], operationId="getPlanted")}


def _header(document: Document) -> None:
    operation = document["paths"]["/api/public/v1/payment-intents"]["post"]
    operation["parameters"] = []
    operation.pop("x-idempotent", None)


PLANTED: tuple[Callable[[Document], None], ...] = (_field, _enum, _operation, _header)


def measure() -> list[Figure]:
    """How many of the planted drifts are found."""
    document = yaml.load(DESCRIPTION.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    figures = []
    for language, write in (("Python", python_files), ("TypeScript", typescript_files)):
        before = _written(write, document)
        found = sum(_written(write, _changed(document, plant)) != before for plant in PLANTED)
        what = f"planted drifts that are found in {language} (field, word, operation, header)"
        figures.append(exactly("B13", what, found, len(PLANTED), ""))
    return figures


def _changed(document: Document, plant: Callable[[Document], None]) -> Document:
    changed = copy.deepcopy(document)
    plant(changed)
    return changed


def _written(write: Callable[[Api], Any], document: Document) -> Any:
    """What is generated, or why nothing can be: a POST without a key is refused, and the tests fail by that too."""
    try:
        return write(api_of(document))
    except ValueError as refusal:
        return str(refusal)
