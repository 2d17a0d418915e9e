"""Tools that are not ours take the description as it is: three linters find nothing, two generators' clients compile.

Installed by ``make sdk-checks``. What is generated is compiled and not kept.
"""

import json
from pathlib import Path

import pytest
import yaml
from openapi_spec_validator import validate

from scripts.suite.steps import ROOT
from tests.sdks.npm import run, tool

pytestmark = pytest.mark.exhaustive

DESCRIPTION = ROOT / "docs" / "openapi.yaml"
PYTHON = ROOT / ".local" / "sdks-venv" / "bin"
FOREIGN = ROOT / ".local" / "sdks-foreign" / "node_modules"
STRICT = (
    *("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"),
    *("--module", "esnext", "--moduleResolution", "bundler", "--types", ""),
)


def linted_by_redocly(description: Path) -> dict[str, int]:
    """How many errors and warnings its recommended rules find."""
    asked = ("lint", "--extends=recommended", "--format=json", str(description))
    found: dict[str, int] = json.loads(run(tool("redocly"), *asked, REDOCLY_TELEMETRY="off"))["totals"]
    return {name: found[name] for name in ("errors", "warnings")}


def test_the_description_is_valid() -> None:
    validate(yaml.load(DESCRIPTION.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def test_redocly_finds_nothing() -> None:
    assert linted_by_redocly(DESCRIPTION) == {"errors": 0, "warnings": 0}


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text('extends: ["spectral:oas"]\n', encoding="utf-8")
    found = tmp_path / "found.json"
    asked = ("lint", "--ruleset", str(rules), "--fail-severity=hint", "--format=json", f"--output={found}")
    run(tool("spectral"), *asked, str(DESCRIPTION))
    assert json.loads(found.read_text(encoding="utf-8")) == []


def test_a_linter_that_finds_nothing_would_find_something(tmp_path: Path) -> None:
    described = yaml.load(DESCRIPTION.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    del described["paths"]["/api/public/v1/tokens"]["get"]["operationId"]
    planted = tmp_path / "planted.yaml"
    planted.write_text(yaml.dump(described, Dumper=yaml.CSafeDumper), encoding="utf-8")
    assert linted_by_redocly(planted) == {"errors": 0, "warnings": 1}


def test_a_client_of_openapi_python_client_is_typed_strictly(tmp_path: Path) -> None:
    generated = tmp_path / "client"
    run(str(PYTHON / "openapi-python-client"), "generate", "--path", str(DESCRIPTION), "--output-path", str(generated))
    [package] = [one.parent for one in generated.glob("*/client.py")]
    told = run(str(PYTHON / "mypy"), "--strict", "--config-file=", package.name, folder=generated)
    assert "no issues found" in told


def test_a_client_of_hey_api_compiles_strictly(tmp_path: Path) -> None:
    generated = tmp_path / "client"
    assert (FOREIGN / ".bin" / "openapi-ts").exists(), "openapi-ts is not installed: run make sdk-checks"
    run(str(FOREIGN / ".bin" / "openapi-ts"), "-i", str(DESCRIPTION), "-o", str(generated), folder=tmp_path)
    assert run(tool("tsc"), *STRICT, str(generated / "index.ts")) == ""
