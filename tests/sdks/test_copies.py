"""Every copy of the webhooks' check that a merchant may take gives the service's verdict on every vector."""

import json
import os
import re
import runpy
from collections.abc import Callable
from typing import Any

import pytest

from checkout.demo.verify import verify as verify_of_the_demo
from sdks.generator import vectors
from tests.architecture.source import ROOT
from webhooks.diagnosis import Evidence, Fault, KnownSecret, diagnose

Copy = Callable[[str, bytes, str], bool]
VECTORS: list[dict[str, Any]] = [
    vector
    for vector in json.loads((vectors.FOLDER / "webhooks.json").read_text(encoding="utf-8"))["vectors"]
    if len(vector["secrets"]) == 1 and not vector["name"].startswith("Standard Webhooks")
]


class Clock:
    """Stands for the module ``time`` in a copy."""

    @staticmethod
    def time() -> float:
        return vectors.NOW


def of_the_guide(header: str, body: bytes, secret: str) -> bool:
    text = (ROOT / "docs" / "guides" / "webhooks.md").read_text(encoding="utf-8")
    code = re.findall(r"```python[^\n]*\n(.*?)```", text, re.DOTALL)
    space: dict[str, Any] = {}
    exec(next(one for one in code if "def is_genuine" in one), space)  # noqa: S102 - the guide's own code
    space["time"] = Clock
    return bool(space["is_genuine"](header, body, secret))


def of_the_shop(header: str, body: bytes, secret: str) -> bool:
    names = {"CAUSEWAY_SECRET_KEY": "x", "CAUSEWAY_API_KEY": "x", "CAUSEWAY_PUBLISHABLE_KEY": "x"}
    before = dict(os.environ)
    os.environ.update(names)
    try:
        shop = runpy.run_path(str(ROOT / "examples" / "django-view" / "shop.py"))
    finally:
        os.environ.clear()
        os.environ.update(before)
    judge = shop["_is_genuine"]
    judge.__globals__.update(WEBHOOK_SECRET=secret, time=Clock)
    return bool(judge(body, header))


def of_the_demo(header: str, body: bytes, secret: str) -> bool:
    return all(step.passed for step in verify_of_the_demo(body, header, secret, vectors.NOW))


def of_the_dashboard(header: str, body: bytes, secret: str) -> bool:
    known = [KnownSecret(secret=secret, owner="")]
    evidence = Evidence(header=header, body=body, secrets=known, now_seconds=vectors.NOW)
    return diagnose(evidence).fault is Fault.RIGHT


@pytest.mark.parametrize("copy", [of_the_guide, of_the_shop, of_the_demo, of_the_dashboard])
def test_a_copy_has_the_services_verdict(copy: Copy) -> None:
    assert len(VECTORS) >= 60
    wrong = [
        vector["name"]
        for vector in VECTORS
        if copy(vector["headers"].get("Svc-Signature", ""), vector["body"].encode(), vector["secrets"][0])
        is not (vector["refusal"] is None)
    ]
    assert wrong == []
