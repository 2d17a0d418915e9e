"""Bodies that break careless services, each with the answer that it must get from the create endpoint."""

import gzip
import json
from dataclasses import dataclass, field

JSON = "application/json"
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Hostile:
    """A body, how it is declared, and the status and code it must end in; ``reason`` where the code has one."""

    name: str
    body: bytes
    status: int = 400
    code: str = "invalid_json"
    reason: str | None = None
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


def _create(inner: str, amount: str = "25") -> bytes:
    return f'{{"amount": {amount}, "metadata": {inner}}}'.encode()


def _amount(literal: str) -> bytes:
    return f'{{"amount": {literal}}}'.encode()


def _number(name: str, literal: str) -> Hostile:
    return Hostile(name, _amount(literal), reason="number_out_of_range")


def _not_json(name: str, body: bytes) -> Hostile:
    return Hostile(name, body, reason="not_json")


def _wrong_field(name: str, body: bytes) -> Hostile:
    return Hostile(name, body, code="invalid_request")


def _nested(depth: int, opening: str, closing: str) -> bytes:
    return _create(opening * depth + "1" + closing * depth)


STRANGE_TEXT = (
    Hostile("NUL in a value", _create('{"a": "x\\u0000y"}'), reason="nul_character"),
    Hostile("NUL in a key", _create('{"a\\u0000": 1}'), reason="nul_character"),
    Hostile("NUL in an unknown field", b'{"amount": 25, "a\\u0000b": 1}', reason="nul_character"),
    Hostile("NUL in a list", _create('{"a": ["x", ["\\u0000"]]}'), reason="nul_character"),
    Hostile("NUL in an address", b'{"amount": 25, "settlement_address": "\\u0000"}', reason="nul_character"),
    _not_json("raw NUL in a value", _create('{"a": "x\x00y"}')),
    _not_json("raw NUL after the body", b'{"amount": 25}\x00'),
    _not_json("raw line break in a value", _create('{"a": "x\ny"}')),
    Hostile("lone high surrogate", _create('{"a": "\\ud800"}'), reason="lone_surrogate"),
    Hostile("lone low surrogate", _create('{"a": "\\udc00"}'), reason="lone_surrogate"),
    Hostile("lone surrogate in a key", _create('{"\\udbff": 1}'), reason="lone_surrogate"),
    Hostile("surrogates the wrong way round", _create('{"a": "\\udc00\\ud800"}'), reason="lone_surrogate"),
    Hostile("surrogate as UTF-8 bytes", _create('{"a": "') + b"\xed\xa0\x80" + b'"}}', reason="not_utf8"),
    Hostile("half a character", b'{"amount": 25, "reference": "\xc3"}', reason="not_utf8"),
    Hostile("overlong encoding", b'{"amount": 25, "reference": "\xc0\xaf"}', reason="not_utf8"),
    Hostile("Latin-1", '{"amount": 25, "reference": "café"}'.encode("latin-1"), reason="not_utf8"),
    _not_json("byte order mark", b"\xef\xbb\xbf" + _amount("25")),
    Hostile("UTF-16 with its mark", '{"amount": 25}'.encode("utf-16"), reason="not_utf8"),
    _not_json("UTF-16 without a mark", '{"amount": 25}'.encode("utf-16-le")),
    _not_json("UTF-32", '{"amount": 25}'.encode("utf-32-be")),
    _not_json("bad escape", _create('{"a": "\\x41"}')),
    _not_json("half an escape", _create('{"a": "\\u12"}')),
)

STRANGE_NUMBERS = (
    _number("1e400", "1e400"),
    _number("-1e400", "-1e400"),
    _number("1e-400", "1e-400"),
    _number("an exponent that decimals cannot hold", "1e99999999999999999999"),
    _number("a zero that is a gigabyte when written out", "0e999999999"),
    _number("a zero with a huge negative exponent", "0.0e-999999999"),
    _number("5000 digits", "9" * 5000),
    _number("5000 decimals", "0." + "1" * 5000),
    Hostile("1e400 in metadata", _create('{"a": 1e400}'), reason="number_out_of_range"),
    Hostile("5000 digits in metadata", _create('{"a": %s}' % ("7" * 5000)), reason="number_out_of_range"),
    Hostile("NaN", _amount("NaN"), reason="not_a_number"),
    Hostile("Infinity", _amount("Infinity"), reason="not_a_number"),
    Hostile("-Infinity", _amount("-Infinity"), reason="not_a_number"),
    Hostile("NaN in metadata", _create('{"a": [NaN]}'), reason="not_a_number"),
    _not_json("leading zero", _amount("025")),
    _not_json("leading plus", _amount("+25")),
    _not_json("no digit before the point", _amount(".5")),
    _not_json("no digit after the point", _amount("5.")),
    _not_json("hexadecimal", _amount("0x19")),
    _not_json("underscore", _amount("1_000")),
    _not_json("Arabic digits", _amount("\u0662\u0665")),
    _wrong_field("Arabic digits as text", _amount('"\u0662\u0665"')),
    _wrong_field("1e5 as text", _amount('"1e5"')),
    _wrong_field("25 as text", _amount('"25"')),
    _wrong_field("true as an amount", _amount("true")),
    _wrong_field("null as an amount", _amount("null")),
    _wrong_field("a list as an amount", _amount("[25]")),
    _wrong_field("an object as an amount", _amount('{"value": 25}')),
    _wrong_field("zero", _amount("0")),
    _wrong_field("minus zero", _amount("-0.0")),
    _wrong_field("below zero", _amount("-25")),
    _wrong_field("three decimals", _amount("25.001")),
    _wrong_field("200 digits", _amount("2" * 200)),
    _wrong_field("1e300", _amount("1e300")),
    _wrong_field("a lifetime beyond 64 bits", b'{"amount": 25, "expires_in_seconds": 99999999999999999999}'),
    _wrong_field("a fractional lifetime", b'{"amount": 25, "expires_in_seconds": 60.5}'),
    _wrong_field("a lifetime as text", b'{"amount": 25, "expires_in_seconds": "60"}'),
)

STRANGE_SHAPES = (
    _wrong_field("nothing at all", b""),
    _wrong_field("an empty object", b"{}"),
    _not_json("white space", b"  \n"),
    _not_json("cut off", b'{"amount": 2'),
    _not_json("two bodies", b'{"amount": 25}{"amount": 25}'),
    _not_json("a trailing comma", b'{"amount": 25,}'),
    _not_json("single quotes", b"{'amount': 25}"),
    _not_json("a comment", b'{"amount": 25} // please'),
    _not_json("a form", b"amount=25"),
    Hostile("a list", b'[{"amount": 25}]', reason="not_an_object"),
    Hostile("a text", b'"amount"', reason="not_an_object"),
    Hostile("a number", b"25", reason="not_an_object"),
    Hostile("null", b"null", reason="not_an_object"),
    Hostile("true", b"true", reason="not_an_object"),
    Hostile("a key twice", b'{"amount": 25, "amount": 0.01}', reason="duplicate_key"),
    Hostile("a key twice further in", _create('{"a": {"b": 1, "b": 2}}'), reason="duplicate_key"),
    Hostile("a key twice, once escaped", b'{"amount": 25, "\\u0061mount": 1}', reason="duplicate_key"),
    Hostile("objects 33 deep", _nested(32, '{"a":', "}"), reason="too_deep"),
    Hostile("lists 33 deep", _nested(32, "[", "]"), reason="too_deep"),
    Hostile("lists 2,000 deep", _nested(2_000, "[", "]"), reason="too_deep"),
    Hostile("objects 20,000 deep", _nested(20_000, '{"a":', "}"), reason="too_deep"),
    Hostile("lists 100,000 deep", _nested(100_000, "[", "]"), reason="too_deep"),
    Hostile("lists 100,000 deep, never closed", b"[" * 100_000, reason="too_deep"),
    _wrong_field("an unknown field", b'{"amount": 25, "settlement_adress": "x"}'),
    _wrong_field("a thousand unknown fields", json.dumps({f"k{n}": n for n in range(1000)}).encode()),
    _wrong_field("__proto__", b'{"amount": 25, "__proto__": {"admin": true}}'),
    _wrong_field("metadata as a list", _create("[]")),
    Hostile("51 keys of metadata", _create(json.dumps({f"k{n}": n for n in range(51)})), code="metadata_invalid"),
    Hostile("metadata 5 deep", _create('{"a": {"b": {"c": {"d": {}}}}}'), code="metadata_invalid"),
    Hostile("17 KiB of metadata", _create(json.dumps({"a": "x" * 17_000})), code="metadata_invalid"),
)

TOO_LARGE = (
    Hostile("256 KiB and one byte", b" " * (256 * 1024 + 1 - 14) + b'{"amount": 25}', 413, "payload_too_large"),
    Hostile("10 MB of white space", b" " * (10 * MEGABYTE), 413, "payload_too_large"),
    Hostile("10 MB of text", _create(json.dumps({"a": "x" * 10 * MEGABYTE})), 413, "payload_too_large"),
    Hostile("10 MB of brackets", b"[" * (10 * MEGABYTE), 413, "payload_too_large"),
)

WRONGLY_DECLARED = tuple(
    Hostile(name, body, 415, "unsupported_media_type", content_type=content_type, headers=headers)
    for name, body, content_type, headers in (
        ("no content type", _amount("25"), "", {}),
        ("text/plain", _amount("25"), "text/plain", {}),
        ("text/json", _amount("25"), "text/json", {}),
        ("JSON merge patch", _amount("25"), "application/merge-patch+json", {}),
        ("a urlencoded form", b"amount=25", "application/x-www-form-urlencoded", {}),
        (
            "a multipart form",
            b'--b\r\nContent-Disposition: form-data; name="amount"\r\n\r\n25\r\n--b--',
            "multipart/form-data; boundary=b",
            {},
        ),
        ("a multipart form without boundary", b"amount=25", "multipart/form-data", {}),
        ("XML", b"<amount>25</amount>", "application/xml", {}),
        ("a broken content type", _amount("25"), ";;; charset", {}),
        ("gzip", gzip.compress(_amount("25")), JSON, {"Content-Encoding": "gzip"}),
        ("gzip that is none", _amount("25"), JSON, {"Content-Encoding": "gzip"}),
        ("brotli", b"\x0b\x02\x80", JSON, {"Content-Encoding": "br"}),
    )
) + (Hostile("gzip that says nothing of it", gzip.compress(_amount("25")), reason="not_utf8"),)

HOSTILE = (*STRANGE_TEXT, *STRANGE_NUMBERS, *STRANGE_SHAPES, *TOO_LARGE, *WRONGLY_DECLARED)
