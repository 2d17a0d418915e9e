"""Prometheus' own tester says when an alarm fires that goes by more than one figure."""

import subprocess
from pathlib import Path

import pytest
import yaml

from scripts.day.prometheus import FOLDER

pytestmark = pytest.mark.exhaustive  # it needs Prometheus' own program

LATE = "CausewayQueueLate"
FIRING = f'count(ALERTS{{alertname="{LATE}", alertstate="firing"}}) or vector(0)'


@pytest.mark.parametrize(
    ("checks", "count"),
    [
        ({"database": "1x12", "queue.intents": "1x12", "queue.mail": "1x12"}, 0),
        ({"database": "1x12", "queue.intents": "0x12", "queue.mail": "1x12"}, 1),
        ({"database": "1x12", "queue.intents": "0x12", "queue.mail": "0x12"}, 2),
        ({"database": "1x12", "queue.deliveries": "0x12"}, 1),
        ({"database": "0x12", "queue.intents": "0x12"}, 0),  # another alarm says so
        ({"database": "1x12", "queue.intents": "1 1 1 1 1 0 0"}, 0),  # for a moment
    ],
)
def test_a_queue_that_is_late_or_cannot_be_read_calls_somebody(
    tmp_path: Path, checks: dict[str, str], count: int
) -> None:
    """Cannot be read: somebody holds a lock of its table."""
    series = [{"series": f'causeway_check_ok{{check="{name}"}}', "values": said} for name, said in checks.items()]
    expected = {"expr": FIRING, "eval_time": "1m", "exp_samples": [{"labels": "{}", "value": count}]}
    case = {"interval": "10s", "input_series": series, "promql_expr_test": [expected]}
    asked = {"rule_files": [str(FOLDER / "alerts.yml")], "evaluation_interval": "10s", "tests": [case]}
    path = tmp_path / "tests.yml"
    path.write_text(yaml.safe_dump(asked))
    done = subprocess.run(["promtool", "test", "rules", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
