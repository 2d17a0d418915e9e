"""One call of the Python SDK, blocking and awaited: errors, tries, pages and a key that nobody sees. No service."""

import asyncio
import json
import logging
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import causeway_sdk
import pytest
from causeway_sdk import AsyncCauseway, Causeway, _http, types
from causeway_sdk.testing import AsyncFakeService, FakeAnswer, FakeService

from sdks.generator import vectors

AT_ONCE = 0
KEY = "sk_test_the_key_that_nobody_sees"
Ways = Callable[..., tuple[Any, FakeService]]


def read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((vectors.FOLDER / name).read_text(encoding="utf-8"))["vectors"]
    return found


def named(name: str) -> pytest.MarkDecorator:
    found = read(name)
    return pytest.mark.parametrize("vector", found, ids=[vector["name"] for vector in found])


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []

    async def awaited(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr(_http, "pause", taken.append)
    monkeypatch.setattr(_http, "async_pause", awaited)
    return taken


class _Headers(FakeService):
    """Answers with headers, text and losses as a vector says."""

    def request(
        self, method: str, url: str, *, content: bytes | None, headers: dict[str, str], timeout: float
    ) -> FakeAnswer:
        self.answers = self.answers or [Exception("nothing more was said")]
        said = self.answers[0]
        if isinstance(said, tuple) and isinstance(said[1], dict) and "outcome" in said[1]:
            outcome = said[1]["outcome"]
            super().request(method, url, content=content, headers=headers, timeout=timeout)
            text = outcome["text"] if "text" in outcome else json.dumps(outcome["body"])
            return FakeAnswer(outcome["status"], outcome.get("headers", {}), text.encode())
        return super().request(method, url, content=content, headers=headers, timeout=timeout)


class _AsyncHeaders(_Headers):
    async def request(self, *arguments: Any, **named: Any) -> FakeAnswer:  # type: ignore[override]  # awaited
        return super().request(*arguments, **named)


def create(outcomes: list[Any], *, awaited: bool) -> tuple[Any, FakeService]:
    service = _AsyncHeaders() if awaited else _Headers()
    for outcome in outcomes:
        service.lose() if outcome == "lost" else service.answer({"outcome": outcome})
    if awaited:
        client = AsyncCauseway(KEY, http_client=service)  # type: ignore[arg-type]  # a fake of both kinds
        made = asyncio.run(_awaited(client.payment_intents.create(amount="19.99")))
    else:
        try:
            made = Causeway(KEY, http_client=service).payment_intents.create(amount="19.99")
        except causeway_sdk.CausewayError as error:
            made = error
    return made, service


async def _awaited(call: Any) -> Any:
    try:
        return await call
    except causeway_sdk.CausewayError as error:
        return error


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@named("errors.json")
def test_an_answer_is_the_error_that_it_should_be(vector: dict[str, Any], awaited: bool, pauses: list[float]) -> None:
    error, _ = create([vector] * 3, awaited=awaited)
    wanted = vector["error"]
    shown = {"class": type(error).__name__, "code": error.code, "request_id": error.request_id}
    assert {**shown, "details": error.details, "retryable": error.retryable} == wanted
    assert error.status == vector["status"]


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@named("retries.json")
def test_what_may_pass_is_tried_again_under_one_key(vector: dict[str, Any], awaited: bool, pauses: list[float]) -> None:
    made, service = create(vector["outcomes"], awaited=awaited)
    assert len(service.calls) == vector["tries"]
    assert len({call.headers["Idempotency-Key"] for call in service.calls}) == 1
    assert all(call.body == {"amount": Decimal("19.99")} for call in service.calls)
    assert ("done" if type(made).__name__ == "PaymentIntent" else type(made).__name__) == vector["ends"]
    assert len(pauses) == vector["tries"] - 1
    assert all(taken >= least for taken, least in zip(pauses, vector.get("pauses", []), strict=False))


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@named("pages.json")
def test_a_list_goes_on_to_its_end_and_no_further(vector: dict[str, Any], awaited: bool) -> None:
    service = AsyncFakeService() if awaited else FakeService()
    for answer in vector["answers"]:
        service.answer(answer)

    async def collected() -> list[str]:
        client = AsyncCauseway(KEY, http_client=service)  # type: ignore[arg-type]  # a fake of both kinds
        return [intent.id async for intent in client.payment_intents.list()]

    ids = (
        asyncio.run(collected())
        if awaited
        else [intent.id for intent in Causeway(KEY, http_client=service).payment_intents.list()]
    )
    assert ids == vector["ids"]
    asked = [call.path.partition("starting_after=")[2] or None for call in service.calls]
    assert asked == vector["asked"]


def test_threads_that_begin_at_once_share_one_http_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread gets by the lock while the client is made; the second call finds it."""
    client = Causeway(KEY)
    alone: list[bool] = []

    def own() -> FakeService:
        alone.append(client._sender._lock.locked())
        return FakeService().answer({"id": "a"})

    monkeypatch.setattr(_http, "own_client", own)
    assert [client.payment_intents.get("a").id for _ in range(2)] == ["a", "a"]
    assert alone == [True]


def test_money_is_exact_both_ways_and_a_float_is_refused() -> None:
    service = FakeService().answer({"id": "a", "amount": "0.10", "amount_usd": 0})
    client = Causeway(KEY, http_client=service)
    intent = client.payment_intents.create(amount=Decimal("0.10"))
    assert intent.amount == Decimal("0.10")
    assert service.calls[0].body == {"amount": Decimal("0.10")}
    for wrong in (19.99, True):
        with pytest.raises(TypeError, match="floats are not exact"):
            client.payment_intents.create(amount=wrong)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ValueError, match="not a decimal number"):
        client.payment_intents.create(amount="nan")


@pytest.mark.parametrize("wrong", ["", ".", "..", "...", "a/cancel", "/", None, 7])
def test_what_is_no_id_is_refused_before_anything_is_sent(wrong: Any) -> None:
    service = FakeService().answer({"id": "a"})
    client = Causeway(KEY, http_client=service)
    for ask in (client.payment_intents.get, client.payment_intents.cancel, client.webhook_endpoints.delete):
        with pytest.raises(ValueError, match="must be an id"):
            ask(wrong)
    with pytest.raises(ValueError, match="must be an id"):
        client.payment_intents.list_transactions(wrong).first()
    assert service.calls == []


def test_an_id_is_one_part_of_the_path_whatever_it_holds() -> None:
    service = FakeService().answer({"id": "a"})
    Causeway(KEY, http_client=service).payment_intents.get("a?b#c d%2F")
    assert service.calls[0].path.endswith("/payment-intents/a%3Fb%23c%20d%252F")


def test_what_a_client_has_is_found_by_its_name_and_listed(pauses: list[float]) -> None:
    client = Causeway(KEY, http_client=FakeService())
    assert {"payment_intents", "webhook_endpoints", "send"} <= set(dir(client))
    with pytest.raises(AttributeError, match="Causeway has no payments"):
        client.payments  # type: ignore[attr-defined]  # noqa: B018 - what is refused


def test_an_answer_is_read_as_its_annotations_say() -> None:
    facts = {"settled_at": None, "amount": "1.10", "created_at": "2026-11-28T00:00:00Z", "unknown": "1.10"}
    intent = types.PaymentIntent({**facts, "last_error": {"code": "x", "message": "y"}})
    assert (intent.amount, intent.settled_at) == (Decimal("1.10"), None)
    assert intent.created_at == datetime(2026, 11, 28, tzinfo=UTC)
    assert isinstance(intent.last_error, types.PaymentIntentLastError)
    assert intent.unknown == "1.10"  # type: ignore[attr-defined]  # of tomorrow
    assert intent.failure_reason is None
    with pytest.raises(AttributeError, match="the service sent no checkout_url in this PaymentIntent"):
        intent.checkout_url  # noqa: B018 - what is missing
    ready = types.Readiness({"checks": {"database": {"status": "ok"}}})
    assert {name: one.status for name, one in ready.checks.items()} == {"database": "ok"}
    limits = types.Account({"limits": [{"name": "requests"}]}).limits
    assert [(type(one), one.name) for one in limits] == [(types.RateLimit, "requests")]


def test_the_key_is_in_no_repr_log_or_traceback(caplog: pytest.LogCaptureFixture, pauses: list[float]) -> None:
    caplog.set_level(logging.DEBUG)
    client = Causeway(KEY, http_client=FakeService().lose())
    with pytest.raises(causeway_sdk.APIConnectionError) as caught:
        client.payment_intents.create(amount=1)
    own = [frame for frame in traceback.walk_tb(caught.value.__traceback__) if "causeway_sdk" in str(frame[0].f_code)]
    shown = "".join(f"{frame.f_locals!r}" for frame, _ in own) + repr(vars(client)) + repr(client) + caplog.text
    assert own
    assert KEY not in shown
    assert caught.value.__context__ is None
    with pytest.raises(causeway_sdk.CausewayError) as refused:
        Causeway("sk_test_ä")
    assert "sk_test_ä" not in "".join(traceback.format_exception(refused.value)).replace('Causeway("sk_test_ä")', "")


def test_a_live_key_in_a_test_warns_and_is_never_sent_in_the_clear() -> None:
    with pytest.warns(causeway_sdk.LiveKeyWarning):
        Causeway("sk_live_x", "https://pay.example.com")
    with pytest.warns(causeway_sdk.LiveKeyWarning), pytest.raises(causeway_sdk.CausewayError, match="https only"):
        Causeway("sk_live_x", "http://pay.example.com")
    with pytest.raises(causeway_sdk.CausewayError, match="publishable"):
        Causeway("pk_test_x")


def test_a_wait_ends_as_wanted_ends_otherwise_or_runs_out(pauses: list[float]) -> None:
    seen = [{"id": "a", "status": "created"}, {"id": "a", "status": "executing"}, {"id": "a", "status": "settled"}]
    service = FakeService()
    for one in seen:
        service.answer(one)
    assert Causeway(KEY, http_client=service).payment_intents.wait("a", until="settled").status == "settled"
    failed = Causeway(KEY, http_client=FakeService().answer({"id": "a", "status": "failed"}))
    with pytest.raises(causeway_sdk.UnexpectedStatusError, match="ended as failed"):
        failed.payment_intents.wait("a", until="settled")
    stays = Causeway(KEY, http_client=FakeService().answer({"id": "a", "status": "created"}))
    with pytest.raises(causeway_sdk.WaitTimeoutError, match="still created after 0 seconds"):
        stays.payment_intents.wait("a", timeout=AT_ONCE)


@pytest.mark.parametrize(("until", "holds"), [("settled", ["0", "25", "25"]), ("executing", ["0", "5"])])
def test_a_wait_looks_first_and_then_has_the_question_held(pauses: list[float], until: str, holds: list[str]) -> None:
    service = FakeService()
    for status in ("created", "executing", "settled"):
        service.answer({"id": "a", "status": status})
    assert Causeway(KEY, http_client=service).payment_intents.wait("a", until=until).status == until
    assert [one.path.partition("wait=")[2] for one in service.calls] == holds


def test_a_wait_rests_a_second_where_the_service_did_not_hold_the_question(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("causeway_sdk._http.now", lambda: 1000.0)
    service = FakeService()
    for status in ("created", "created", "created", "settled"):
        service.answer({"id": "a", "status": status})
    assert Causeway(KEY, http_client=service).payment_intents.wait("a").status == "settled"
    assert pauses == [0.0, 1.0, 1.0]
