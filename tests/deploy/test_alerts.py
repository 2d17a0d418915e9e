"""What `deploy/prometheus` raises alarms by: metrics that exist, and a heading for each alarm that says what to do."""

import re
from typing import Any

import pytest
import yaml

from core import metrics
from core.metrics import Histogram
from operations.exporter import ServiceCollector
from scripts.day.prometheus import FOLDER
from scripts.suite.steps import ROOT

pytestmark = pytest.mark.django_db

METRIC = re.compile(r"causeway_[a-z_]+")
HEADING = re.compile(r"^### (\w+)$", re.MULTILINE)
OF_A_HISTOGRAM = ("_bucket", "_count", "_sum")


def rules() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
    return found


def given() -> set[str]:
    """The names of all samples that a scrape may find. Why some are named here: a row is needed to see them."""
    counted = {
        f"{metric.name}{ending}"
        for metric in metrics.ALL
        for ending in (OF_A_HISTOGRAM if isinstance(metric, Histogram) else ("",))
    }
    return (
        counted
        | {family.name for family in ServiceCollector().collect()}
        | {"causeway_invariants_broken"}
        | {"causeway_invariants_age_seconds"}
    )


def test_every_alarm_goes_by_metrics_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.exporter.connections.close_all", lambda: None)
    known = given()
    asked = {name for rule in rules() for name in METRIC.findall(rule["expr"])}
    assert asked - known == set()
    assert len(asked) >= 8  # noqa: PLR2004 - planted: a pattern that finds nothing


def test_every_alarm_has_its_heading_and_every_heading_its_alarm() -> None:
    page = (ROOT / "docs" / "operators.md").read_text()
    section = page.partition("\n## What to page on\n")[2].partition("\n## ")[0]
    names = [rule["alert"] for rule in rules()]
    assert HEADING.findall(section) == names
    assert [rule["annotations"]["runbook"] for rule in rules()] == [
        f"docs/operators.md#{name.lower()}" for name in names
    ]
    pages = {name for name in names if f"### {name}\n\nPage." in section}
    assert pages == {rule["alert"] for rule in rules() if rule["labels"]["severity"] == "page"}
    assert len(names) >= 10  # noqa: PLR2004 - as many things can go wrong


def test_every_metric_stands_in_the_operators_table() -> None:
    page = (ROOT / "docs" / "operators.md").read_text()
    section = page.partition("\n## What is measured\n")[2].partition("\n## ")[0]
    told = {f"causeway_{name}" for name in re.findall(r"`([a-z_]+)`", section)}
    missing = {metric.name for metric in metrics.ALL} - told
    assert missing == set()
