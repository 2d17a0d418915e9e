"""Reads a hosted page as a browser would: its text, its elements, and what it hands to its scripts."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.http import HttpResponse
from django.test import Client

from tests.factories.payments import ANNS_EVM

LIVE = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
"""Where a live intent settles."""
VOID = {"meta", "link", "option", "path", "br"}


@dataclass
class Element:
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A parsed page. ``shape``: every tag with its attributes' names, in order; ``loaded``: what a browser fetches."""

    shape: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    by_test_id: dict[str, Element] = field(default_factory=dict)
    scripts: list[dict[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, Element | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.shape.append((tag, tuple(attributes)))
        if tag == "script":
            self.scripts.append(attributes)
        self.links += [attributes[name] for name in ("href", "src", "action") if name in attributes]
        if tag != "a":
            self.loaded += [attributes[name] for name in ("href", "src") if name in attributes]
        element = Element(attributes) if "data-testid" in attributes else None
        if element is not None:
            self.by_test_id[attributes["data-testid"]] = element
        if tag not in VOID:
            self._open.append((tag, element))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Add text to every element that holds it."""
        for _, element in self._open:
            if element is not None:
                element.text += data

    def text(self, test_id: str) -> str:
        """The text of an element, in one line."""
        return " ".join(self.by_test_id[test_id].text.split())


def visit(intent_id: str) -> HttpResponse:
    return Client().get(f"/checkout/{intent_id}")  # type: ignore[return-value]  # the client's own subclass


def receipt(intent_id: object) -> HttpResponse:
    return Client().get(f"/checkout/{intent_id}/receipt")  # type: ignore[return-value]  # the client's own subclass


def read_page(response: HttpResponse) -> Page:
    page = Page()
    page.feed(response.content.decode())
    page.close()
    return page
