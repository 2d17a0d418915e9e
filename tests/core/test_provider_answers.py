"""What providers of routes and prices answer where they do not answer: what is held against them, and what is not."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from core.outbound import providers
from core.outbound.providers import FAULTS_TO_OPEN, ProviderSession, ProviderUnreachable
from localnet.http_server import HttpQuestion, HttpReply, listening
from tests.machine import PATIENCE_SECONDS

ODD, SIMPLEST = "/quote", "/status"
PAGE = b"<html><title>Attention Required! | Cloudflare</title></html>"
FAULTS: dict[str, tuple[int, bytes]] = {
    "LI.FI: third party": (500, b'{"code":1006,"message":"Internal Server Error"}'),
    "LI.FI: bad gateway": (502, PAGE),
    "LI.FI: unavailable": (503, b'{"message":"Service Unavailable"}'),
    "LI.FI: time-out": (504, PAGE),
    "LI.FI: half a body": (200, b'{"type":"lifi","action":{"fromToken"'),
    "LI.FI: a page": (200, PAGE),
    "LI.FI: nothing": (200, b""),
    "LI.FI: a firewall": (403, PAGE),
    "Jupiter: internal": (500, b"Internal server error"),
    "Jupiter: behind Cloudflare": (520, b"error code: 520"),
    "Jupiter: not JSON": (200, b"Route not found"),
    "Jupiter: no number": (200, b'{"outAmount":Infinity}'),
    "price source: moved": (302, b""),
}
REFUSALS: dict[str, tuple[int, bytes]] = {
    "LI.FI: no quote": (404, b'{"message":"No available quotes for the requested transfer","code":1002,"errors":[]}'),
    "LI.FI: odd token": (400, b'{"message":"/fromToken must be a valid token","code":1011}'),
    "LI.FI: not built": (422, b'{"message":"Unable to build transaction","code":1001}'),
    "LI.FI: slippage": (409, b'{"message":"Slippage is larger than conversion threshold","code":1007}'),
    "LI.FI: a tool failed": (424, b'{"message":"Third party error","code":1008}'),
    "Jupiter: no route": (400, b'{"errorCode":"NO_ROUTES_FOUND","error":"No routes found"}'),
    "Jupiter: not tradable": (400, b'{"errorCode":"TOKEN_NOT_TRADABLE","error":"The token is not tradable"}'),
    "Jupiter: our own mistake": (422, b'{"error":{"name":"ZodError","issues":[]}}'),
    "price source: unknown token": (404, b'{"message":"Could not find token","code":1003}'),
}
LIMITS: dict[str, tuple[int, bytes]] = {
    "LI.FI: limit": (429, b'{"message":"Rate limit exceeded, retry in 2 hours","code":1005}'),
    "LI.FI: limit as a page": (429, PAGE),
    "Jupiter: limit": (429, b'{"code":429,"message":"Rate limit exceeded"}'),
    "Jupiter: limit without a word": (429, b""),
}


@dataclass
class Provider:
    """Answers whatever it is asked; the simplest question apart."""

    odd: tuple[int, bytes] = (200, b"{}")
    simplest: tuple[int, bytes] = (400, b'{"message":"txHash is required","code":1011}')
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, question: HttpQuestion) -> HttpReply:
        """By the path alone."""
        self.asked.append(question.path)
        status, body = self.simplest if question.path == SIMPLEST else self.odd
        return HttpReply(status=status, body=body)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """However busy the machine is, it never answers too late."""
    monkeypatch.setattr(providers, "CONNECT_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(providers, "KNOCK_SECONDS", PATIENCE_SECONDS)
    made = Provider()
    with listening(made.answer) as made.url:
        yield made


def session_with(provider: Provider) -> ProviderSession:
    """As clients have it."""
    return ProviderSession("somebody", provider.url, simplest=(SIMPLEST, {}))


def heard(session: ProviderSession, times: int = 2 * FAULTS_TO_OPEN) -> list[object]:
    """What comes of asking so often: a status, or why there is none."""

    def one() -> object:
        try:
            return session.get(ODD, {}, PATIENCE_SECONDS).status
        except ProviderUnreachable as fault:
            return fault.reason

    return [one() for _ in range(times)]


@pytest.mark.parametrize("name", FAULTS)
def test_somebodys_odd_question_takes_it_from_nobody(provider: Provider, name: str) -> None:
    provider.odd = FAULTS[name]
    session = session_with(provider)
    assert "paused" not in heard(session)
    provider.odd = (200, b"{}")
    assert heard(session, 1) == [200]


@pytest.mark.parametrize("name", FAULTS)
def test_one_that_answers_nothing_is_left_alone(provider: Provider, name: str) -> None:
    provider.odd = provider.simplest = FAULTS[name]
    assert heard(session_with(provider))[FAULTS_TO_OPEN:] == ["paused"] * FAULTS_TO_OPEN


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_an_answer(provider: Provider, name: str) -> None:
    provider.odd = REFUSALS[name]
    assert heard(session_with(provider)) == [REFUSALS[name][0]] * 2 * FAULTS_TO_OPEN
    assert SIMPLEST not in provider.asked


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_slows_it_and_is_no_fault(
    provider: Provider, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    provider.odd = LIMITS[name]
    assert heard(session_with(provider), 2) == [429, "paused"]
    assert "(fault" not in caplog.text
