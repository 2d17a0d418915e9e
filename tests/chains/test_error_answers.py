"""What follows from each answer that is none, by a real connection: only a fault of the node is held against it.

The live run of the same answers beside another merchant's payment: tests/live/test_error_answers_apart.py.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from chains.clients.endpoints import FAULTS_TO_OPEN, Endpoint
from chains.clients.evm_endpoint import EvmEndpoint
from chains.clients.heads import Heads
from chains.clients.outcomes import CannotSay, EndpointFault, NoAnswer, TookTooLong, TooManyQuestions
from chains.clients.solana_endpoint import SolanaEndpoint
from chains.registry import CHAINS
from core import metrics
from core.metrics import NODE_QUESTIONS, Totals
from core.models import MetricTotal
from localnet.http_server import HttpQuestion, HttpReply, listening
from tests.chains.error_answers import ANSWERS, EVM, SOLANA, ErrorAnswer, Outcome
from tests.machine import PATIENCE_SECONDS

NAMES = {EVM: "base", SOLANA: "solana"}
HEAD = 1_000
FIRST_BLOCK = "0x" + "ab" * 32
ABOUT_NOBODY: dict[str, Any] = {
    "eth_chainId": "0x2105",
    "eth_blockNumber": hex(HEAD),
    "eth_getBlockByNumber": {"number": hex(HEAD), "hash": FIRST_BLOCK},
    "getGenesisHash": "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z",
    "getSlot": HEAD,
    "getBlockHeight": HEAD,
}
"""What every node says of itself."""
pytestmark = pytest.mark.django_db


@dataclass
class Node:
    """A node that is well, but for what it answers to the one question that is about somebody."""

    odd: Callable[[Any], HttpReply | None] = lambda _: HttpReply(body=b"")
    asked: list[str] = field(default_factory=list)
    is_dead: bool = False
    url: str = ""

    def answer(self, question: HttpQuestion) -> HttpReply | None:
        """As JSON-RPC."""
        body = orjson.loads(question.body)
        self.asked.append(body["method"])
        if self.is_dead:
            return HttpReply(status=503, body=b"")
        if body["method"] not in ABOUT_NOBODY:
            return self.odd(body["id"])
        return HttpReply(
            body=orjson.dumps({"jsonrpc": "2.0", "id": body["id"], "result": ABOUT_NOBODY[body["method"]]})
        )


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, list[Node]]]:
    """One server for all, and which node answers there now."""
    present: list[Node] = []

    def respond(question: HttpQuestion) -> HttpReply | None:
        return present[-1].answer(question)

    with listening(respond) as url:
        yield url, present


@pytest.fixture
def node(address: tuple[str, list[Node]], monkeypatch: pytest.MonkeyPatch) -> Node:
    """However busy the machine is, it never answers too late."""
    monkeypatch.setattr("chains.clients.channel.READ_TIMEOUT", PATIENCE_SECONDS)
    url, present = address
    present.append(Node(url=url))
    return present[-1]


def endpoint_of(family: str, node: Node) -> Endpoint[Any]:
    """Where the service asks it."""
    known = next(chain for chain in CHAINS if chain.name == NAMES[family])
    kind = EvmEndpoint if family == EVM else SolanaEndpoint
    return kind(known, node.url, Heads(known), refuse_play_networks=False)


def about_somebody(node: Any) -> Any:
    """A question that names a transaction."""
    if hasattr(node, "rpc"):
        return node.rpc.call("getTransaction", "5" * 88)
    return node.web3.eth.get_transaction_count("0x" + "00" * 20)


def met(endpoint: Endpoint[Any]) -> NoAnswer:
    """What comes of that question."""
    with pytest.raises(NoAnswer) as caught:
        endpoint.ask(about_somebody, 0)
    return caught.value


def outcome(found: NoAnswer) -> Outcome:
    """Which of the three it is."""
    if isinstance(found, TooManyQuestions):
        return Outcome.LIMIT
    assert isinstance(found, EndpointFault | CannotSay)
    return Outcome.FAULT if isinstance(found, EndpointFault) else Outcome.CANNOT_SAY


def test_the_catalogue_is_long_and_says_nothing_twice() -> None:
    assert len(ANSWERS) >= 60
    assert len({one.name for one in ANSWERS}) == len(ANSWERS)
    assert {one.outcome for one in ANSWERS if one.family == EVM} == set(Outcome)


@pytest.mark.parametrize("given", ANSWERS, ids=lambda one: one.name)
def test_what_follows_from_it(node: Node, given: ErrorAnswer) -> None:
    def reply(number: Any) -> HttpReply | None:
        body = given.to(number)
        return None if body is None else HttpReply(status=given.status, body=body)

    node.odd = reply
    endpoint = endpoint_of(given.family, node)
    assert outcome(met(endpoint)) == given.outcome
    held = (endpoint.faults, endpoint.slowed_for() > 0, endpoint.is_open())
    assert held == (int(given.outcome is Outcome.FAULT), given.outcome is Outcome.LIMIT, True)


@pytest.mark.parametrize("family", [EVM, SOLANA])
def test_one_question_that_always_fails_takes_the_node_from_nobody(node: Node, family: str) -> None:
    node.odd = lambda _: HttpReply(status=502, body=b"")
    endpoint = endpoint_of(family, node)
    for _ in range(2 * FAULTS_TO_OPEN):
        met(endpoint)
    assert (endpoint.is_open(), endpoint.ask(lambda one: one.head, 0)) == (True, HEAD)


@pytest.mark.parametrize("family", [EVM, SOLANA])
def test_a_node_that_answers_nobody_is_left_alone(node: Node, family: str) -> None:
    node.is_dead = True
    endpoint = endpoint_of(family, node)
    for times in range(FAULTS_TO_OPEN):
        assert endpoint.is_open()
        assert (outcome(met(endpoint)), endpoint.faults) == (Outcome.FAULT, times + 1)
    assert not endpoint.is_open()


@pytest.mark.parametrize("family", [EVM, SOLANA])
def test_an_answer_that_comes_too_late_is_a_fault(node: Node, family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint, is_over = endpoint_of(family, node), threading.Event()

    def impatient(one: Any) -> Any:
        monkeypatch.setattr("chains.clients.channel.READ_TIMEOUT", 0.05)
        return about_somebody(one)

    def late(_: Any) -> None:
        is_over.wait(PATIENCE_SECONDS)

    node.odd = late
    try:
        with pytest.raises(TookTooLong):
            endpoint.ask(impatient, 0)
    finally:
        is_over.set()
    assert (endpoint.faults, endpoint.is_open()) == (1, True)


def test_a_limit_is_kept_for_as_long_as_it_says(node: Node) -> None:
    node.odd = lambda _: HttpReply(status=429, body=b"", headers={"Retry-After": "7"})
    endpoint = endpoint_of(EVM, node)
    met(endpoint)
    assert 5 < endpoint.slowed_for() <= 7
    node.odd = lambda _: HttpReply(status=429, body=b"", headers={"Retry-After": "86400"})
    met(endpoint)
    assert 55 < endpoint.slowed_for() <= 60


@pytest.mark.parametrize("family", [EVM, SOLANA])
def test_a_head_that_cannot_be_is_looked_at(node: Node, family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = endpoint_of(family, node)
    assert endpoint.ask(lambda one: one.head, 0) == HEAD
    method, said = ("eth_blockNumber", hex(10**6)) if family == EVM else ("getSlot", 10**6)
    monkeypatch.setitem(ABOUT_NOBODY, method, said)
    proof = "eth_getBlockByNumber" if family == EVM else "getBlockHeight"
    monkeypatch.setitem(ABOUT_NOBODY, proof, None)
    assert outcome(met(endpoint)) == Outcome.FAULT
    assert endpoint.head == HEAD
    shown = {"number": hex(10**6), "hash": FIRST_BLOCK} if family == EVM else 10**6
    monkeypatch.setitem(ABOUT_NOBODY, proof, shown)
    assert endpoint.ask(lambda one: one.head, 0) == 10**6


def test_each_question_is_counted_by_how_it_ended(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    totals = Totals()
    totals.keep()
    monkeypatch.setattr(metrics, "totals", totals)
    endpoint, body = endpoint_of(EVM, node), {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "odd"}}
    endpoint.ask(lambda one: one.head, 0)
    with pytest.raises(NoAnswer):
        endpoint.ask(lambda one: one.head, HEAD + 1)
    node.odd = lambda number: HttpReply(body=orjson.dumps(body | {"id": number}))
    met(endpoint)
    node.odd = lambda _: HttpReply(status=429, body=b"")
    met(endpoint)
    node.is_dead = True
    met(endpoint)
    totals.flush()
    counted = MetricTotal.objects.filter(name=NODE_QUESTIONS.name).values_list("labels", "total")
    outcomes = ("answered", "behind", "failed", "slowed", "unsaid")
    assert set(counted) == {(f"base|127.0.0.1|{outcome}", 1) for outcome in outcomes}
