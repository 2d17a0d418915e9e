"""Blocks of code: each with a button that copies it, and the same step in several languages as tabs.

Tabs are radio buttons and a style sheet: without scripts every language can be chosen. Pure.
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import count, groupby

from markdown_it.token import Token

NAMES = {
    **{"sh": "Terminal", "bash": "Terminal", "python": "Python", "py": "Python", "ts": "TypeScript"},
    **{"typescript": "TypeScript", "js": "JavaScript", "json": "JSON", "html": "HTML", "yaml": "YAML", "http": "HTTP"},
    **{"ini": "Settings", "nginx": "nginx", "sql": "SQL"},
}
"""What a language is called above its code."""


TOLD_TWICE = frozenset({"Terminal", "curl", "Python", "TypeScript", "JavaScript"})
"""Languages that say the same step. Anything else is what came of it, or stands by itself."""


def language_of(block: Token) -> str:
    """What a block's language is called; empty where it has none."""
    name = (block.info.split() or [""])[0]
    return "curl" if name in {"sh", "bash"} and "curl " in block.content else NAMES.get(name, "")


def code_html(block: Token) -> str:
    """One block. What has no language, a drawing or an output, has no button."""
    return _block(block, language_of(block), head=True)


def in_tabs(tokens: Sequence[Token]) -> list[Token]:
    """The same tokens, every run of blocks that say one thing in several languages as one token ``tabs``."""
    numbers, found = count(1), list[Token]()
    for together, run in groupby(tokens, key=lambda token: token.type == "fence"):
        if not together:
            found += run
            continue
        for blocks in _runs(list(run)):
            found += [_tabs(next(numbers), blocks)] if len(blocks) > 1 else blocks
    return found


def _runs(blocks: Sequence[Token]) -> Iterator[list[Token]]:
    """Neighbours in languages that differ from each other and say one step."""
    run: list[Token] = []
    for block in blocks:
        name = language_of(block)
        known = {language_of(one) for one in run}
        if run and (name in known or not known | {name} <= TOLD_TWICE):
            yield run
            run = []
        run.append(block)
    if run:
        yield run


def _tabs(number: int, blocks: Sequence[Token]) -> Token:
    names = [language_of(block) for block in blocks]
    choices = "".join(_choice(number, at, name) for at, name in enumerate(names))
    panels = "".join(
        f'<div class="panel">{_block(block, name, head=False)}</div>' for block, name in zip(blocks, names, strict=True)
    )
    token = Token("tabs", "div", 0)
    token.meta["html"] = (
        f'<fieldset class="tabs"><legend class="hidden">Language</legend>{choices}<div class="panels">{panels}</div>'
        "</fieldset>\n"
    )
    return token


def _choice(number: int, at: int, name: str) -> str:
    place = f"tabs-{number}-{at + 1}"
    chosen = "" if at else " checked"
    return (
        f'<input class="hidden" type="radio" name="tabs-{number}" id="{place}" value="{name}"{chosen}>'
        f'<label for="{place}">{name}</label>'
    )


def _block(block: Token, name: str, *, head: bool) -> str:
    button = (
        f'<button class="button copy" data-weight="small" type="button" data-copies aria-label="Copy {name}" hidden>'
        "Copy</button>"
        if name
        else ""
    )
    above = f'<div class="code-head"><span>{name}</span>{button}</div>' if head and name else button
    return f'<div class="code">{above}<pre tabindex="0"><code>{escape(block.content)}</code></pre></div>\n'
