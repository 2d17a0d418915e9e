"""Looks at the service from inside its process: the SQL that it sends, and its round trips on the wire.

Must be imported only when the environment is set, because it loads the service.
"""

import json
import uuid
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import django

django.setup()
warnings.filterwarnings("ignore", message="No directory at")  # static files are not asked for here

from django.db import connection, transaction  # noqa: E402 - needs the set-up above
from django.test import Client  # noqa: E402 - needs the set-up above

from checkout.views.access import issue_token  # noqa: E402 - needs the set-up above
from core.clock import now  # noqa: E402 - needs the set-up above
from payments.services.advance import SWEEP  # noqa: E402 - needs the set-up above
from scripts.bench.polls import WAITING_EVERY  # noqa: E402 - needs the set-up above
from scripts.bench.round_trips import count_round_trips  # noqa: E402 - needs the set-up above
from scripts.bench.stage import Stage, intent_id  # noqa: E402 - needs the set-up above
from scripts.served import AsServed  # noqa: E402 - needs the set-up above
from scripts.service_process import HOST  # noqa: E402 - needs the set-up above
from webhooks.delivery.claims import BATCH  # noqa: E402 - needs the set-up above
from webhooks.delivery.due import next_waiting, oldest  # noqa: E402 - needs the set-up above
from webhooks.delivery.fan_out import fan_out  # noqa: E402 - needs the set-up above
from webhooks.delivery.lanes import FIRST_WINDOW, Lanes  # noqa: E402 - needs the set-up above

INTENT_PATH = "/api/public/v1/payment-intents"
ADDRESS = "0x7e57000000000000000000000000000000000001"
BODY = {
    "amount": 25,
    "settlement_chain": "base",
    "settlement_token": "USDC",
    "settlement_address": ADDRESS,
    "metadata": {"order_id": "A-1042"},
}


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement as the service sends it."""

    sql: str
    parameters: Any


def ask(stage: Stage, method: str, path: str, body: Mapping[str, object] | None = None, **headers: str) -> int:
    """Ask the service in this process; the status that it answers."""
    client = Client(headers={"Authorization": f"Bearer {stage.credential}", **headers}, SERVER_NAME=HOST)
    client.handler = AsServed()
    sent = "" if body is None else json.dumps(body)
    return client.generic(method, path, sent, content_type="application/json").status_code


def poll_of(intent: uuid.UUID) -> Callable[[], object]:
    """What the page of an intent asks again and again, while nothing changes."""
    client, path = Client(SERVER_NAME=HOST), f"/api/public/v1/checkout/{intent}/state"
    client.handler = AsServed()
    token = {"Checkout-Token": issue_token(intent)}
    tag = client.get(path, headers=token).headers["ETag"]
    return lambda: client.get(path, headers={**token, "If-None-Match": tag})


def measure_round_trips(stage: Stage) -> tuple[dict[str, float], list[str]]:
    """The figures of the goals, and lines for people."""
    first, least = uuid.uuid4().hex, {"amount": 25}
    actions: dict[str, Callable[[], object]] = {
        "create": lambda: ask(stage, "POST", INTENT_PATH, BODY, Idempotency_Key=uuid.uuid4().hex),
        "create, merchant's defaults": lambda: ask(stage, "POST", INTENT_PATH, least, Idempotency_Key=uuid.uuid4().hex),
        "retrieve": lambda: ask(stage, "GET", f"{INTENT_PATH}/{intent_id(1)}"),
        "replay": lambda: ask(stage, "POST", INTENT_PATH, BODY, Idempotency_Key=first),
        "poll": poll_of(intent_id(WAITING_EVERY)),
    }
    trips = {name: count_round_trips(action) for name, action in actions.items()}
    figures = {f"{name}_trips": float(trips[name]) for name in ("create", "retrieve", "replay", "poll")}
    return figures, [f"{name:<30}{count} round trips" for name, count in trips.items()]


def take_due(lanes: Lanes[Any]) -> int:
    """Find what a claim takes, and lock it; how many deliveries that are."""
    moment = now()
    waiting, _ = next_waiting(lanes.after, moment, lanes.has_room, BATCH)
    return len(oldest(lanes.deal(waiting, BATCH), moment))


def beside_full(stage: Stage, endpoint_id: uuid.UUID) -> list[Statement]:
    """What a claim asks while one endpoint holds all that it may. Raises: LookupError."""
    point_at(stage)
    lanes: Lanes[Any] = Lanes()
    for _ in range(FIRST_WINDOW):
        lanes.add(SimpleNamespace(endpoint_id=endpoint_id))
    return sent(lambda: take_due(lanes), "webhooks_delivery")


def point_at(stage: Stage) -> None:
    """Ask this place's database from now on."""
    connection.close()
    connection.settings_dict["NAME"] = urlsplit(stage.database_url).path.lstrip("/")


def sent(action: Callable[[], object], mark: str) -> list[Statement]:
    """The statements of an action that hold the mark; what the action wrote is undone. Raises: LookupError."""
    found: list[Statement] = []

    def note(execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - the framework's signature
        if mark in sql:
            found.append(Statement(sql=sql, parameters=parameters))
        return execute(sql, parameters, many, context)

    with transaction.atomic(), connection.execute_wrapper(note):
        action()
        transaction.set_rollback(True)
    if not found:
        raise LookupError(f"no statement with {mark}")
    return found


def statements(stage: Stage, rows: int) -> dict[str, list[Statement]]:
    """What the service asks of a table that grows: the lists, the look-ups, and what is due."""
    point_at(stage)
    deep, middle = intent_id(rows * 9 // 10), intent_id(rows // 2)
    queries = {
        "list": "",
        "list, page at nine tenths": f"?starting_after={deep}",
        "list, page backwards from nine tenths": f"?ending_before={deep}",
        "list, status common": "?status=settled",
        "list, status rare": "?status=requires_payment",
        "list, status absent": "?status=cancelled",
        "list, two statuses, rare and absent": "?status=requires_payment,cancelled",
        "list, created in the past": "?created_lt=2001-01-01T00:00:00Z",
        "list, reference": f"?reference=A-{rows // 2}",
        "list, reference absent": "?reference=none",
        "list, e-mail": "?customer_email=buyer7@shop.example",
        "list, e-mail absent": "?customer_email=nobody@shop.example",
        "list, search by id": f"?q={middle}",
        "list, search absent": "?q=nothing",
        "list, search by an address of all": f"?q={ADDRESS}",
        "list, metadata": "?metadata[order_id]=A-1042",
        "list, metadata absent": "?metadata[order_id]=none",
    }
    newest, backwards = 'BY "payments_paymentintent"."created_at" DESC', 'BY "payments_paymentintent"."created_at" ASC'
    found = {
        name: sent(partial(ask, stage, "GET", INTENT_PATH + query), backwards if "backwards" in name else newest)
        for name, query in queries.items()
    }
    nobody = replace(stage, credential=stage.live_credential)
    found["list, merchant without intents"] = sent(partial(ask, nobody, "GET", INTENT_PATH), newest)
    found["retrieve"] = sent(partial(ask, stage, "GET", f"{INTENT_PATH}/{middle}"), "payments_paymentintent")
    found["due intents"] = sent(SWEEP.claim, "SKIP LOCKED")
    found["due deliveries"] = sent(lambda: take_due(Lanes()), "webhooks_delivery")
    found["events to fan out"] = sent(fan_out, "SKIP LOCKED")
    return found
