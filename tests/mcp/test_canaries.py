"""No access token, refresh token, code, verifier or signing secret is anywhere in clear: tables, logs, answers."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NoReturn

import pytest
from django.db import connection

from mcp.caller import Caller
from mcp.models import AgentRecord
from mcp.scopes import Scope
from mcp.tool import Arguments
from mcp.tools import registry
from merchants.services import NewMerchant
from tests.conftest import Reply
from tests.mcp.agents import LEGACY, MODERN
from tests.mcp.agents import Agent as ToolAgent
from tests.mcp.oauth.flow import Agent, ask, new_application, new_connection

NOWHERE = "00000000-0000-4000-8000-000000000000"
SECRET = "whsec_" + "canaryCANARY0123" * 2
BODY = '{"id":"evt_1","customer_email":"canary-payer@mail.example"}'
SIGNATURE = "t=1777896000,v1=" + "ca" * 32
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("verify_webhook", {"raw_body": BODY, "signature": SIGNATURE, "secret": SECRET}),
    ("verify_webhook", {"raw_body": BODY, "signature": SECRET, "webhook_endpoint_id": SECRET}),
    ("poll_settlement", {"payment_intent_id": SECRET}),
    ("poll_settlement", {"payment_intent_id": NOWHERE, "extra": SECRET}),
    ("list_tokens", {"query": SECRET, "chain": SECRET}),
    ("list_payment_intents", {"status": SECRET, "starting_after": SECRET}),
    ("get_payment_intent", {"payment_intent_id": NOWHERE, "include": [SECRET]}),
    ("cancel_payment_intent", {"payment_intent_id": NOWHERE, "secret": SECRET}),
    ("create_payment_intent", {"amount": SECRET, "idempotency_key": SECRET, "settlement_chain": SECRET}),
    ("create_payout", {"payment_intent_id": NOWHERE, "idempotency_key": SECRET}),
    ("create_refund", {"payment_intent_id": NOWHERE, "amount_usd": "1", "reason": SECRET, "idempotency_key": SECRET}),
    (SECRET, {"secret": SECRET}),
]
"""What an agent might send where it does not belong, besides where it does."""


@dataclass
class Watch:
    """What must stay hidden, by name, and every answer in which it must not be."""

    hidden: dict[str, str] = field(default_factory=dict)
    answers: list[Reply] = field(default_factory=list)

    def told(self, reply: Reply) -> Reply:
        self.answers.append(reply)
        return reply


def tables() -> Iterator[tuple[str, str]]:
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - the database's own names
            columns = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for column, value in zip(columns, row, strict=True):
                    raw = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
                    yield f"{table}.{column}", raw.decode("utf-8", "replace")


def leaks(watch: Watch, logs: list[logging.LogRecord]) -> list[str]:
    """Where anything hidden is to be read, by name of the secret and of the place."""
    places = [*tables()]
    formatter = logging.Formatter("%(message)s %(args)s %(pathname)s")
    places += [(f"log {record.name}", f"{formatter.format(record)} {vars(record)}") for record in logs]
    places += [
        (f"answer {number}", f"{reply.headers} {reply.raw.decode()}") for number, reply in enumerate(watch.answers)
    ]
    hidden = watch.hidden.items()
    return sorted({f"{name} in {place}" for place, text in places for name, value in hidden if value in text})


def crash(caller: Caller, arguments: Arguments) -> NoReturn:
    """Fail as a fault of ours would, with the arguments in the message and in the frame."""
    raise RuntimeError(f"cannot use {arguments}")


@pytest.fixture
def watch(account: NewMerchant, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """The whole life of a connection, with everything going wrong that can."""
    watch = Watch({"signing secret": SECRET, "signature": SIGNATURE, "webhook body": "canary-payer@mail.example"})
    application = new_application()
    granted = new_connection(account, application, scopes=[scope.value for scope in Scope])
    agent = Agent(application, granted)
    watch.hidden |= {"verifier": agent.verifier, "code": (code := agent.consent())}
    watch.told(agent.exchange(code, code_verifier=SECRET * 2))
    watch.hidden |= {"second code": (code := agent.consent())}
    first = agent.exchange(code).body
    second = agent.refresh(first["refresh_token"]).body
    for name, answer in (("first", first), ("second", second)):
        watch.hidden |= {f"{name} {kind}": answer[kind] for kind in ("access_token", "refresh_token")}
    caller = ToolAgent(second["access_token"], granted)
    call_everything(watch, caller)
    original = registry.find_tool("verify_webhook")
    assert original is not None
    monkeypatch.setitem(registry._BY_NAME, "verify_webhook", replace(original, run=crash))
    name, arguments = CALLS[0]
    for era in (MODERN, LEGACY):
        answer = watch.told(caller.rpc("tools/call", {"name": name, "arguments": arguments}, era))
        assert answer.body["error"]["code"] == -32603
    end_it(watch, agent, caller, code, first["refresh_token"])
    return watch


def call_everything(watch: Watch, caller: ToolAgent) -> None:
    """Good calls, bad calls, and calls that are none; also with the access token where it does not belong."""
    stray = caller.access_token
    sent = [*CALLS, ("poll_settlement", {"payment_intent_id": stray}), ("list_tokens", {"extra": stray})]
    for era, (name, arguments) in product((MODERN, LEGACY), sent):
        watch.told(caller.rpc("tools/call", {"name": name, "arguments": arguments}, era))
    watch.told(caller.rpc(stray))
    watch.told(caller.send(f'{{"jsonrpc":"2.0","{stray}"'.encode()))
    watch.told(caller.send(b"{}", path=f"/mcp?access_token={stray}"))
    watch.told(caller.send(b"{}", Authorization=f"Basic {stray}"))
    watch.told(caller.send(b"{}", Origin=f"https://{stray.lower()}.example"))


def end_it(watch: Watch, agent: Agent, caller: ToolAgent, code: str, used: str) -> None:
    """A replayed code, a replayed refresh token, a revocation, and a call after all of it."""
    watch.told(agent.exchange(code))
    watch.told(agent.refresh(used))
    watch.told(ask("/oauth/revoke", {"token": caller.access_token, "client_id": agent.application.client_id}))
    assert watch.told(caller.rpc("tools/list")).status == 401


def test_no_secret_is_to_be_read_anywhere(caplog: pytest.LogCaptureFixture, watch: Watch) -> None:
    assert len(watch.answers) > 2 * len(CALLS)
    assert leaks(watch, [*caplog.get_records("setup"), *caplog.records]) == []
    outcomes = set(AgentRecord.objects.values_list("outcome", "code"))
    assert {("ok", ""), ("tool_error", "invalid_request"), ("tool_error", "internal_error")} <= outcomes


@pytest.fixture(autouse=True)
def _every_logger_says_all(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


def test_a_leak_would_be_found(caplog: pytest.LogCaptureFixture, account: NewMerchant) -> None:
    application = new_application()
    secret = Agent(application, new_connection(account, application)).signed_in()["access_token"]
    watch = Watch({"access token": secret})
    assert leaks(watch, caplog.records) == []
    AgentRecord.objects.create(action="call", outcome="ok", arguments={"secret": [secret]})
    logging.getLogger("causeway.agents").error("planted %s", secret)
    watch.told(Reply(200, None, {}, secret.encode()))
    places = ("answer 0", "log causeway.agents", "mcp_server_agentrecord.arguments")
    assert leaks(watch, caplog.records) == [f"access token in {place}" for place in places]
