"""Of which kinds a text may be that a tool says outside ``untrusted``; there is no other."""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings

from chains.registry import CHAINS
from mcp.tools.registry import TOOLS
from tests.payments.explain.sentences import every_sentence
from tokens.sources.bundled import bundled_tokens

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
_HASH = r"(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,90})"
_EXPLORERS = "|".join(re.escape(chain.explorer_tx_template).replace(r"\{\}", _HASH) for chain in CHAINS)
FORMS = {
    "id": _UUID,
    "event id": r"evt_[0-9a-f]{32}",
    "moment": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "figure": r"-?\d+(\.\d+)?",
    "address": r"0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}",
    "hash": _HASH,
    "checkout": re.escape(settings.BASE_URL) + f"/checkout/{_UUID}",
    "explorer": _EXPLORERS,
}
CODE_FIELDS = ("provider", "code", "failure_reason", "settled_reason", "sub_status")
"""Columns that only the service writes, with words of its own."""


def _fixed_words(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {word for part in schema for word in _fixed_words(part)}
    if not isinstance(schema, dict):
        return set()
    spelled = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    return {word for word in spelled if isinstance(word, str)} | _fixed_words(list(schema.values()))


def _names(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {name for part in schema for name in _names(part)}
    if not isinstance(schema, dict):
        return set()
    named = schema.get("properties", {})
    return {*(named if isinstance(named, dict) else ()), *_names(list(schema.values()))}


OUTPUTS = [tool.output_schema for tool in TOOLS]
WORDS_OF_OURS = {
    *_fixed_words(OUTPUTS),
    *(chain.name for chain in CHAINS),
    *(word for token in bundled_tokens() for word in (token.symbol, token.symbol.upper(), token.name)),
    *every_sentence(),
    "",
}
MEMBERS = _names(OUTPUTS)


def unsafe(leaves: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The texts, with their places, that are of no kind that the service vouches for."""
    return [(path, text) for path, text in leaves if not _is_safe(path, text)]


def _is_safe(path: str, text: str) -> bool:
    field = path.rpartition(".")[2]
    tests: list[Callable[[], object]] = [
        lambda: text in WORDS_OF_OURS,
        lambda: text == field and text in MEMBERS,
        lambda: any(re.fullmatch(form, text) for form in FORMS.values()),
        lambda: field in CODE_FIELDS and re.fullmatch(r"[a-z][a-z0-9_]{0,39}", text),
    ]
    return any(test() for test in tests)
