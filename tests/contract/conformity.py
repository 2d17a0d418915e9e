"""A pytest plugin: every answer that any test gets from the API is checked against the generated description.

Why for all tests: each of them meets a case that the description's authors may not have thought of.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jsonschema_rs
import orjson
import pytest
from django.test import Client

from config.description.headers import HEADERS
from config.docs_page import description

API = "/api/"
NO_CONTENT = {204, 304}
REFUSED = 400
_PARAMETER = re.compile(r"\\\{[^}]+\\\}")


@dataclass(frozen=True)
class Operation:
    """One documented method of one path, with the answers described for it, by status."""

    name: str
    answers: dict[str, dict[str, Any]]
    codes: frozenset[str]
    validators: dict[str, jsonschema_rs.Validator | None] = field(default_factory=dict)

    def validator(self, status: str) -> jsonschema_rs.Validator | None:
        """What judges an answer; None where it has no body.

        Why only when it is asked for: making all of them takes longer than most runs of a few files.
        """
        if status not in self.validators:
            self.validators[status] = _validator(self.answers[status])
        return self.validators[status]


def problem_of(method: str, path: str, status: int, content_type: str, body: bytes) -> str | None:
    """What an answer does that the description does not allow; None if it keeps to it."""
    operation = find_operation(method, path)
    if operation is None:
        return None
    if str(status) not in operation.answers:
        return f"{operation.name} answered {status}, which is not described"
    if status in NO_CONTENT:
        return f"{operation.name} answered {status} with a body" if body else None
    validator = operation.validator(str(status))
    if validator is None:
        return None
    if content_type != "application/json":
        return f"{operation.name} answered {status} as {content_type!r}"
    return _problem_in(operation, status, orjson.loads(body), validator)


def _problem_in(operation: Operation, status: int, answer: Any, validator: jsonschema_rs.Validator) -> str | None:
    error = next(iter(validator.iter_errors(answer)), None)
    if error is not None:
        return f"{operation.name}, {status}: {error.message} at {list(error.instance_path)}"
    if status >= REFUSED and answer.get("code", "internal_error") not in operation.codes:
        return f"{operation.name} refused with {answer['code']}, which it does not declare"
    return None


def header_problem_of(method: str, path: str, status: int, headers: Mapping[str, str]) -> str | None:
    """A header of an answer that is described elsewhere and not there, or that never misses and did."""
    operation = find_operation(method, path)
    if operation is None:
        return None
    described = operation.answers[str(status)]["headers"]
    for name, header in HEADERS.items():
        if name in headers and name not in described:
            return f"{operation.name} answered {status} with {name}, which is not described"
        if name in described and header.get("required") and name not in headers:
            return f"{operation.name} answered {status} without {name}"
        if name in headers and header["schema"]["type"] == "integer" and not headers[name].isdecimal():
            return f"{operation.name} answered {status} with {name}: {headers[name]}"
    return None


def find_operation(method: str, path: str) -> Operation | None:
    """The documented operation behind a request, whatever ids its path holds."""
    for pattern, operations in _paths():
        if pattern.fullmatch(path):
            return operations.get(method.lower())
    return None


@cache
def document() -> dict[str, Any]:
    read: dict[str, Any] = orjson.loads(description())
    return read


@cache
def _paths() -> list[tuple[re.Pattern[str], dict[str, Operation]]]:
    """Every path as a pattern; those without parameters first."""
    found = []
    for path, methods in sorted(document()["paths"].items(), key=lambda item: item[0].count("{")):
        operations = {
            method: Operation(
                name=described["operationId"],
                answers=described["responses"],
                codes=frozenset(described["x-codes"]),
            )
            for method, described in methods.items()
        }
        found.append((re.compile(_PARAMETER.sub("[^/]+", re.escape(path))), operations))
    return found


def _validator(answer: dict[str, Any]) -> jsonschema_rs.Validator | None:
    schema = answer.get("content", {}).get("application/json", {}).get("schema")
    if schema is None:
        return None
    whole = {**schema, "components": document()["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


class Nonconforming(AssertionError):
    """An answer that the description does not allow."""


@pytest.fixture(autouse=True, scope="session")
def _every_answer_conforms() -> Iterator[None]:
    ask = Client.request

    def ask_and_check(self: Client, **request: Any) -> Any:
        response = ask(self, **request)
        path, method = request.get("PATH_INFO", ""), request.get("REQUEST_METHOD", "GET")
        if path.startswith(API) and not response.streaming:
            content_type = response.headers.get("Content-Type", "")
            problem = problem_of(
                method, path, response.status_code, content_type, response.content
            ) or header_problem_of(method, path, response.status_code, response.headers)
            if problem is not None:
                raise Nonconforming(problem)
        return response

    patch = pytest.MonkeyPatch()
    patch.setattr(Client, "request", ask_and_check)
    yield
    patch.undo()
