"""A page of docs as HTML: no HTML of its own but named places, links within this service, code in every language.

Pure but for the files that it reads.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from guides.blocks import code_html, in_tabs
from guides.library import Page, page_at, text_of

SERVICE_PAGES = ("/api/docs/", "/dashboard/", "/agents/", "/demo/", "/llms.txt", "/llms-full.txt", "/docs/")
"""Addresses that a page may write as code, and that a reader can open."""
LONGEST_WHOLE = 14
"""Longer names may be broken at their underscores, so that tables fit."""
TASK = "[ ] "
_REMARK = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
_PLACE = "place"
_NAMED_PLACE = re.compile(r'<a id="([\w-]+)"></a>')
"""The only HTML that a page may hold: a place that is led to."""
_PLAIN = "plain"
"""In the place of a link to a file that this service does not serve."""


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading of the second rank, for the list at the side."""

    title: str
    anchor: str


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A page as HTML, and what stands on it."""

    html: str
    headings: tuple[Heading, ...]


def anchor_of(heading: str) -> str:
    """The anchor of a heading. Source: https://docs.github.com/en/get-started/writing-on-github, section links."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def target_of(page: Page, link: str) -> str | None:
    """Where a link of a page leads on this service; None where it leads to a file that is not served."""
    if urlsplit(link).scheme or link.startswith(("#", "/")):
        return link
    path, mark, anchor = link.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page.file), path))
    if found := page_at(file):
        return f"{found.url}{mark}{anchor}"
    if file == "README.md":
        return "/docs/"
    if file == "openapi.yaml":
        return "/api/public/openapi.json"
    return f"/docs/{file}" if file.startswith("images/") or file == "verify.html" else None


@cache
def drawn(page: Page) -> Drawn:
    """The page, drawn once per process."""
    tokens = _parser().parse(_REMARK.sub("", text_of(page)))
    headings = list(_name_headings(tokens))
    _lead_links(page, tokens)
    _mark_tasks(tokens)
    html = _parser().renderer.render(in_tabs(tokens), _parser().options, {})
    return Drawn(html=html, headings=tuple(headings))


@cache
def twin(page: Page) -> str:
    """The page as Markdown, its links leading to other twins."""
    return _LINK.sub(lambda found: _twin_of(page, found[1]), _REMARK.sub("", text_of(page)))


def _twin_of(page: Page, link: str) -> str:
    target = target_of(page, link) or link
    path, mark, anchor = target.partition("#")
    is_page = path.startswith("/docs/") and path not in {"/docs/", "/docs/verify.html"}
    is_page = is_page and not path.startswith("/docs/images/")
    return f"{path}.md{mark}{anchor}" if is_page else target


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.inline.ruler.before("autolink", _PLACE, _read_place)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _read_place(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
    found = _NAMED_PLACE.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.push(_PLACE, "a", 0).content = found[1]
    state.pos = found.end()
    return True


def _name_headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Give every heading its anchor, a second one of the same words a number; those of the second rank are listed."""
    seen: dict[str, int] = {}
    for opening, inside in zip(tokens, tokens[1:], strict=False):
        if opening.type != "heading_open":
            continue
        title = "".join(part.content for part in inside.children or [] if part.type in {"text", "code_inline"})
        anchor = anchor_of(title)
        seen[anchor] = seen.get(anchor, -1) + 1
        anchor = f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor
        opening.attrSet("id", anchor)
        if opening.tag == "h2":
            yield Heading(title=title, anchor=anchor)


def _lead_links(page: Page, tokens: Sequence[Token]) -> None:
    """Have links lead within this service; one to a file that is not served becomes its words alone."""
    for token in (part for block in tokens for part in block.children or []):
        name = {"link_open": "href", "image": "src"}.get(token.type)
        if name is None:
            continue
        target = target_of(page, str(token.attrGet(name)))
        if target is None:
            token.meta[_PLAIN] = True
        else:
            token.attrSet(name, target)


def _mark_tasks(tokens: Sequence[Token]) -> None:
    """Have the lines of a checklist begin with a box to tick on paper, in the place of their bullet."""
    for opening, inside in zip(tokens, tokens[2:], strict=False):
        if opening.type == "list_item_open" and inside.content.startswith(TASK):
            opening.attrSet("class", "task")
            first = (inside.children or [])[0]
            first.content = first.content.removeprefix(TASK)


def _link_open(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    if token.meta.get(_PLAIN):
        return "<span>"
    href = str(token.attrGet("href"))
    away = ' rel="noreferrer"' if urlsplit(href).scheme else ""
    return f'<a href="{escape(href)}"{away}>'


def _link_close(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """Closes what was opened: links do not stand within each other, so the last opening one is its own."""
    opening = next(token for token in reversed(tokens[:at]) if token.type == "link_open")
    return "</span>" if opening.meta.get(_PLAIN) else "</a>"


def _code_inline(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    text = escape(tokens[at].content)
    shown = text.replace("_", "_<wbr>") if len(text) > LONGEST_WHOLE else text
    is_within_link = any(token.type == "link_open" for token in tokens[max(at - 1, 0) : at])
    if text in SERVICE_PAGES and not is_within_link:
        return f'<a href="{text}"><code>{text}</code></a>'
    return f"<code>{shown}</code>"


_RULES: dict[str, Any] = {
    **{"link_open": _link_open, "link_close": _link_close, "code_inline": _code_inline},
    _PLACE: lambda _, tokens, at, *__: f'<span id="{escape(tokens[at].content)}"></span>',
    "fence": lambda _, tokens, at, *__: code_html(tokens[at]),
    "tabs": lambda _, tokens, at, *__: tokens[at].meta["html"],
    "table_open": lambda *_: '<div class="wide" tabindex="0"><table>',
    "table_close": lambda *_: "</table></div>",
}
