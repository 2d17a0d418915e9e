"""Every copy of the webhooks' check that a merchant may take or ask gives the service's verdict.

On every vector, and on 10,000 headers made by chance, right signatures among them. The SDKs themselves:
test_python_webhooks.py, test_typescript_webhooks.py; whoever uses those has no copy.
"""

import json
import os
import random
import re
import runpy
import subprocess
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mcp.tools.webhooks as agents_tool
from checkout.demo.verify import verify as verify_of_the_demo
from core.errors import InvalidRequest
from core.modes import Mode
from dashboard.webhooks import endpoint
from sdks.generator import vectors
from tests.architecture.source import ROOT
from tests.machine import PATIENCE_SECONDS
from webhooks.diagnosis import Evidence, Fault, KnownSecret, diagnose
from webhooks.signatures import sign, verify

Asked = tuple[str, bytes, str]
"""A header, a body and a secret."""
Copy = Callable[[str, bytes, str], bool]
VECTORS: list[dict[str, Any]] = [
    vector
    for vector in json.loads((vectors.FOLDER / "webhooks.json").read_text(encoding="utf-8"))["vectors"]
    if len(vector["secrets"]) == 1 and not vector["name"].startswith("Standard Webhooks")
]
FUZZED = 10_000
GUIDE = ROOT / "docs" / "guides" / "webhooks.md"
COPIES = {
    *("examples/django-view/shop.py", "docs/guides/webhooks.md", "checkout/demo/verify.py"),
    "dashboard/webhooks/endpoint.py",
}
"""The last one shows the guide's."""
PLACES = ("examples", "docs/guides", "checkout", "dashboard", "mcp", "sdks/django", "sdks/python/src", "templates")
IN_NODE = """
import { createInterface } from 'node:readline';
Date.now = () => %d * 1000;
for await (const line of createInterface({ input: process.stdin })) {
  const [header, body, secret] = JSON.parse(line);
  console.log(isGenuine(header, body, secret));
}
"""


class Clock:
    """Stands for the module ``time`` in a copy."""

    @staticmethod
    def time() -> float:
        return vectors.NOW


@cache
def by_chance() -> list[str]:
    """Headers as HTTP carries them, no two alike: nonsense, and right ones with something between."""
    chance = random.Random(20261128)  # noqa: S311 - the same headers in every run
    right, wrong = (sign(vectors.SECRET, vectors.NOW, body) for body in (vectors.BODY.encode(), b"another"))
    bits = ["t=", "v1=", "v0=", ",", " ", "=", ";", "²", "é", "\t", "0" * 64, "a", "-", "1e9", "T=", "t", right, wrong]
    found: dict[str, None] = {}
    while len(found) < FUZZED:
        keys = chance.choices(("v0=", "v1=", "a=", ""), k=chance.randint(0, 3))
        parts = [key + "".join(chance.choices(bits, k=chance.randint(1, 4))) for key in keys]
        end = chance.choice(["", "", *bits])
        parts += chance.choice(((), (f"t={vectors.NOW - 400}",), (f"t={vectors.NOW}", f"v1={right}{end}")))
        chance.shuffle(parts)
        found[",".join(parts)] = None
    return list(found)


def given(named: Iterable[dict[str, Any]] = (), headers: Iterable[str] = ()) -> dict[Asked, bool]:
    """What is asked, and what the service says of it."""
    asked = [
        *((one["headers"].get("Svc-Signature", ""), one["body"].encode(), one["secrets"][0]) for one in named),
        *((header, vectors.BODY.encode(), vectors.SECRET) for header in headers),
    ]
    return {one: verify(one[0], one[1], [one[2]], vectors.NOW).valid for one in asked}


def blocks(language: str, word: str) -> str:
    found: list[str] = re.findall(rf"```{language}[^\n]*\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    return next(one for one in found if word in one)


@cache
def _recipe() -> Any:
    space: dict[str, Any] = {}
    exec(blocks("python", "def is_genuine"), space)  # noqa: S102 - the guide's own code
    space["time"] = Clock
    return space["is_genuine"]


def of_the_guide(header: str, body: bytes, secret: str) -> bool:
    return bool(_recipe()(header, body, secret))


@cache
def _shop() -> Any:
    names = {"CAUSEWAY_SECRET_KEY": "x", "CAUSEWAY_API_KEY": "x", "CAUSEWAY_PUBLISHABLE_KEY": "x"}
    before = dict(os.environ)
    os.environ.update(names)
    try:
        return runpy.run_path(str(ROOT / "examples" / "django-view" / "shop.py"))["_is_genuine"]
    finally:
        os.environ.clear()
        os.environ.update(before)


def of_the_shop(header: str, body: bytes, secret: str) -> bool:
    judge = _shop()
    judge.__globals__.update(WEBHOOK_SECRET=secret, time=Clock)
    return bool(judge(body, header))


def of_the_demo(header: str, body: bytes, secret: str) -> bool:
    return all(step.passed for step in verify_of_the_demo(body, header, secret, vectors.NOW))


def of_the_dashboard(header: str, body: bytes, secret: str) -> bool:
    known = [KnownSecret(secret=secret, owner="")]
    evidence = Evidence(header=header, body=body, secrets=known, now_seconds=vectors.NOW)
    return diagnose(evidence).fault is Fault.RIGHT


def of_the_agents_tool(header: str, body: bytes, secret: str) -> bool:
    caller: Any = SimpleNamespace(principal=SimpleNamespace(mode=Mode.TEST))
    arguments = {"raw_body": body.decode(), "signature": header, "secret": secret}
    try:
        return bool(agents_tool.VERIFY_WEBHOOK.run(caller, arguments)["valid"])
    except InvalidRequest:
        return False


@pytest.mark.parametrize("copy", [of_the_guide, of_the_shop, of_the_demo, of_the_dashboard, of_the_agents_tool])
def test_a_copy_has_the_services_verdict(
    copy: Copy, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    monkeypatch.setattr(agents_tool, "now", lambda: datetime.fromtimestamp(vectors.NOW, UTC))
    asked = given(VECTORS, by_chance())
    wrong = [one for one, verdict in asked.items() if copy(*one) is not verdict]
    record_property("asked", len(VECTORS) + FUZZED)
    record_property("wrong", len(wrong))
    assert wrong == []
    assert len(VECTORS) >= 60
    assert sum(asked.values()) > 300


def test_the_guides_javascript_has_the_services_verdict(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    asked = given(VECTORS, by_chance())
    program = tmp_path / "recipe.mjs"
    program.write_text(blocks("js", "function isGenuine") + IN_NODE % vectors.NOW, encoding="utf-8")
    lines = "".join(f"{json.dumps([header, body.decode(), secret])}\n" for header, body, secret in asked)
    done = subprocess.run(
        ("node", str(program)), input=lines, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True
    )
    said = [line == "true" for line in done.stdout.splitlines()]
    wrong = [one for (one, verdict), found in zip(asked.items(), said, strict=True) if found is not verdict]
    record_property("asked", len(VECTORS) + FUZZED)
    record_property("wrong", len(wrong))
    assert wrong == []


def test_the_dashboard_shows_the_guides_recipes() -> None:
    assert blocks("python", "def is_genuine") == endpoint.PYTHON
    assert blocks("js", "function isGenuine") == endpoint.NODE


def test_no_copy_is_forgotten() -> None:
    files = [
        path
        for place in PLACES
        for ending in ("py", "js", "mjs", "md", "html")
        for path in (ROOT / place).rglob(f"*.{ending}")
    ]
    signing = re.compile(r"hmac\.new\(|createHmac\(")
    found = {str(path.relative_to(ROOT)) for path in files if signing.search(path.read_text(encoding="utf-8"))}
    assert found - {"sdks/python/src/causeway_sdk/webhooks.py", "sdks/python/src/causeway_sdk/testing.py"} == COPIES
