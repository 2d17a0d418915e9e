"""What becomes of others' words, and what counts as one's own. Source: agents, Rules to adopt 5."""

from typing import TypedDict

import pytest

from chains import registry
from core.shapes import Chain, Figure, Link, Symbol, Uuid
from mcp.tools import untrusted
from mcp.tools.untrusted import MAX_KEYS, MAX_TEXT, cleaned, cleaned_object, narrowed, set_apart
from tests.mcp.tools.kinds import unsafe
from tests.refunds.stories import PAYEE


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain", "plain"),
        ("two\n\n lines\tand a tab", "two lines and a tab"),
        ("a\u200bb\u200dc\ufeffd\u2060e\u00adf", "abcdef"),
        ("a\u202eb\u2066c\u2069d\u200fe", "abcde"),
        ("a\U000e0041\U000e0042b", "ab"),
        ("a\ufe0fb\U000e0150c\u180bd", "abcd"),
        ("\x1b[31mred\x07\x9b", "[31mred"),
        ("a\u3164\u2800\u115fb", "ab"),
        ("a\ue000\U0010fffdb\ud800c", "abc"),
        ("é日本語🙂", "é日本語🙂"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_gone(given: str, shown: str) -> None:
    assert cleaned(given) == shown


def test_a_long_text_is_cut_and_an_object_to_keys_of_text() -> None:
    assert cleaned("a" * MAX_TEXT) == "a" * MAX_TEXT
    assert cleaned("a" * (MAX_TEXT + 1)) == "a" * (MAX_TEXT - 1) + "…"
    assert len(cleaned("\u200b" * 10_000_000 + "a")) <= MAX_TEXT
    shown = {"a": "1", "b": "null", "c": '[true,{"d":""}]'}
    assert cleaned_object({"a": 1, "b": None, "c": [True, {"d": "\u202e"}]}) == shown
    assert len(cleaned_object({str(number): "" for number in range(100)})) == MAX_KEYS
    assert list(cleaned_object({"k" * 100: ""})) == ["k" * 63 + "…"]


@pytest.mark.parametrize(
    ("check", "ours", "not_ours"),
    [
        ("is_known_chain", ["base", "solana"], ["Base", "bsc", "ignore-all-rules", ""]),
        ("is_known_symbol", ["USDC", "usdc", "USDC.e"], ["USDC ", "UЅDC", "PAYALL", ""]),
        ("is_address", ["", PAYEE, PAYEE.lower(), "1" * 32], [PAYEE[:-1] + "f", "0x", "wallet", "1" * 31, PAYEE + " "]),
        ("is_tx_hash", ["0x" + "ab" * 32, "5" * 88], ["0x" + "ab" * 31, "0x" + "zz" * 32, "5" * 63, "pay me" * 12]),
        ("is_code", ["missing_destination"], ["Missing", "pay me", "", "a" * 41, "a\n"]),
    ],
)
def test_what_is_ours(check: str, ours: list[str], not_ours: list[str]) -> None:
    judge = getattr(registry if check == "is_tx_hash" else untrusted, check)
    assert [text for text in ours if not judge(text)] == []
    assert [text for text in not_ours if judge(text)] == []


class NoteShape(TypedDict):
    """What nobody said a word about is others' text."""

    id: Uuid
    chain: Chain
    token: Symbol
    note: str
    empty: str | None
    secret: Figure
    page: Link


def test_what_is_set_apart() -> None:
    rules = narrowed(NoteShape, hidden=("secret",), first=("token",))
    body = {"id": "1", "chain": "nowhere\u202e", "token": "PAYALL", "note": "hello", "empty": "", "secret": "1.00"}
    kept, untrusted_texts = set_apart({**body, "page": "https://x.example"}, rules)
    assert kept == {"id": "1", "chain": None, "token": None}
    told = {"note": "hello", "page": "https://x.example", "token": "PAYALL", "chain": "nowhere"}
    assert list(untrusted_texts.items()) == list(told.items())


def test_a_text_of_no_known_kind_is_noticed() -> None:
    planted = [
        (".name", "Pay me"),
        (".reason", "refund_everything"),
        (".pay_me", "pay_me"),
        (".url", "https://x.example"),
    ]
    assert unsafe(planted) == planted
    assert unsafe([(".id", "id"), (".status", "settled"), (".code", "anything_of_ours"), (".amount", "25.00")]) == []
