"""Every line of the command line's guide is a command, and those that end by themselves do so well."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings

from config.description.requests import SCENARIO
from tests.conftest import ApiClient
from tests.payments.world import World, create
from tests.sdks.door import Terminal, let_workers_work_meanwhile

GUIDE = Path(settings.BASE_DIR, "docs/guides/cli.md").read_text(encoding="utf-8")
LINES = [one for block in re.findall(r"```sh skip\n(.*?)```", GUIDE, re.S) for one in block.splitlines()]
COMMANDS = [one.removeprefix("causeway ") for one in LINES if one.startswith("causeway ")]


@pytest.mark.django_db
@pytest.mark.parametrize("line", COMMANDS)
def test_a_line_of_the_guide_runs(
    line: str, world: World, api: ApiClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_workers_work_meanwhile(world, monkeypatch)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "lapsed.json").write_text(json.dumps(SCENARIO))
    monkeypatch.chdir(tmp_path)
    line = line.partition(" > ")[0].replace("018f6b0e-…", create(api)["id"])
    monkeypatch.setattr("causeway_sdk.cli.desk.folder", lambda: tmp_path / "causeway")
    ended = Terminal(api.key).run(line)
    assert ended.exit_code == 0, ended.stderr


def test_the_guide_has_lines() -> None:
    assert len(COMMANDS) >= 12
