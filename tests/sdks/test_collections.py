"""The collections for Bruno and Postman: every operation, written from the description, and all of it run as it is."""

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sdks.generator import collection
from sdks.generator.collection_order import FOLDERS
from sdks.generator.collection_postman import FILE
from sdks.generator.collection_requests import groups_of
from sdks.generator.read import Document, api_of, read_document
from tests.journeys.programs import Embedded, embedded
from tests.machine import own_port
from tests.sdks.npm import run, tool

BRUNO, POSTMAN = collection.TARGET / "bruno", collection.TARGET / "postman" / FILE
OF_PAYOUTS = "Payouts"
SKIPPED = {"Retrieve a payout", "Send a failed payout again"}
"""Where no payout is made, which is so until an owner asks for them."""


@cache
def document() -> Document:
    return read_document()


@pytest.fixture
def planted() -> dict[str, Any]:
    return copy.deepcopy(dict(document()))


def schema_of(described: dict[str, Any], path: str) -> dict[str, Any]:
    """The body that a POST to this path takes."""
    schema = described["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    found: dict[str, Any] = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def test_every_operation_of_merchants_is_asked() -> None:
    asked = {step.operation for folder in FOLDERS for step in folder.steps}
    assert asked == {method.operation_id for service in api_of(document()).services for method in service.methods}


def test_a_field_that_is_added_is_in_both(planted: dict[str, Any]) -> None:
    taken = schema_of(planted, "/api/public/v1/refunds/{refund_id}/destination")
    taken["properties"]["colour"] = {"type": "string", "description": "Of it."}
    written = collection.files(planted)
    changed = {path for path, text in collection.committed().items() if written[path] != text}
    place = BRUNO / "3 Refunds" / "04 Set where a refund goes.bru"
    assert changed == {POSTMAN, place}
    assert "- `colour` (text): Of it.\n" in written[place]


def test_an_operation_without_a_place_is_refused(planted: dict[str, Any]) -> None:
    added = copy.deepcopy(planted["paths"]["/api/public/v1/tokens"]["get"])
    planted["paths"]["/api/public/v1/colours"] = {"get": {**added, "operationId": "listColours"}}
    with pytest.raises(ValueError, match="listColours"):
        groups_of(planted)


def test_an_example_or_a_parameter_that_is_gone_is_refused(planted: dict[str, Any]) -> None:
    operation = planted["paths"]["/api/public/v1/payment-intents"]["post"]
    del operation["requestBody"]["content"]["application/json"]["examples"]["with_your_order"]
    with pytest.raises(ValueError, match="createPaymentIntent has no example with_your_order"):
        groups_of(planted)
    listed = copy.deepcopy(dict(document()))
    parameters = listed["paths"]["/api/public/v1/tokens"]["get"]["parameters"]
    parameters[:] = [one for one in parameters if one["name"] != "chain"]
    with pytest.raises(ValueError, match="listTokens takes no chain"):
        groups_of(listed)


def test_no_key_stands_in_them() -> None:
    assert [path for path, text in collection.committed().items() if re.search(r"[sr]k_(test|live)_", text)] == []


def ran_by_newman(service: Embedded, folder: Path, *more: str) -> dict[str, set[int]]:
    """What each request was answered. One that the run leaves out has no answer."""
    report = folder / "newman.json"
    given = [f"--env-var={name}={value}" for name, value in variables(service).items()]
    run(tool("newman"), "run", str(POSTMAN), *given, "-r", "json", f"--reporter-json-export={report}", *more)
    executions = json.loads(report.read_text(encoding="utf-8"))["run"]["executions"]
    return answered((one["item"]["name"], one.get("response", {}).get("code")) for one in executions)


def ran_by_bruno(service: Embedded, folder: Path, *more: str) -> dict[str, set[int]]:
    """The same."""
    report = folder / "bruno.json"
    given = [part for name, value in variables(service).items() for part in ("--env-var", f"{name}={value}")]
    run(tool("bru"), "run", *more, "-r", "--env", "Local", *given, "--reporter-json", str(report), folder=BRUNO)
    results = json.loads(report.read_text(encoding="utf-8"))[0]["results"]
    return answered((one["name"], one["response"]["status"]) for one in results)


def answered(rows: Iterable[tuple[str, Any]]) -> dict[str, set[int]]:
    statuses: dict[str, set[int]] = {}
    for name, status in rows:
        if isinstance(status, int):
            statuses.setdefault(name, set()).add(status)
    return statuses


def variables(service: Embedded) -> dict[str, str]:
    return {"CAUSEWAY_BASE_URL": service.base_url, "CAUSEWAY_API_KEY": service.demo["test_secret_key"]}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("embedded"), own_port()) as running:
        yield running


@pytest.mark.embedded
@pytest.mark.exhaustive
@pytest.mark.xdist_group("collections")
@pytest.mark.parametrize("runner", [ran_by_newman, ran_by_bruno])
def test_each_request_is_answered_as_it_says(
    runner: Callable[..., dict[str, set[int]]], service: Embedded, tmp_path: Path
) -> None:
    """First as a new merchant has it, then the payouts, as one has them who asked for them."""
    wanted = {request.name: request.status for group in groups_of(document()) for request in group.requests}
    service.manage("set_payout_at_settle", "--merchant", "1", "--mode", "test", "--off")
    first = runner(service, tmp_path)
    assert first == {name: {status} for name, status in wanted.items() if name not in SKIPPED}
    service.manage("set_payout_at_settle", "--merchant", "1", "--mode", "test", "--on")
    [place] = [f"{number} {folder.name}" for number, folder in enumerate(FOLDERS, 1) if folder.name == OF_PAYOUTS]
    chosen = ("--folder", OF_PAYOUTS) if runner is ran_by_newman else (place,)
    [asked] = [group.requests for group in groups_of(document()) if group.folder.name == OF_PAYOUTS]
    assert runner(service, tmp_path, *chosen) == {request.name: {request.status} for request in asked}
