"""The agents' log: one merchant and one mode, filtered, in pages, and as a file that no spreadsheet calculates."""

import csv
import io
from itertools import product
from typing import Any

import pytest
from django.test import Client

from core.modes import Mode
from dashboard.agents import log
from mcp.calls import Ended, record_call, record_refusal
from mcp.models import AgentConnection, AgentRecord, AuditAction
from mcp.services.audit import Outcome, record_event
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.mcp.charter.stories import caller_of
from tests.mcp.rows import FACTS, connection_of
from tests.merchants.people import text_of
from tests.payments.world import START, World

pytestmark = pytest.mark.slow
LOG = "/dashboard/test/agent-log/"
EXPORT = f"{LOG}export/"
INTENT = "0b7e7c52-9d1f-4a53-8f6e-0d8a3c1f5a11"


def called(agent: AgentConnection, tool: str = "poll_settlement", outcome: Outcome = Outcome.OK) -> AgentRecord:
    ended = Ended(outcome=outcome, code="" if outcome == Outcome.OK else "not_found")
    return record_call(caller_of(agent), tool, {"payment_intent_id": INTENT}, ended)


def numbers(page: str) -> int:
    return page.count('<td data-label="When">')


def exported(client: Client, query: str = "") -> list[dict[str, str]]:
    answer: Any = client.get(EXPORT + query)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="agent-log-test.csv"'
    assert answer.streaming
    return list(csv.DictReader(io.StringIO(b"".join(answer).decode())))


def test_lines_are_in_plain_words_newest_first(owner: Client, account: NewMerchant, agent: AgentConnection) -> None:
    assert "No agent has done anything in test mode yet." in text_of(owner.get(LOG))
    assert exported(owner) == []
    called(agent)
    record_refusal(agent, FACTS, "connection_revoked")
    record_event(agent, AuditAction.CHANGE, FACTS, actor="user:1", changes={"per_call_usd": ["0.00", "25.00"]})
    record_event(agent, AuditAction.REFUSAL, FACTS, actor=agent.actor, code="refresh_token_reused")
    everybody = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor="user:1")
    record_event(everybody, AuditAction.CHANGE, FACTS, actor="user:1", changes={"paused": [False, True]})
    page = text_of(owner.get(LOG))
    told = [
        "paused from no to yes",
        "An old refresh token was used again. Everything issued under it was ended.",
        "limit per call from $0.00 to $25.00",
        "The connection had been revoked.",
        "Look at a settlement<br>",
    ]
    places = [page.find(words) for words in told]
    assert -1 not in places, places
    assert places == sorted(places)
    assert f'<a href="/dashboard/test/agents/{agent.pk}/">Shopkeeper</a>' in page


FILTERS = {
    "": 4,
    "?tool=list_tokens": 1,
    "?outcome=tool_error": 1,
    "?outcome=denied": 1,
    "?connection={first}": 3,
    "?connection={second}&outcome=ok": 1,
    "?connection={second}&outcome=denied": 0,
    "?day={today}": 4,
    "?day=2020-01-01": 0,
    "?connection=&tool=&outcome=&day=": 4,
}
SENSELESS = {
    **dict.fromkeys(("?day=yesterday", "?day=9999-12-31"), "That is no day. Write it like 2026-05-04."),
    **dict.fromkeys(("?tool=drop_tables", "?tool=%00"), "There is no such tool."),
    "?outcome=maybe": "There is no such outcome.",
    **dict.fromkeys(("?connection=1%20OR%201", "?connection=" + "9" * 40), "There is no such connection."),
}


def test_filters_narrow_it_down_and_those_that_make_no_sense_are_named(
    world: World, owner: Client, account: NewMerchant, agent: AgentConnection
) -> None:
    second = connection_of(account, client_name="Second")
    called(agent)
    called(agent, outcome=Outcome.TOOL_ERROR)
    record_refusal(agent, FACTS, "insufficient_scope", "create_payout")
    called(second, "list_tokens")
    today = START.date().isoformat()
    for query, count in FILTERS.items():
        filled = query.format(first=agent.pk, second=second.pk, today=today)
        assert numbers(text_of(owner.get(LOG + filled))) == count, query
        assert len(exported(owner, filled)) == count, query
    for (query, said), path in product(SENSELESS.items(), (LOG, EXPORT)):
        answer = owner.get(path + query)
        assert (answer.status_code, numbers(text_of(answer))) == (400, 0), query
        assert said in text_of(answer), query


def test_pages_follow_each_other_without_gaps(
    owner: Client, agent: AgentConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "PAGE", 2)
    made = [called(agent).pk for _ in range(5)]
    shown, where = [], f"{LOG}?tool=poll_settlement"
    for _ in range(3):
        page = text_of(owner.get(where))
        shown.append(numbers(page))
        called(agent, "list_tokens")
        _, found, rest = page.partition('rel="next" href="')
        where = rest.partition('"')[0].replace("&amp;", "&")
    assert shown == [2, 2, 1]
    assert (found, where) == ("", "")
    assert numbers(text_of(owner.get(f"{LOG}?before={made[0]}"))) == 0
    assert numbers(text_of(owner.get(f"{LOG}?before=nonsense"))) == 2


def test_another_merchants_and_the_other_modes_lines_do_not_exist(
    owner: Client, account: NewMerchant, agent: AgentConnection, foreign: AgentConnection
) -> None:
    called(foreign)
    called(connection_of(account, Mode.LIVE, client_name="Livewire"))
    for query in ("", f"?connection={foreign.pk}"):
        page = text_of(owner.get(LOG + query))
        assert [name for name in ("Somebody else", "Livewire") if name in page] == []
        assert (numbers(page), exported(owner, query)) == (0, [])


def test_the_file_holds_every_column(owner: Client, agent: AgentConnection) -> None:
    line = called(agent)
    (row,) = exported(owner)
    assert tuple(row) == log.HEAD
    assert row == {
        "time": line.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "mode": "test",
        "connection": str(agent.pk),
        "client": "Shopkeeper",
        "client_id": agent.application.client_id,
        "who": f"agent:{agent.pk}",
        "what": "call",
        "tool": "poll_settlement",
        "arguments": f'{{"payment_intent_id": "{INTENT}"}}',
        "arguments_digest": line.arguments_digest,
        "idempotency_key": "",
        "outcome": "ok",
        "code": "",
        "object_ids": INTENT,
        "latency_ms": "",
        "address": "203.0.113.7",
        "user_agent": "agent/1.0",
        "protocol_version": "2026-07-28",
        "request_id": "req_1",
    }


def test_no_cell_is_a_formula(owner: Client, account: NewMerchant) -> None:
    for start in ("=", "+", "-", "@", "  =", "\uff1d"):
        formula = f'{start}HYPERLINK("http://evil.example","x")'
        agent = connection_of(account, client_name=formula)
        record_call(caller_of(agent, user_agent=formula), "create_payout", {}, Ended(outcome=Outcome.OK))
        (row,) = exported(owner, f"?connection={agent.pk}")
        assert (row["client"], row["user_agent"]) == (f"'{formula.strip()}", f"'{formula}")


def test_page_and_file_cost_little(
    owner: Client, agent: AgentConnection, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(30):
        called(agent)
    with django_assert_max_num_queries(15):
        answer = owner.get(LOG)
    assert numbers(text_of(answer)) == 30
    # The file is read in pieces.
    monkeypatch.setattr(log, "CHUNK", 10)
    template = {"merchant_id": agent.merchant_id, "mode": "test", "connection_id": agent.pk, "action": "call"}
    AgentRecord.objects.bulk_create(AgentRecord(**template, outcome="ok") for _ in range(35))
    assert len(exported(owner)) == 30 + 35
