"""B13: a drift of each kind that is planted in the description changes what is generated, so the drift test fails."""

import copy
from collections.abc import Callable
from typing import Any

import yaml

from scripts.bars.figures import Figure, exactly
from sdks.generator.python import python_files
from sdks.generator.read import DESCRIPTION, api_of

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
    before = python_files(api_of(document))
    found = 0
    for plant in PLANTED:
        changed = copy.deepcopy(document)
        plant(changed)
        found += python_files(api_of(changed)) != before
    return [exactly("B13", "planted drifts that are found (field, word, operation, header)", found, len(PLANTED), "")]
