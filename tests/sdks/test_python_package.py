"""The Python package's pages run as they are written, and the two wheels hold what each should."""

import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from causeway_sdk import _http
from causeway_sdk.testing import FakeService

from scripts.suite.steps import ROOT
from sdks.generator.python import PACKAGE, SKILL

INTENT = {"id": "a", "status": "created", "checkout_url": "http://localhost:8000/c/a", "amount_received": "0.00"}
SETTLED = {**INTENT, "status": "settled", "amount_received": "19.99"}


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_the_skill_begins_as_a_skill_does_and_leads_to_a_module_that_is_there() -> None:
    text = (PACKAGE / SKILL).read_text(encoding="utf-8")
    assert text.startswith("---\nname: causeway-python\ndescription: ")
    assert "`test_helpers` pays for you" in text
    assert (PACKAGE / re.findall(r"`(\w+\.py)`", text)[0]).is_file()


def test_the_skills_programs_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    service = FakeService()
    for answer in (INTENT, INTENT, SETTLED):
        service.answer(answer)
    monkeypatch.setattr(_http, "own_client", lambda: service)
    monkeypatch.setenv("CAUSEWAY_API_KEY", "sk_test_x")
    program, receiver = blocks(PACKAGE / SKILL)
    exec(program, {})  # noqa: S102 - the page's own
    assert capsys.readouterr().out == "settled 19.99\n"
    assert [(call.method, call.path.rsplit("/v1/")[1].partition("?")[0]) for call in service.calls] == [
        ("POST", "payment-intents"),
        ("POST", "test-helpers/payment-intents/a/pay"),
        ("GET", "payment-intents/a"),
    ]
    assert service.calls[0].headers["Idempotency-Key"] == "order-42"
    space: dict[str, object] = {}
    exec(receiver, space)  # noqa: S102 - as above
    assert str(space["urlpatterns"]) == "[<URLPattern 'webhook'>]"


@pytest.mark.exhaustive
def test_the_sdks_wheel_and_the_commands_share_no_file(tmp_path: Path) -> None:
    held = {}
    for name in ("python", "python-cli"):
        target = tmp_path / name
        python = ROOT / ".local" / "sdks-venv" / "bin" / "python"
        command = [str(python), "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target)]
        subprocess.run([*command, str(ROOT / "sdks" / name)], check=True, capture_output=True)
        [wheel] = target.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            held[name] = {one for one in archive.namelist() if "dist-info" not in one and "__pycache__" not in one}
            meta = {one.rsplit("/")[-1]: archive.read(one).decode() for one in archive.namelist() if "METADATA" in one}
        assert ("Requires-Dist: causeway-cli==1.2.0" if name == "python" else "causeway-sdk==1.2.0") in meta["METADATA"]
    assert held["python"] & held["python-cli"] == set()
    assert {"causeway_sdk/SKILL.md", "causeway_sdk/py.typed", "causeway_sdk/_generated.py"} <= held["python"]
    assert [name for name in held["python"] if "/cli" in name] == []
    assert {name for name in held["python-cli"] if "/cli/" not in name} == {
        "causeway_sdk/nodes.py",
        "causeway_sdk/records.py",
    }
    assert "causeway_sdk/cli/app.py" in held["python-cli"]
