"""Several questions in one message: each gets its own answer, or all of them are asked one by one."""

from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from chains.clients.outcomes import CannotSay, EndpointFault, NoAnswer, TooManyQuestions
from chains.clients.solana_endpoint import Rpc
from localnet.http_server import HttpQuestion, HttpReply, listening

Say = Callable[[list[dict[str, Any]]], HttpReply]
REFUSED = {"code": -32015, "message": "Transaction version (1) is not supported"}


@pytest.fixture
def node() -> Iterator[tuple[Rpc, list[Any], list[Say]]]:
    """A connection to a node that says what the last of these makes of several, and one by one doubles a number."""
    heard: list[Any] = []
    says: list[Say] = []

    def respond(question: HttpQuestion) -> HttpReply:
        body = orjson.loads(question.body)
        heard.append(body)
        return says[-1](body) if isinstance(body, list) else json(double(body))

    with listening(respond) as url:
        yield Rpc(url), heard, says


def double(body: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": body["id"], "result": 2 * body["params"][0]}


def json(answer: Any, status: int = 200) -> HttpReply:
    return HttpReply(status=status, body=orjson.dumps(answer))


def test_answers_in_any_order_are_each_to_their_own_question(node: tuple[Rpc, list[Any], list[Say]]) -> None:
    rpc, heard, says = node
    says.append(lambda asked: json([double(one) for one in reversed(asked)]))
    assert rpc.call_each("twice", [[1], [2], [3]]) == [2, 4, 6]
    assert rpc.call_each("twice", [[5]]) == [10]
    assert [isinstance(body, list) for body in heard] == [True, False]


def test_a_refusal_of_one_is_no_refusal_of_the_others(node: tuple[Rpc, list[Any], list[Say]]) -> None:
    rpc, _, says = node
    says.append(lambda asked: json([{"jsonrpc": "2.0", "id": asked[0]["id"], "error": REFUSED}, double(asked[1])]))
    refused, answered = rpc.call_each("twice", [[1], [2]])
    assert (type(refused).__name__, refused.code, answered) == ("RpcRefusal", -32015, 4)


@pytest.mark.parametrize(
    "reply",
    [
        json({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "batch is not supported"}}),
        json({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "batch is not supported"}}, 400),
        json([double({"id": 1, "params": ["x" * (9 * 1024 * 1024)]})]),
    ],
    ids=["refused", "refused with a status", "too long"],
)
def test_who_takes_no_several_is_asked_one_by_one_from_then_on(
    node: tuple[Rpc, list[Any], list[Say]], reply: HttpReply
) -> None:
    rpc, heard, says = node
    says.append(lambda _: reply)
    assert (rpc.call_each("twice", [[1], [2]]), rpc.call_each("twice", [[3], [4]])) == ([2, 4], [6, 8])
    assert [isinstance(body, list) for body in heard] == [True, False, False, False, False]


@pytest.mark.parametrize(
    ("say", "kind"),
    [
        (lambda asked: json([double(asked[0])]), EndpointFault),
        (lambda asked: json([double(asked[0])] * 2), EndpointFault),
        (lambda asked: json([double(asked[0]), {**double(asked[1]), "id": 99}]), EndpointFault),
        (lambda asked: json([double(asked[0]), 7]), EndpointFault),
        (lambda asked: json([double(asked[0]), {"jsonrpc": "2.0", "id": asked[1]["id"]}]), EndpointFault),
        (lambda _: json({"result": []}), EndpointFault),
        (lambda _: HttpReply(status=503, body=b""), EndpointFault),
        (lambda _: HttpReply(status=400, body=b"<html>"), EndpointFault),
        (lambda _: HttpReply(status=429, body=b""), TooManyQuestions),
        (
            lambda asked: json(
                [double(asked[0]), {"id": asked[1]["id"], "error": {"code": 429, "message": "Too many requests"}}]
            ),
            TooManyQuestions,
        ),
    ],
    ids=[
        *("one too few", "one twice", "another's", "no envelope", "neither", "no list", "503", "400 without an error"),
        *("429", "429 of one"),
    ],
)
def test_what_is_no_answer_to_each_is_a_fault_and_not_asked_again(
    node: tuple[Rpc, list[Any], list[Say]], say: Say, kind: type[NoAnswer]
) -> None:
    rpc, heard, says = node
    says.append(say)
    with pytest.raises(kind) as caught:
        rpc.call_each("twice", [[1], [2]])
    assert (isinstance(caught.value, CannotSay), len(heard)) == (False, 1)
