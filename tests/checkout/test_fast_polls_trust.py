"""What a poll without news is never told: another's state, an old one, or one that nobody may ask for."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkout.fast_path import fast_answer
from checkout.unchanged import FIND, READ, Asked
from checkout.views.access import issue_token
from core import rate_limits
from core.clock import now
from payments.models import Leg, PayerWallet, PaymentIntent
from tests.checkout.polls import OTHER, OWN, STATUSES, Page, Sent, Ways, open_pages, step, tag_of
from tests.conftest import ApiClient
from tests.meanwhile import changed_after
from tests.payments.payer import Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, pay

pytestmark = pytest.mark.postgres


@pytest.fixture
def ways() -> Ways:
    return Ways()


@pytest.fixture
def pages(world: World, api: ApiClient) -> list[Page]:
    return open_pages(world, api)


def test_what_brings_no_news_is_answered_before_django(ways: Ways, world: World, api: ApiClient) -> None:
    """Only the first poll goes on, and one in five minutes, which has a new mark to give."""
    intent = create(api, expires_in_seconds=7200)
    sent = Sent(intent["id"], issue_token(UUID(intent["id"])), language="de")
    tags = []
    for _ in range(420):
        world.wait(1.5)
        status, headers, body = ways.short(sent.environment())
        tags.append(dict(headers)["ETag"])
        assert (status, body == b"") == ((304, True) if sent.tag else (200, False))
        sent = sent._replace(tag=tags[-1])
    assert (ways.handed_on, len(set(tags)), len({tag[:33] for tag in tags})) == (3, 3, 1)


def test_an_unchanged_poll_asks_once(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    tag = payer.send("GET", "/state").headers["ETag"]
    with CaptureQueriesContext(connection) as asked:
        reply = payer.send("GET", "/state", If_None_Match=tag)
    assert (reply.status, reply.raw, reply.headers["ETag"], len(asked)) == (304, b"", tag, 1)


def test_the_statement_reads_no_whole_table(world: World, api: ApiClient) -> None:
    """There is an index for each of its tables, and the connections of the event loop take no other way."""
    asked = Asked(UUID(create(api)["id"]), "", "en")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {FIND}", asked.values)
        plan = "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute("SET LOCAL enable_seqscan = on")
    tables = [model._meta.db_table for model, _ in READ]
    assert [table for table in tables if f" on {table} " not in plan] == []
    assert "Seq Scan" not in plan, plan


@pytest.mark.parametrize("status", STATUSES)
def test_all_that_a_state_reads_is_compared(world: World, api: ApiClient, status: str) -> None:
    """A table that is added to the state and not to what is compared would be news that no page is told."""
    payer = Payer.of(intent_in(world, api, status, return_url="https://shop.example/done"))
    with CaptureQueriesContext(connection) as asked:
        payer.state()
    texts = [one["sql"] for one in asked if "AS found" not in one["sql"]]
    read = {name for text in texts for name in connection.introspection.table_names() if f'"{name}"' in text}
    assert read - {model._meta.db_table for model, _ in READ} == set()
    assert len(read) >= 5


def test_no_settled_payment_is_called_unpaid(ways: Ways, world: World, api: ApiClient) -> None:
    intent = create(api)
    sent = Sent(intent["id"], issue_token(UUID(intent["id"])))
    waiting = sent._replace(tag=tag_of(ways.short(sent.environment())))
    assert ways.short(waiting.environment())[0] == 304
    pay(api, intent, "settle")
    world.run(4)
    status, _, body = ways.short(waiting.environment())
    assert (status, b'"status":"settled"' in body) == (200, True)


def test_what_the_clock_alone_changes_is_news(ways: Ways, world: World, pages: list[Page]) -> None:
    """That the time to pay is over, and that a transaction is slow: no row says either when it comes to be so."""
    created, executing = pages[0].intent, pages[3].intent
    PaymentIntent.objects.filter(pk=created.pk).update(expires_due_at=now() + timedelta(seconds=60))
    PaymentIntent.objects.filter(pk=executing.pk).update(in_doubt=False)
    Leg.objects.filter(intent=executing).update(
        status="submitted", submitted_at=now() - timedelta(seconds=540), to_chain="nowhere", typical_seconds=1
    )
    for page, before, after in ((pages[0], "created", "time_over"), (pages[3], "executing", "executing_slow")):
        sent = Sent(str(page.intent.pk), page.token, None, OWN, "en")
        began, (*_, first) = now(), ways.both(sent)
        polling = sent._replace(tag=tag_of(first))
        world.wait(59)
        assert fast_answer(polling.environment()) is not None
        world.wait(1.001)
        short, long, (status, _, body) = ways.both(polling)
        assert (short == long, status, _code(first[2]), _code(body)) == (True, 200, before, after)
        world.clock.move_to(began, tick=False)


def test_what_changes_during_a_poll_is_news_to_the_next(ways: Ways, world: World, api: ApiClient) -> None:
    """After whichever of its statements: a state that was read too early never has the mark of what came later."""
    after, is_between = 0, True
    while is_between:
        after += 1
        intent = create(api)
        sent = Sent(intent["id"], issue_token(UUID(intent["id"])))
        with changed_after(after, partial(_renamed, intent["id"])) as asked:
            first = ways.long(sent.environment())
        is_between = asked.asked >= after
        short, long, (status, *_) = ways.both(sent._replace(tag=tag_of(first)))
        shown = orjson.loads(first[2])["reference"]
        assert (short == long, status) == (True, 304 if shown == "changed" or not is_between else 200), after


def _renamed(pk: str) -> None:
    PaymentIntent.objects.filter(pk=pk).update(reference="changed")


def _code(body: bytes) -> str:
    code: str = orjson.loads(body)["message"]["code"]
    return code


def test_what_one_browser_was_told_is_no_answer_to_another(ways: Ways, world: World, pages: list[Page]) -> None:
    """Nor to another page, another language, or somebody without a token: their polls go on to the view."""
    page, other = pages[1], pages[2]
    PayerWallet.objects.all().delete()  # so that both browsers' states are made of the same rows
    sent = Sent(str(page.intent.pk), page.token, None, OWN, "en")
    tag = tag_of(ways.short(sent.environment()))
    own = sent._replace(tag=tag)
    assert fast_answer(own.environment()) is not None
    for changed in (
        {"browser": OTHER}, {"browser": None}, {"language": "de"}, {"token": other.token}, {"token": ""},
        {"tag": f'"{"0" * 32}{tag[33:]}'},
        {"named": str(other.intent.pk)}, {"named": str(other.intent.pk), "token": other.token},
    ):  # fmt: skip
        assert fast_answer(own._replace(**changed).environment()) is None, changed


def test_an_old_token_is_refused_with_the_newest_state_too(ways: Ways, world: World, api: ApiClient) -> None:
    intent = create(api, expires_in_seconds=7200)
    sent = Sent(intent["id"], issue_token(UUID(intent["id"])))
    world.wait(890)
    polling = sent._replace(tag=tag_of(ways.short(sent.environment())))
    assert ways.short(polling.environment())[0] == 304
    world.wait(11)
    assert ways.short(polling.environment())[0] == 401


def test_both_ways_are_counted_together(ways: Ways, world: World, api: ApiClient, settings: Any) -> None:
    """Four polls of a payment and no more, whichever way each of them goes."""
    settings.RATE_LIMIT_SCALE = 4 / 240
    rate_limits.forget()
    intent = create(api)
    sent = Sent(intent["id"], issue_token(UUID(intent["id"])))
    polling = sent._replace(tag=tag_of(ways.short(sent.environment())))
    _renamed(intent["id"])  # so that the short way counts the next one, and leaves it to the view
    news = ways.short(polling.environment())
    polls = [sent._replace(tag=tag_of(news)), sent, polling, sent]
    answers = [news, *(ways.short(each.environment()) for each in polls)]
    assert [status for status, *_ in answers] == [200, 304, 200, 429, 429]
    left = [dict(headers).get("RateLimit-Remaining") for _, headers, _ in answers]
    assert left == ["2", "1", "0", "0", "0"]


def test_a_payment_of_too_many_rows_has_no_mark(ways: Ways, world: World, api: ApiClient) -> None:
    """Its state is made for each poll, as on SQLite, so that no payer makes the statement long."""
    intent = create(api)
    sent = Sent(intent["id"], issue_token(UUID(intent["id"])))
    row = PaymentIntent.objects.get(pk=intent["id"])
    for _ in range(200):
        step(row)
    short, long, answered = ways.both(sent)
    assert (short == long, len(tag_of(answered))) == (True, 34)
    polling = sent._replace(tag=tag_of(answered))
    assert fast_answer(polling.environment()) is None
    assert ways.short(polling.environment())[0] == 304
