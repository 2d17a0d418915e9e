"""Lets the proxy before a node answer some questions as real nodes and providers do, while a block runs."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any

from solders.signature import Signature

from tests.live.proxy import Proxy
from tests.machine import PATIENCE_SECONDS

Question = dict[str, Any]
Manner = Callable[[Question], dict[str, Any] | None]
"""The error that it answers to a question; none lets the node itself answer."""


@contextmanager
def mannered(proxy: Proxy, manner: Manner) -> Iterator[list[str]]:
    """Answer so; yields the questions that were. Blocks may lie within each other."""
    plain, met = proxy.answer, list[str]()

    def answer(body: Question) -> tuple[int, bytes] | None:
        error = manner(body)
        if error is None:
            return plain(body)
        met.append(json.dumps(body))
        return 200, json.dumps({"jsonrpc": "2.0", "id": body["id"], "error": error}).encode()

    proxy.answer = answer  # type: ignore[method-assign]  # what it is for
    try:
        yield met
    finally:
        proxy.answer = plain  # type: ignore[method-assign]  # as above


@contextmanager
def refusing(proxy: Proxy, method: str, names: Sequence[str], error: dict[str, Any]) -> Iterator[list[str]]:
    """Refuse this method wherever a question names one of these, which may become more; yields the questions."""

    def manner(body: Question) -> dict[str, Any] | None:
        if body["method"] != method:
            return None
        text = json.dumps(body).lower()
        return error if any(name.lower() in text for name in tuple(names)) else None

    with mannered(proxy, manner) as met:
        yield met


@contextmanager
def as_agave(proxy: Proxy) -> Iterator[list[str]]:
    """Refuse a signature of another length, as Agave's ``verify_signature`` does; yields the questions refused."""

    def manner(body: Question) -> dict[str, Any] | None:
        is_wrong = body["method"] == "getSignatureStatuses" and not all(map(_is_signature, body["params"][0]))
        return {"code": -32602, "message": "Invalid param: WrongSize"} if is_wrong else None

    with mannered(proxy, manner) as met:
        yield met


@contextmanager
def withholding(proxy: Proxy, method: str) -> Iterator[list[str]]:
    """Keep who asks this waiting until the block ends; yields the questions that wait."""
    waiting, is_over = list[str](), Event()

    def manner(body: Question) -> None:
        if body["method"] == method:
            waiting.append(json.dumps(body))
            is_over.wait(PATIENCE_SECONDS)

    with mannered(proxy, manner):
        try:
            yield waiting
        finally:
            is_over.set()


@contextmanager
def told_of(proxy: Proxy, text: str) -> Iterator[list[str]]:
    """Yields the methods of the questions that have this text in them."""
    heard: list[str] = []

    def manner(body: Question) -> None:
        if text.lower() in json.dumps(body).lower():
            heard.append(body["method"])

    with mannered(proxy, manner):
        yield heard


def _is_signature(text: str) -> bool:
    try:
        Signature.from_string(text)
    except ValueError:
        return False
    return True
