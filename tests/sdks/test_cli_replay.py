"""``causeway scenario`` and ``causeway replay``: a payment becomes a file, and a folder of files a suite."""

import json
from pathlib import Path

import pytest

from tests.conftest import ApiClient
from tests.payments.world import World, create, pay
from tests.sdks.door import Terminal
from tests.theatre.files import LAPSED
from theatre.services import sweep_due

pytestmark = pytest.mark.django_db


@pytest.fixture
def terminal(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """While the command rests, a worker plays what waits."""
    monkeypatch.setattr("causeway_sdk._http.pause", lambda seconds: sweep_due())
    return Terminal(api.key)


def test_a_folder_of_files_is_a_suite(world: World, api: ApiClient, terminal: Terminal, tmp_path: Path) -> None:
    intent = create(api)
    pay(api, intent, "partial")
    world.run(10)
    written = terminal.run(f"scenario {intent['id']}")
    assert written.exit_code == 0
    (tmp_path / "partial.json").write_text(written.stdout)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "lapsed.json").write_text(json.dumps(LAPSED))
    rows = terminal.rows(f"replay {tmp_path}")
    assert [(Path(row["file"]).name, row["verdict"], row["differs"]) for row in rows] == [
        ("lapsed.json", "same", ""),
        ("partial.json", "same", ""),
    ]


def test_another_end_is_named_and_is_the_exit_code(terminal: Terminal, tmp_path: Path) -> None:
    end = LAPSED["end"] | {"status": "cancelled"}
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(LAPSED | {"end": end}))
    ended = terminal.run(f"replay {file}")
    row = json.loads(ended.stdout)
    assert (ended.exit_code, row["verdict"], row["differs"]) == (1, "differs", "status: expired instead of cancelled")
    assert "1 of 1 came to another end." in ended.stderr


def test_what_is_no_file_is_refused(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.run(f"replay {tmp_path}").exit_code == 2
    file = tmp_path / "text.json"
    file.write_text("text")
    assert terminal.run(f"replay {file}").exit_code == 2
    file.write_text("{}")
    refused = terminal.run(f"replay {file}")
    assert (refused.exit_code, "invalid_request" in refused.stderr) == (1, True)


def test_a_replay_that_nobody_plays_is_given_up(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    passed = iter(range(0, 10_000, 10))
    monkeypatch.setattr("causeway_sdk._http.pause", lambda seconds: None)
    monkeypatch.setattr("causeway_sdk._http.now", lambda: float(next(passed)))
    file = tmp_path / "lapsed.json"
    file.write_text(json.dumps(LAPSED))
    ended = Terminal(api.key).run(f"replay {file}")
    assert (ended.exit_code, "nobody played it" in ended.stderr) == (1, True)
