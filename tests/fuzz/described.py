"""The served description as a generator of requests, and the rules that a schema cannot express.

``FUZZ_EXAMPLES`` says how many requests are made up for each operation; the ordinary suite makes few, and always the
same ones. ``FUZZ_SEED`` makes others.
"""

import os
from typing import Any

import orjson
import schemathesis
from django.core.wsgi import get_wsgi_application
from schemathesis import GenerationMode
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.core.transport import Response

from config.docs_page import description
from tests.authorization.doors import PAYEE, RECEIVER
from tests.authorization.stage import Stage

SEED = int(os.environ.get("FUZZ_SEED", "0"))
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "20"))
HTTP_BAD_REQUEST, HTTP_UNPROCESSABLE = 400, 422
PROMISED = "promised"
UUID_LENGTH = 36
PAYER_ON_SOLANA = "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg"

SENSIBLE: dict[str, Any] = {
    "currency": "USD",
    "return_url": "https://shop.example/thanks",
    "url": RECEIVER,
    "type": "payment_intent.settled",
    "address": PAYEE,
    "destination": PAYEE,
    "scenario": "settle",
    "since": "2026-01-01T00:00:00Z",
    "leg_sequence": 1,
}
"""By field: what a good request says where its form alone would be nonsense."""
SEMANTIC_CODES = frozenset({"metadata_invalid", "settlement_address_invalid"})
"""Refusals of bodies whose form is right. Each has tests of its own."""
INTEGERS = frozenset({"seconds", "expires_in_seconds", "leg_sequence"})
"""To a schema 60.0 is an integer; this service wants it written as one."""
CURSORS = frozenset({"starting_after", "ending_before"})
"""A cursor must be the id of a row that the caller sees, and there can be only one."""


def load() -> Any:
    """The description, ready to make up requests to the service in this process."""
    generation = GenerationConfig(
        max_examples=EXAMPLES,
        deterministic=SEED == 0,
        database="none",
        allow_x00=False,  # why: no schema can forbid NUL; the hostile bodies have it
        allow_extra_parameters=False,  # why: unknown query parameters are ignored, as everywhere
    )
    projects = ProjectsConfig(default=ProjectConfig(generation=generation))
    schema = schemathesis.openapi.from_dict(
        orjson.loads(description()), config=SchemathesisConfig(seed=SEED, projects=projects)
    )
    schema.app = get_wsgi_application()
    return schema


class Credentials:
    """Gives each request what its operation asks for: the test secret key, or the payer's token.

    Why only a promise of one: some requests are made up while tests are collected, long before there are keys.
    """

    def get(self, case: Any, context: Any) -> str:
        return "Checkout-Token" if "/checkout/" in case.path else "Authorization"

    def set(self, case: Any, header: str, context: Any) -> None:
        case.headers = {**(case.headers or {}), header: PROMISED}


def aim(case: Any, stage: Stage) -> None:
    """Let a request count: with the promised credential, ids of rows that exist, and sense where it is well formed."""
    for header, caller in (("Checkout-Token", "own checkout token"), ("Authorization", "own secret")):
        if (case.headers or {}).get(header) == PROMISED:
            [case.headers[header]] = stage.credentials(caller).values()
    for name, made_up in (case.path_parameters or {}).items():
        if name in stage.ids and len(str(made_up)) == UUID_LENGTH:
            case.path_parameters[name] = stage.ids[name]
    is_well_formed = case.meta and case.meta.generation.mode == GenerationMode.POSITIVE
    if is_well_formed and case.headers:
        case.headers.pop("Checkout-Browser", None)  # the stage's payer began without one
    if isinstance(case.body, dict) and is_well_formed:
        case.body |= _sensible(case.body, stage)


def _sensible(body: dict[str, Any], stage: Stage) -> dict[str, Any]:
    meant: dict[str, Any] = SENSIBLE | stage.ids | {"intent_id": stage.ids["paid_intent_id"]}
    if body.get("family") == "solana":
        meant["address"] = PAYER_ON_SOLANA
    return {name: meant[name] for name, value in body.items() if name in meant and value is not None}


UNKNOWN_FORM = ("wallet", "format")
"""The form of an address hangs on the family beside it."""


def is_beyond_schemas(response: Response) -> bool:
    """Whether a request was refused by a rule that its schema cannot tell."""
    if response.status_code == HTTP_UNPROCESSABLE:
        return bool(response.json()["code"] == "refund_exceeds_balance")
    if response.status_code != HTTP_BAD_REQUEST:
        return False
    body = response.json()
    match body["code"]:
        case "invalid_request":
            problems = [(problem["field"], problem["code"]) for problem in body["details"]["fields"]]
            return all(
                code == "precision" or (field in INTEGERS and code == "type") or (field, code) == UNKNOWN_FORM
                for field, code in problems
            )
        case "invalid_parameter":
            return body["details"]["parameter"] in CURSORS
        case "invalid_json":
            return bool(body["details"]["reason"] == "number_out_of_range")
        case code:
            return code in SEMANTIC_CODES
