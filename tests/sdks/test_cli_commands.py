"""The command's generated part: every method of the SDK, what is written where, and with what it ends."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from causeway_sdk.cli.desk import table
from causeway_sdk.cli.resources import methods, services

from sdks.generator.read import read_api
from tests.conftest import ApiClient
from tests.machine import PATIENCE_SECONDS
from tests.sdks.door import Terminal

pytestmark = pytest.mark.django_db
AMOUNT = "payment-intents create --amount 19.99 --reference 1001 --metadata size=L --metadata color=red"


@pytest.fixture
def terminal(api: ApiClient) -> Terminal:
    return Terminal(api.key)


def test_every_operation_of_the_sdk_is_a_command() -> None:
    commands = {f"{service}.{name}" for service in services() for name in methods(service)}
    wanted = {f"{one.name}.{method.name}".replace("_", "-") for one in read_api().services for method in one.methods}
    assert wanted - commands == set()
    assert commands - wanted == {f"{one}.wait" for one in ("payment-intents", "refunds", "payouts")}


def test_every_command_has_help_and_describes_its_options(terminal: Terminal) -> None:
    for service in services():
        for name in methods(service):
            ended = terminal.run(f"{service} {name} --help")
            assert ended.exit_code == 0
            assert "Refusals" not in ended.stdout
            assert "``" not in ended.stdout, (service, name)


def test_what_is_made_is_one_line_of_json_and_found_again(terminal: Terminal) -> None:
    made = terminal.rows(AMOUNT)
    assert [(one["amount"], one["reference"], one["metadata"]) for one in made] == [
        ("19.99", "1001", {"size": "L", "color": "red"})
    ]
    assert terminal.rows(f"payment-intents get {made[0]['id']}")[0]["id"] == made[0]["id"]


def test_a_list_is_read_to_its_end_and_with_a_limit_one_page(terminal: Terminal) -> None:
    ids = [terminal.rows(AMOUNT)[0]["id"] for _ in range(22)]
    assert [one["id"] for one in terminal.rows("payment-intents list --reference 1001")] == ids[::-1]
    assert [one["id"] for one in terminal.rows("payment-intents list --limit 2")] == ids[:-3:-1]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("payment-intents get nothing", 1, "not_found: "),
        ("payment-intents create --amount 0", 1, "invalid_request: "),
        ("payment-intents create --amount many", 2, "amount is not a decimal number"),
        ("payment-intents create --amount 1 --metadata x", 2, "'x' is not KEY=VALUE"),
        ("payment-intents create", 2, "Missing option '--amount'"),
        ("payment-intents fly", 2, "No such command 'fly'"),
    ],
)
def test_what_goes_wrong_is_said_on_stderr_and_by_the_exit_code(
    terminal: Terminal, line: str, code: int, words: str
) -> None:
    ended = terminal.run(line)
    assert (ended.exit_code, ended.stdout) == (code, "")
    assert words in ended.stderr


def test_a_key_that_is_not_known_or_not_there_is_four(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where no service has written a key
    terminal.key = "sk_test_of_nobody"
    assert (terminal.run("account get").exit_code, terminal.run("account get").stdout) == (4, "")
    terminal.key = ""
    ended = terminal.run("account get")
    assert (ended.exit_code, ended.stdout) == (4, "")
    assert ended.stderr.startswith("No key.")


def test_where_make_run_wrote_a_key_that_one_is_taken(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".local").mkdir()
    written = {"test_secret_key": terminal.key, "base_url": "http://testserver"}
    (tmp_path / ".local" / "demo.json").write_text(json.dumps(written), encoding="utf-8")
    terminal.key = ""
    assert [row["mode"] for row in terminal.rows("account get")] == ["test"]


def test_no_answer_is_three_and_names_the_key_to_ask_again_with(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(method: str, path: str) -> None:
        raise ConnectionError("lost")

    monkeypatch.setattr("causeway_sdk._http.pause", lambda seconds: None)
    terminal.door.before = lost
    ended = terminal.run(f"{AMOUNT} --idempotency-key order-1001")
    assert ended.exit_code == 3
    assert ended.stderr.endswith("Ask again with --idempotency-key order-1001\n")


def test_a_dry_run_shows_the_request_without_the_key_and_sends_nothing(terminal: Terminal) -> None:
    ended = terminal.run(f"--dry-run {AMOUNT} --idempotency-key order-1001")
    assert ended.stdout == (
        "curl -X POST http://localhost:8000/api/public/v1/payment-intents"
        " -H \"Authorization: Bearer $CAUSEWAY_API_KEY\" -H 'Accept: application/json'"
        " -H 'Content-Type: application/json' -H 'Idempotency-Key: order-1001'"
        ' -d \'{"amount":19.99,"metadata":{"size":"L","color":"red"},"reference":"1001"}\'\n'
    )
    assert ended.exit_code == 0
    assert terminal.rows("payment-intents list") == []


@pytest.mark.filterwarnings("ignore::causeway_sdk.LiveKeyWarning")
def test_a_live_key_changes_nothing_before_somebody_said_so(
    live_api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(live_api.key)
    line = "webhook-endpoints create --kind pull --events ping"
    ended = terminal.run(line)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "with a live key: this is real. Go on? Add --yes" in ended.stderr
    assert terminal.rows("webhook-endpoints list") == []
    assert [one["kind"] for one in terminal.rows(f"--yes {line}")] == ["pull"]


def test_a_table_holds_what_says_most_and_no_control_character() -> None:
    rows: list[dict[str, Any]] = [
        {"object": "x", "id": "a", "status": "settled\x1b[2J", "metadata": {}},
        {"id": "bb", "status": "new"},
    ]
    assert table(rows) == ["id  status       object", "a   settled�[2J  x", "bb  new"]
    assert table([]) == ["(none)"]


def test_help_does_not_load_http() -> None:
    """What ``--help`` costs is what it loads."""
    program = (
        "import sys; sys.argv = ['causeway', '--help']\n"
        "from causeway_sdk.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in sys.modules if 'httpx' in name])"
    )
    source = str(Path("sdks/python/src").resolve())
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={"PYTHONPATH": source}, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_what_a_dry_run_shows_is_a_command_that_does_it(terminal: Terminal) -> None:
    """As a shell would read it."""
    shown = terminal.run(f"--dry-run {AMOUNT} --idempotency-key order-1001").stdout
    words = shlex.split(shown.replace("$CAUSEWAY_API_KEY", terminal.key))
    assert words[:3] == ["curl", "-X", "POST"]
    given = [(words[place], words[place + 1]) for place in range(4, len(words), 2)]
    headers = dict(value.split(": ", 1) for name, value in given if name == "-H")
    [body] = [value for name, value in given if name == "-d"]
    answer = terminal.door.request("POST", words[3], content=body.encode(), headers=headers, timeout=PATIENCE_SECONDS)
    assert answer.status_code == 201
    assert [one["reference"] for one in terminal.rows("payment-intents list")] == ["1001"]
