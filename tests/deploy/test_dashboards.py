"""What `deploy/grafana` shows: metrics that exist, by labels that they have; panels explained, alarms led from."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from core import metrics
from operations.exporter import ServiceCollector
from scripts.suite.steps import ROOT
from tests.deploy.test_alerts import METRIC, given, rules

pytestmark = pytest.mark.django_db

FOLDER = ROOT / "deploy" / "grafana"
ONE_SENTENCE = re.compile(r"[A-Z0-9][^.]*\.")
LABELS = re.compile(r"by \(([a-z, ]+)\)|([a-z]+)(?:=~?|!=)\"")
SCRAPED = {"le", "job", "instance"}
"""Labels that Prometheus and its histograms add."""


def boards() -> dict[str, dict[str, Any]]:
    return {path.name: json.loads(path.read_text()) for path in sorted((FOLDER / "dashboards").glob("*.json"))}


def panels() -> Iterator[dict[str, Any]]:
    for board in boards().values():
        yield from board["panels"]


def expressions() -> dict[str, str]:
    """By the panel's name and the place among its own."""
    return {
        f"{board['title']}: {panel['title']} {target['refId']}": target["expr"]
        for board in boards().values()
        for panel in board["panels"]
        for target in panel["targets"]
    }


def test_every_expression_goes_by_metrics_that_exist_and_by_their_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.exporter.connections.close_all", lambda: None)
    known = given()
    asked = {name for text in expressions().values() for name in METRIC.findall(text)}
    assert asked - known == set()
    assert len(asked) >= 15  # noqa: PLR2004 - planted: a pattern that finds nothing
    labels = {label for metric in metrics.ALL for label in metric.labels} | SCRAPED
    labels |= {label for family in ServiceCollector().collect() for label in getattr(family, "_labelnames", ())}
    by = {label for text in expressions().values() for found in LABELS.findall(text) for label in found}
    named = {one.strip() for text in by for one in text.split(",") if one}
    assert named - labels == set()
    assert len(named) >= 10  # noqa: PLR2004 - as above


def test_every_counted_metric_is_shown_somewhere() -> None:
    shown = " ".join(expressions().values())
    assert [metric.name for metric in metrics.ALL if metric.name not in shown] == []


def test_every_panel_is_explained_in_one_sentence_and_every_alarm_leads_to_its_heading() -> None:
    assert [panel["title"] for panel in panels() if not ONE_SENTENCE.fullmatch(panel["description"])] == []
    links = [link for panel in panels() for link in panel["links"]]
    names = {rule["alert"] for rule in rules()}
    assert {link["title"].partition(":")[0] for link in links} == names
    assert {link["url"] for link in links} == {f"${{docs}}#{name.lower()}" for name in names}


def test_boards_are_whole() -> None:
    found = boards()
    assert sorted(found) == ["chains-and-receivers.json", "money.json", "service.json"]
    assert len({board["uid"] for board in found.values()}) == len(found)
    for board in found.values():
        assert {variable["name"] for variable in board["templating"]["list"]} == {"source", "docs"}
        assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
        for panel in board["panels"]:
            assert {target["datasource"]["uid"] for target in panel["targets"]} == {"${source}"}
            place = panel["gridPos"]
            assert place["x"] + place["w"] <= 24  # noqa: PLR2004 - columns of Grafana's grid
