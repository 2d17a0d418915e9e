"""A real Prometheus with the rules of deploy/prometheus, and what it says."""

import json
import re
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from scripts.cluster.programs import ROOT

FOLDER = ROOT / "deploy" / "prometheus"
ASK_SECONDS = 5


def configured(folder: Path, port: int, target: int, *, is_patient: bool = True) -> Sequence[str]:
    """Write its configuration into a folder; its command. Without patience it asks at once and waits for nothing."""
    rules = (FOLDER / "alerts.yml").read_text()
    own = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    own["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{target}"]
    if not is_patient:
        rules = re.sub(r"for: \d+[smh]", "for: 0s", re.sub(r"\[\d+m\]", "[20s]", rules))
        own["global"] = {"scrape_interval": "2s", "scrape_timeout": "2s", "evaluation_interval": "1s"}
    (folder / "alerts.yml").write_text(rules)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(own))
    return (
        *("prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"),
        f"--web.listen-address=127.0.0.1:{port}",
    )


def asked(url: str) -> Any:
    """What it answers; nothing where it does not."""
    try:
        with urllib.request.urlopen(url, timeout=ASK_SECONDS) as answer:  # noqa: S310 - our own Prometheus
            return json.load(answer)["data"]
    except OSError:
        return {}


def alerts(url: str, *states: str) -> set[str]:
    """The names of all alerts that are in one of these states: ``pending``, ``firing``."""
    found = asked(f"{url}/api/v1/alerts").get("alerts", [])
    return {alert["labels"]["alertname"] for alert in found if alert["state"] in states}
