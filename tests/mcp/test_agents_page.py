"""What people and models read before an agent is connected."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from mcp.clients import EntryKind, agent_clients
from mcp.tools.registry import TOOLS
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of

URL = "http://localhost:8000/mcp"


class Snippets(HTMLParser):
    """Reads what each copy button would copy, and where the links lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.copied: list[str] = []
        self.texts: dict[str, str] = {}
        self.ids: list[str] = []
        self.links: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element's id, link and button."""
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        self.links += [values["href"] or ""] if tag == "a" else []
        self.copied += [values["data-copies"] or ""] if "data-copies" in values else []
        self._inside = (values.get("id") or "") if tag == "span" else self._inside

    def handle_endtag(self, tag: str) -> None:
        """Leave a text that can be copied."""
        self._inside = "" if tag == "span" else self._inside

    def handle_data(self, data: str) -> None:
        """Keep the text that can be copied."""
        if self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data


@pytest.fixture
def page(db: None) -> str:
    """The page for people."""
    answer = Client().get("/agents/")
    assert answer.status_code == 200
    assert policy_of(answer) == STRICT_POLICY
    assert answer.headers["X-Frame-Options"] == "DENY"
    return answer.content.decode()


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(page: str) -> None:
    assert INLINE.findall(page) == []
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page) == []
    names = re.findall(r'(?:src|href)="/static/([^"]+)"', page)
    assert names
    assert [name for name in names if finders.find(name) is None] == []


def test_every_snippet_of_the_manifest_can_be_copied_from_the_page(page: str) -> None:
    read = Snippets(page)
    assert len(read.ids) == len(set(read.ids))
    assert sorted(read.copied) == sorted(read.texts)
    entries = [entry for client in agent_clients(URL) for entry in client.entries]
    copyable = [entry.text for entry in entries if entry.kind in {EntryKind.COMMAND, EntryKind.CONFIG}]
    assert list(read.texts.values()) == [URL, *copyable]


def test_every_link_of_the_manifest_is_on_the_page(page: str) -> None:
    entries = [entry for client in agent_clients(URL) for entry in client.entries]
    links = [entry.text for entry in entries if entry.kind is EntryKind.DEEPLINK]
    assert len(links) == 2
    assert [link for link in Snippets(page).links if not link.startswith(("/", "#"))] == links
    assert [
        entry.text for entry in entries if entry.kind is EntryKind.MANUAL and entry.text not in unescape(page)
    ] == []


def test_the_page_shows_every_tool_and_says_which_move_money(page: str) -> None:
    rows = re.findall(r"<tr><td><code>(\w+)</code>.*?<span class=\"pill\"[^>]*>([^<]+)</span>", page)
    assert [name for name, _ in rows] == [tool.name for tool in TOOLS]
    moving = {name for name, effect in rows if effect == "moves money"}
    assert moving == {tool.name for tool in TOOLS if tool.scope in {"payouts:write", "refunds:write"}}


def test_the_front_page_leads_there(db: None) -> None:
    assert 'href="/agents/"' in Client().get("/").content.decode()


def test_the_note_for_models_leads_everywhere(db: None) -> None:
    answer = Client().get("/llms.txt")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    text = answer.content.decode()
    assert text.startswith("# Causeway\n\n> ")
    base = "http://localhost:8000"
    assert re.findall(r"\]\((.*?)\)", text) == [
        *(f"{base}/.well-known/mcp-install.json", f"{base}/agents/"),
        *(f"{base}/api/public/openapi.json", f"{base}/api/docs/"),
    ]
    for link in re.findall(r"\]\(http://localhost:8000(.*?)\)", text):
        assert Client().get(link).status_code == 200, link
    for tool in TOOLS:
        assert f"- {tool.name} ({tool.scope}): {tool.description}\n" in text
    assert "&#" not in text
    assert "\n\n\n" not in text
