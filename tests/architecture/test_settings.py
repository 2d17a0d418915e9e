"""The settings that speed and safety hang on, read in a process of their own as each form starts them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT

PRODUCTION = {
    "DATABASE_URL": "postgres://causeway:causeway@127.0.0.1:5432/causeway",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "BASE_URL": "https://pay.example.com",
    "ALLOWED_HOSTS": "pay.example.com",
    "SECRET_KEY": "a-secret-that-only-this-test-knows-and-nobody-else",
}
SHOWN = ("DATABASES", "DEBUG", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_HSTS_SECONDS", "DEMO_SHOP")
READS = (
    r"(?:env\.\w+|aggregator_url|basis_points|key_service_\w+|keys_folder|load_or_create_secret|node_urls|number"
    r"|one_of|origins|passphrase|port|secret_list|switch)"
)
SHOW = f"""
import json
from django.conf import settings
print(json.dumps({{name: getattr(settings, name) for name in {SHOWN!r}}}, default=str))
"""


def start(environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Read the settings as a fresh process does, with nothing else configured."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    own = {"DJANGO_SETTINGS_MODULE": "config.settings", "LOCAL_DIR": str(folder), **environment}
    command = [sys.executable, "-c", SHOW]
    return subprocess.run(command, cwd=ROOT, env=kept | own, capture_output=True, text=True, check=False)


def settings_of(environment: dict[str, str], folder: Path) -> dict[str, Any]:
    """The settings that a form starts with."""
    started = start(environment, folder)
    assert started.returncode == 0, started.stderr
    read: dict[str, Any] = json.loads(started.stdout)
    return read


def test_production_keeps_its_connections_and_is_closed(tmp_path: Path) -> None:
    """Django's default of closing after each request costs five sixths of the throughput."""
    settings = settings_of(PRODUCTION, tmp_path)
    database = settings["DATABASES"]["default"]
    assert (database["ENGINE"], database["CONN_MAX_AGE"], database["CONN_HEALTH_CHECKS"]) == (
        "core.postgresql",
        None,
        True,
    )
    assert (database["OPTIONS"]["server_side_binding"], database["OPTIONS"]["prepare_threshold"]) == (True, 5)
    assert (settings["DEBUG"], settings["DEMO_SHOP"]) == (False, False)
    assert (settings["SESSION_COOKIE_SECURE"], settings["CSRF_COOKIE_SECURE"]) == (True, True)
    assert settings["SECURE_HSTS_SECONDS"] == 31_536_000


def test_the_embedded_default_loses_no_write(tmp_path: Path) -> None:
    """Measured with eight writers: without IMMEDIATE, most updates end in "database is locked"."""
    database = settings_of({}, tmp_path)["DATABASES"]["default"]
    assert database["ENGINE"] == "django.db.backends.sqlite3"
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert database["OPTIONS"]["timeout"] == 20
    assert "journal_mode=WAL" in database["OPTIONS"]["init_command"]


NONSENSE = (
    ("REDIS_URL", ""), ("DATABASE_URL", "mysql://db/causeway"), ("BASE_URL", "pay.example.com"), ("ALLOWED_HOSTS", ""),
    ("SECRET_KEY", ""), ("SECRET_KEY", "short"), ("RATE_LIMIT_SCALE", "fast"), ("RATE_LIMIT_SCALE", "0"),
    ("PORT", "80a"), ("DEMO_SHOP", "ture"), ("NETWORK_PROFILE", "moon"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "value"), NONSENSE)
def test_nonsense_is_refused_in_one_sentence(name: str, value: str, tmp_path: Path) -> None:
    started = start(PRODUCTION | {name: value}, tmp_path)
    assert started.returncode != 0
    assert "ImproperlyConfigured" in started.stderr.splitlines()[-1]
    assert name in started.stderr.splitlines()[-1]


def names_read(text: str) -> set[str]:
    """The environment variables that a settings module reads."""
    return set(re.findall(READS + r"\(\s*\"([A-Z][A-Z0-9_]+)\"", text))


def names_shown(text: str) -> set[str]:
    """The environment variables that the example names, commented out or not."""
    return set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", text, re.MULTILINE))


def test_the_example_environment_names_every_setting() -> None:
    settings = (ROOT / "config" / "settings.py").read_text(encoding="utf-8")
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert len(names_read(settings)) >= 10
    assert names_read(settings) - names_shown(example) == set()
    planted = names_read('FEE: int = env.int("PLANTED_FEE", default=0)')
    assert planted - names_shown("#PORT=8000\n") == {"PLANTED_FEE"}
