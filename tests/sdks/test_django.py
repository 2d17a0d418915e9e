"""causeway-django: its own tests, in the environment of ``make sdk-checks``, whose Django is not ours."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts.suite.steps import ROOT
from tests.guides.samples import blocks_of
from tests.sdks.npm import run

pytestmark = pytest.mark.exhaustive

PYTHON = ROOT / ".local" / "sdks-venv" / "bin" / "python"
PACKAGE = ROOT / "sdks" / "django"
CHECKS = ROOT / "tests" / "sdks" / "django"
PATH = os.pathsep.join(str(ROOT / "sdks" / name / "src") for name in ("python", "django"))


def test_events_payments_and_the_provider() -> None:
    """In one process, with its own pytest: each check must have run."""
    printed = run(str(PYTHON), "-m", "pytest", "-q", folder=CHECKS, DJANGO_SETTINGS_MODULE="project", PYTHONPATH=PATH)
    [summary] = [line for line in printed.splitlines() if " passed" in line]
    assert int(summary.split()[0]) >= 100, printed
    assert "skipped" not in summary


def test_a_check_that_fails_is_noticed(tmp_path: Path) -> None:
    planted = tmp_path / "check_planted.py"
    planted.write_text("def test_planted():\n    assert 1 == 2\n", encoding="utf-8")
    command = (str(PYTHON), "-m", "pytest", "-q", "-c", str(CHECKS / "pytest.ini"), str(planted))
    with pytest.raises(AssertionError, match="1 failed"):
        run(*command, folder=CHECKS, DJANGO_SETTINGS_MODULE="project")


def test_the_wheel_holds_the_app_its_migrations_and_nothing_else(tmp_path: Path) -> None:
    build = (str(PYTHON), "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(PACKAGE))
    run(*build, folder=tmp_path)
    [wheel] = tmp_path.glob("causeway_django-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    written = subprocess.run(
        ("git", "ls-files", "-co", "--exclude-standard", "src"), cwd=PACKAGE, capture_output=True, text=True, check=True
    )
    assert held == {line.removeprefix("src/") for line in written.stdout.split()}
    assert "causeway_django/migrations/0001_initial.py" in held


SETTINGS = """
SECRET_KEY = "x"
INSTALLED_APPS = ["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "causeway_django"]
"""
STRICT = """
[mypy]
strict = True
plugins = mypy_django_plugin.main
exclude = migrations
[mypy.plugins.django-stubs]
django_settings_module = shop_settings
[mypy-payments.*]
follow_imports = skip
ignore_missing_imports = True
[mypy-causeway_django.provider]
disallow_subclassing_any = False
"""
"""Why payments is left out: django-payments carries few types, and a folder of ours has its name."""


def test_the_package_is_typed_strictly(tmp_path: Path) -> None:
    (tmp_path / "shop_settings.py").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(STRICT, encoding="utf-8")
    place = os.pathsep.join((str(tmp_path), PATH))
    command = (sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "-p", "causeway_django")
    printed = run(*command, folder=tmp_path, PYTHONPATH=place, MYPYPATH=place)
    assert "no issues found" in printed


def test_the_guides_python_stands_in_the_package_and_its_shops() -> None:
    """The guide's samples in Python need a Django project around them: what runs is the same lines in the shops."""
    guide = (ROOT / "docs" / "guides" / "django.md").read_text(encoding="utf-8")
    samples = [block.text for block in blocks_of(guide) if block.language == "python"]
    written = {line.strip() for path in PACKAGE.rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines()}
    assert len(samples) >= 4
    assert [line for text in samples for line in text.splitlines() if line.strip() not in written] == []
