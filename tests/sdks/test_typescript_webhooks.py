"""The TypeScript SDK judges 10,000 headers made by chance as the service does, and believes none."""

import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sdks.generator import vectors
from tests.machine import PATIENCE_SECONDS
from tests.sdks.npm import STORIES, built
from webhooks.signatures import sign, verify

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("SDK of TypeScript")]

FUZZED = 10_000
BITS = [
    *("t=", "v1=", "v0=", ",", " ", "=", ";", "²", "é", "☕", "\x00", "\t", "0" * 64, "a", "-", "1e9"),
    *("\x1c", "\x85", "\xa0", "\ufeff", "\u2003", "\u180e", "\r", "\n", "T=", "t", "constructor=", "__proto__="),
]


def headers_by_chance() -> list[str]:
    chance = random.Random(20261128)  # noqa: S311 - the same headers in every run
    bits = [*BITS, str(vectors.NOW), sign(vectors.SECRET, vectors.NOW, b"another"), str(vectors.NOW - 400)]
    whole = [f"t={vectors.NOW}", f"v1={sign(vectors.SECRET, vectors.NOW, b'another')}", ","]
    return ["".join(chance.choices([*bits, *whole * 5], k=chance.randint(0, 12))) for _ in range(FUZZED)]


def test_ten_thousand_headers_get_the_services_verdict(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    headers, body = headers_by_chance(), vectors.BODY
    asked = [{"header": one, "body": body, "secrets": [vectors.SECRET], "now": vectors.NOW} for one in headers]
    done = subprocess.run(
        ("node", str(STORIES / "judge.mjs")),
        env={**os.environ, "SDK": f"{built(tmp_path).as_uri()}/"},
        input="".join(f"{json.dumps(one)}\n" for one in asked),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    wanted = [verify(one, body.encode(), [vectors.SECRET], vectors.NOW).refusal for one in headers]
    record_property("asked", len(headers))
    record_property("wrong", sum(found != right for found, right in zip(said, wanted, strict=True)))
    assert None not in said
    assert dict(zip(headers, said, strict=True)) == dict(zip(headers, wanted, strict=True))
    assert len({str(verdict) for verdict in said}) >= 6  # noqa: PLR2004 - so many ways to be refused were met
