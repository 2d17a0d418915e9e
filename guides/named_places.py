"""``<a id="name"></a>``, the only HTML that a page may hold: a place that is led to. Pure."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_PLACE = re.compile(r'<a id="([\w-]+)"></a>')
_KIND = "place"


def allow_named_places(parser: MarkdownIt) -> None:
    """Have a parser know such places. How they are drawn is the renderer's, by the name ``place``."""
    parser.inline.ruler.before("autolink", _KIND, _read)


def _read(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
    found = _PLACE.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.push(_KIND, "a", 0).content = found[1]
    state.pos = found.end()
    return True
