"""The entry of the production form refuses half of the service in one sentence, and starts the whole of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.test_environment import LONG, PRODUCTION, ROOT
from tests.machine import PATIENCE_SECONDS

MISCONFIGURED = 78
PROGRAMS = ("web", "worker money", "worker reader", "beat", "metrics", "migrate", "create_merchant")
WHOLE = {**PRODUCTION, "ENCRYPTION_KEYS": f"{LONG} for what is stored", "BEHIND_PROXY": "true"}
NAMED = "#!/bin/sh\necho started: $(basename $0) $1\n"
OWN_SETTINGS = "from config.settings import *\nSTATIC_ROOT = {folder!r}\n"
"""Why: whether anybody collected static files into this tree is no business of a test's."""


def entry(folder: Path, program: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the entry, with programs in the place of the service's that say that they were started.

    Raises: subprocess.TimeoutExpired, where one that serves was started after all.
    """
    for name in ("granian", "celery"):
        (folder / name).write_text(NAMED)
        (folder / name).chmod(0o755)
    (folder / "own_settings.py").write_text(OWN_SETTINGS.format(folder=str(folder / "static")))
    own = {
        "PATH": f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(folder),
        "LOCAL_DIR": str(folder / "local"), "DJANGO_SETTINGS_MODULE": "own_settings",
    }  # fmt: skip
    command = ["sh", "scripts/container.sh", *program.split()]
    return subprocess.run(
        command, cwd=ROOT, env=own | environment, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
    )


def collected(folder: Path) -> None:
    (folder / "static").mkdir()
    (folder / "static" / "staticfiles.json").write_text("{}")


REFUSED = [
    ("DATABASE_URL", "", "DATABASE_URL is not set, and this is the entry of the production form."),
    ("REDIS_URL", "", "DATABASE_URL is set but REDIS_URL is not"),
    ("BASE_URL", "", "BASE_URL is not set: payers and merchants would be sent to this machine itself."),
    ("BASE_URL", "http://pay.example.com", "BASE_URL must start with https://, except for localhost."),
    ("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend", "EMAIL_BACKEND prints mail"),
    ("SECRET_KEY", "", "SECRET_KEY (or SECRET_KEY_FILE) must be set"),
    ("ENCRYPTION_KEYS", "", "ENCRYPTION_KEYS is not set: SECRET_KEY would seal what is stored, too"),
    ("BEHIND_PROXY", "false", "BASE_URL is https and BEHIND_PROXY is not true"),
]


@pytest.mark.parametrize(("name", "value", "sentence"), REFUSED, ids=[f"{name}={value}" for name, value, _ in REFUSED])
def test_a_web_that_lacks_something_is_not_started(tmp_path: Path, name: str, value: str, sentence: str) -> None:
    collected(tmp_path)
    done = entry(tmp_path, "web", WHOLE | {name: value})
    assert (done.returncode, done.stdout) == (MISCONFIGURED, "")
    assert done.stderr.startswith(f"Causeway cannot start: {sentence}")
    assert len(done.stderr.splitlines()) == 1


def test_a_web_without_static_files_is_not_started(tmp_path: Path) -> None:
    done = entry(tmp_path, "web", WHOLE)
    assert (done.returncode, done.stdout) == (MISCONFIGURED, "")
    assert done.stderr.startswith("Causeway cannot start: Static files are not collected")


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_program_begins_the_embedded_default(tmp_path: Path, program: str) -> None:
    """Not by leaving a file of it behind either."""
    done = entry(tmp_path, program, {})
    assert (done.returncode, done.stdout) == (MISCONFIGURED, "")
    assert done.stderr.startswith("Causeway cannot start: DATABASE_URL is not set")
    assert not (tmp_path / "local").exists()


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_program_seals_by_the_key_of_sessions(tmp_path: Path, program: str) -> None:
    done = entry(tmp_path, program, WHOLE | {"ENCRYPTION_KEYS": ""})
    assert (done.returncode, done.stdout) == (MISCONFIGURED, "")


def test_what_is_whole_is_started(tmp_path: Path) -> None:
    """Web with its static files; a worker needs neither them nor a proxy. On localhost people try things out."""
    collected(tmp_path)
    assert entry(tmp_path, "web", WHOLE).stdout == "started: granian --interface\n"
    (tmp_path / "static" / "staticfiles.json").unlink()
    alone = {name: value for name, value in WHOLE.items() if name != "BEHIND_PROXY"}
    assert entry(tmp_path, "worker money", alone).stdout == "started: celery --quiet\n"
    here = PRODUCTION | {"BASE_URL": "http://localhost:8000", "ALLOWED_HOSTS": "localhost"}
    assert entry(tmp_path, "web", here).stdout == "started: granian --interface\n"


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    collected(tmp_path)
    (tmp_path / "keys").write_text(WHOLE["ENCRYPTION_KEYS"])
    by_file = {name: value for name, value in WHOLE.items() if name != "ENCRYPTION_KEYS"}
    done = entry(tmp_path, "web", by_file | {"ENCRYPTION_KEYS_FILE": str(tmp_path / "keys")})
    assert (done.returncode, done.stdout) == (0, "started: granian --interface\n")
