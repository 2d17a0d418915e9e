"""Writes sdks/python/src/causeway_sdk/_generated.py from the description. ``make sdks`` runs it; a test finds drift."""

import subprocess
import sys
import tempfile
from pathlib import Path

from sdks.generator.ir import Api
from sdks.generator.python_calls import AWAITED, BLOCKING, refusals, service_lines, services_lines
from sdks.generator.python_models import Homes, events_lines, models_lines, words_lines
from sdks.generator.read import ROOT, read_api
from sdks.generator.skills import Words, skill
from sdks.generator.text import docstring

PACKAGE = ROOT / "sdks" / "python" / "src" / "causeway_sdk"
MODULE, SKILL = "_generated.py", "SKILL.md"
_MARK = "# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.\n"


WORDS = Words(
    language="Python",
    install="`pip install causeway-sdk`; `CAUSEWAY_API_KEY`, `CAUSEWAY_BASE_URL`, `CAUSEWAY_WEBHOOK_SECRET` are read.",
    program="""```python
from causeway_sdk import Causeway

client = Causeway()
intent = client.payment_intents.create(amount="19.99", reference="order-42", idempotency_key="order-42")
client.test_helpers.pay_payment_intent(intent.id)
paid = client.payment_intents.wait(intent.id, until="settled", timeout=60)
print(paid.status, paid.amount_received)
```

`AsyncCauseway` has the same methods, awaited. Lists are read by `for`; errors are `APIError`s with `code`, `details`
and `doc_url`.""",
    receiver="""```python
from causeway_sdk.receivers.django import receiver  # or .flask, or .fastapi, which is for Starlette too
from django.urls import path

def fulfil(event):
    if event.type == "payment_intent.settled":
        print(event.data.id, event.data.amount_received)

urlpatterns = [path("webhook", receiver(fulfil))]
```""",
    respell=str,
    methods="They stand with their texts in `_generated.py` beside this file, the types of answers too.",
)


def python_files(api: Api) -> dict[str, str]:
    """The text of every generated file by its path in the package, modules not yet formatted."""
    return {MODULE: f"{_MARK}{_module(api)}\n", SKILL: skill(api, WORDS)}


def _module(api: Api) -> str:
    homes = Homes(api)
    lines = docstring(
        [
            "What is written from the description: words, models, events, and the methods of each service.",
            "A method hands on all its arguments, as ``locals()``.",
        ],
        0,
    )
    lines += [
        "from __future__ import annotations",
        "from collections.abc import Collection, Mapping, Sequence",
        "from datetime import datetime",
        "from decimal import Decimal",
        "from typing import Any, Literal, TypeAlias",
        "from causeway_sdk.cursors import AsyncEventResource, EventResource",
        "from causeway_sdk._resource import AsyncPages, AsyncResource, AsyncSends, Model, Pages, Resource, Sends",
        "from causeway_sdk._core import Amount",
        f'API_VERSION = "{api.version}"',
        "# fmt: off",
        *words_lines(api, refusals(api).paragraphs()),
        "# fmt: on",
    ]
    services = {service.name: service for service in api.services}
    for home in sorted(set(homes.of.values()) - set(services)):
        lines += models_lines(homes, home)
    lines += events_lines(api)
    for name, service in services.items():
        lines += models_lines(homes, name)
        lines += [line for style in (BLOCKING, AWAITED) for line in service_lines(api, service, style)]
    return "\n".join([*lines, *services_lines(api, BLOCKING), *services_lines(api, AWAITED)])


def formatted(files: dict[str, str]) -> dict[str, str]:
    """The same files as the project's formatter writes them, without imports that nothing needs."""
    ruff = [sys.executable, "-m", "ruff"]
    with tempfile.TemporaryDirectory(dir=PACKAGE.parent) as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).write_text(text, encoding="utf-8")
        common = ["--quiet", "--no-cache", "--config", str(ROOT / "pyproject.toml")]
        mend = ["--fix", "--unsafe-fixes", "--exit-zero", "--select", "I,F401,TC"]
        subprocess.run([*ruff, "check", *common, *mend, name], check=True, cwd=ROOT)
        subprocess.run([*ruff, "format", *common, name], check=True, cwd=ROOT)
        return {path: (folder / path).read_text(encoding="utf-8") for path in files}


def committed() -> dict[str, str]:
    """The generated files as they stand."""
    return {path: (PACKAGE / path).read_text(encoding="utf-8") for path in (MODULE, SKILL)}


def wanted(api: Api | None = None) -> dict[str, str]:
    """The generated files as they should stand."""
    return formatted(python_files(api or read_api()))


def write() -> None:
    """Write every file."""
    for path, text in wanted().items():
        (PACKAGE / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
