"""The suite itself: a skipped test is a failure, and the plugin that says so is always on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

PLUGIN = "tests.architecture.strictness"
PLANTED = """
from pytest import mark

def test_runs(): pass

@mark.skip(reason="planted skip")
def test_skipped(): pass

@mark.xfail(reason="planted xfail", strict=True)
def test_expected_to_fail(): assert False

@mark.postgres
def test_race(): pass
"""
PLANTED_MODULE = 'import pytest\npytest.importorskip("a_module_that_is_not_there")\n'


def test_the_plugin_is_on(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin(PLUGIN)


def test_what_does_not_run_fails(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    (tmp_path / "test_planted_module.py").write_text(PLANTED_MODULE)
    config = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", PLUGIN, "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", *config, str(tmp_path)]
    on_sqlite = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    ended = subprocess.run(command, cwd=ROOT, env=on_sqlite, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "planted skip" in ended.stdout
    assert "planted xfail" in ended.stdout
    assert "a_module_that_is_not_there" in ended.stdout
    assert "skipped" not in ended.stdout.splitlines()[-1]
    assert "1 passed" in ended.stdout.splitlines()[-1]
