"""What the environment may say: nonsense is refused at start, in one sentence that names the setting."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LONG = "a secret of more than thirty-two characters"
PRODUCTION = {
    "DATABASE_URL": "postgres://causeway@127.0.0.1:5432/causeway",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "BASE_URL": "https://pay.example.com",
    "ALLOWED_HOSTS": "pay.example.com",
    "SECRET_KEY": LONG,
    "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
}
PRINTED = "django.core.mail.backends.console.EmailBackend"
SHOWN = (
    *(
        "SECRET_KEY",
        "SECRET_KEY_FALLBACKS",
        "ENCRYPTION_KEYS",
        "DATABASES",
        "BASE_URL",
        "PORT",
        "EMBEDDED",
        "DEFAULT_FROM_EMAIL",
        "DEMO_SHOP",
    ),
    *("DEBUG", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_HSTS_SECONDS"),
)
SHOW = f"""
import json
from django.conf import settings
print(json.dumps({{name: getattr(settings, name) for name in {SHOWN!r}}}, default=str))
"""
CHECK = "import runpy, sys; sys.argv = ['manage.py', 'check']; runpy.run_path('manage.py', run_name='__main__')"
EACH = """
import json, os, sys
import config, django.core.management
told = []
given = json.load(sys.stdin)
for environment in given["environments"]:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 2)
        os.environ.clear()
        os.environ.update(environment)
        exec(given["program"])
        os._exit(0)
    os.close(write)
    with open(read) as words:
        told.append(words.read())
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 1, (environment, told[-1])
print(json.dumps(told))
"""
"""A program started in one environment after another. Why forked: importing takes longer than refusing."""


def started_with(environment: dict[str, str], folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {"DJANGO_SETTINGS_MODULE": "config.settings", "LOCAL_DIR": str(folder)} | environment


def run(environment: dict[str, str], folder: Path, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT, env=started_with(environment, folder), input=given, capture_output=True, text=True, check=False,
    )  # fmt: skip


def refusals(environments: list[dict[str, str]], folder: Path, program: str) -> list[str]:
    """What a program says in each of these environments, all of which it refuses."""
    given = {"environments": [started_with(one, folder) for one in environments], "program": program}
    done = run({}, folder, "-c", EACH, given=json.dumps(given))
    assert done.returncode == 0, done.stderr
    said: list[str] = json.loads(done.stdout)
    return said


def settings_of(environment: dict[str, str], folder: Path) -> dict[str, Any]:
    started = run(environment, folder, "-c", SHOW)
    assert started.returncode == 0, started.stderr
    read: dict[str, Any] = json.loads(started.stdout)
    return read


NONSENSE: list[tuple[dict[str, str], str]] = [
    ({"REDIS_URL": ""}, "DATABASE_URL is set but REDIS_URL is not: several processes need Redis"),
    ({"DATABASE_URL": ""}, "REDIS_URL is set but DATABASE_URL is not: set both, or neither."),
    ({"DATABASE_URL": "sqlite:///x"}, "DATABASE_URL must start with postgres:// or postgresql://."),
    ({"DATABASE_URL": "postgres://host:x/name"}, "DATABASE_URL must be like postgres://user:password@host:5432"),
    ({"DATABASE_POOLED": "pgbouncer"}, "DATABASE_POOLED must be true or false, and not 'pgbouncer'."),
    ({"REDIS_URL": "localhost:6379"}, "REDIS_URL must start with redis://, rediss:// or unix://."),
    ({"RPC_URLS_BASE": "node.example.com"}, "RPC_URLS_BASE must list addresses like https://node.example.com/key"),
    ({"RPC_URLS_BASE": "http://node.example.com"}, "RPC_URLS_BASE must list addresses like https://"),
    ({"RPC_URLS_BNB": "https://a.example.com, ftp://b"}, "RPC_URLS_BNB must list addresses like https://"),
    (
        {"RPC_URLS_BASE": "https://node.example.com", "NETWORK_PROFILE": "simulated"},
        "RPC_URLS_BASE is set but NETWORK_PROFILE is simulated: play money and real money never share a database.",
    ),
    ({"BASE_URL": "pay.example.com"}, "BASE_URL must be like https://pay.example.com, without a path."),
    ({"BASE_URL": "https://pay.example.com/shop"}, "BASE_URL must be like https://pay.example.com"),
    ({"BASE_URL": "https://pay.example.com?a=b"}, "BASE_URL must be like https://pay.example.com"),
    ({"BASE_URL": "https://me:secret@pay.example.com"}, "BASE_URL must be like https://pay.example.com"),
    ({"BASE_URL": "https://pay.example.com:99999"}, "BASE_URL must be like https://pay.example.com"),
    ({"BASE_URL": "https://[::1"}, "BASE_URL must be like https://pay.example.com"),
    ({"BASE_URL": "ftp://pay.example.com"}, "BASE_URL must be like https://pay.example.com"),
    ({"BASE_URL": "http://pay.example.com"}, "BASE_URL must start with https://, except for localhost."),
    ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is empty: name the host names this service answers to."),
    ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS must name hosts: with * or .example.com a caller chooses the name"),
    ({"ALLOWED_HOSTS": "pay.example.com,.example.com"}, "ALLOWED_HOSTS must name hosts: with * or .example.com"),
    ({"SECRET_KEY": ""}, "SECRET_KEY (or SECRET_KEY_FILE) must be set when DATABASE_URL is set."),
    ({"SECRET_KEY": "short"}, "SECRET_KEY must have at least 32 characters."),
    ({"SECRET_KEY_FALLBACKS": f"{LONG},short"}, "SECRET_KEY_FALLBACKS must have at least 32 characters."),
    ({"ENCRYPTION_KEYS": f"{LONG},short"}, "ENCRYPTION_KEYS must have at least 32 characters."),
    ({"PORT": "0"}, "PORT must be a port from 1 to 65535, and not '0'."),
    ({"PORT": "http"}, "PORT must be a port from 1 to 65535, and not 'http'."),
    ({"RATE_LIMIT_SCALE": "0"}, "RATE_LIMIT_SCALE must be a number above 0, like 1 or 0.5, and not '0'."),
    ({"RATE_LIMIT_SCALE": "nan"}, "RATE_LIMIT_SCALE must be a number above 0"),
    ({"RATE_LIMIT_SCALE": "-1"}, "RATE_LIMIT_SCALE must be a number above 0"),
    ({"NETWORK_PROFILE": "testnet"}, "NETWORK_PROFILE must be one of simulated, localnet, mainnet"),
    ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL, and not 'LOUD'."),
    ({"DEMO_SHOP": "maybe"}, "DEMO_SHOP must be true or false, and not 'maybe'."),
    ({"BEHIND_PROXY": "nginx"}, "BEHIND_PROXY must be true or false, and not 'nginx'."),
    ({"EMAIL_BACKEND": PRINTED}, "EMAIL_BACKEND prints mail into the worker's log"),
    ({"DEFAULT_FROM_EMAIL": "shop"}, "DEFAULT_FROM_EMAIL must be an e-mail address, and not 'shop'."),
]


@pytest.mark.spec("Rulings B2.2")
def test_nonsense_is_refused_in_one_sentence(tmp_path: Path) -> None:
    said = refusals([PRODUCTION | change for change, _ in NONSENSE], tmp_path, CHECK)
    wrong = [
        (change, told)
        for (change, sentence), told in zip(NONSENSE, said, strict=True)
        if not told.startswith(f"Causeway cannot start: {sentence}") or len(told.strip().splitlines()) != 1
    ]
    assert wrong == []


def test_production_is_closed_and_keeps_its_connections(tmp_path: Path) -> None:
    """Django's default of closing them after each request costs five sixths of the throughput."""
    read = settings_of(PRODUCTION, tmp_path)
    assert (read["EMBEDDED"], read["BASE_URL"], read["ENCRYPTION_KEYS"]) == (False, "https://pay.example.com", [LONG])
    assert (read["DEBUG"], read["DEMO_SHOP"], read["SECURE_HSTS_SECONDS"]) == (False, False, 31_536_000)
    assert (read["SESSION_COOKIE_SECURE"], read["CSRF_COOKIE_SECURE"]) == (True, True)
    database = read["DATABASES"]["default"]
    assert (database["ENGINE"], database["CONN_HEALTH_CHECKS"]) == ("core.postgresql", True)
    assert database["CONN_MAX_AGE"] is None


def test_secrets_may_stand_in_files_and_the_address_keeps_its_options(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{LONG}\n")
    (tmp_path / "keys").write_text(f"{LONG} new, {LONG} old\n")
    files = {"SECRET_KEY_FILE": str(tmp_path / "key"), "ENCRYPTION_KEYS_FILE": str(tmp_path / "keys")}
    files["DATABASE_URL"] = PRODUCTION["DATABASE_URL"] + "?sslmode=verify-full"
    plain = {name: value for name, value in PRODUCTION.items() if name != "SECRET_KEY"}
    read = settings_of(plain | files, tmp_path)
    assert (read["SECRET_KEY"], read["ENCRYPTION_KEYS"]) == (LONG, [f"{LONG} new", f"{LONG} old"])
    options = read["DATABASES"]["default"]["OPTIONS"]
    assert options["sslmode"] == "verify-full"
    assert (options["server_side_binding"], options["prepare_threshold"]) == (True, 5)
    assert options["options"] == "-c lock_timeout=2000 -c statement_timeout=30000"


def test_what_another_key_signed_and_sealed_is_good_while_the_secret_key_is_exchanged(tmp_path: Path) -> None:
    """Where no key seals apart from it, a fallback opens what it sealed, too: else every webhook would stand still."""
    (tmp_path / "fallbacks").write_text(f"{LONG} before\n")
    exchanged = {**PRODUCTION, "SECRET_KEY_FALLBACKS_FILE": str(tmp_path / "fallbacks")}
    read = settings_of(exchanged, tmp_path)
    assert (read["SECRET_KEY"], read["SECRET_KEY_FALLBACKS"]) == (LONG, [f"{LONG} before"])
    assert read["ENCRYPTION_KEYS"] == [LONG, f"{LONG} before"]
    apart = settings_of(exchanged | {"ENCRYPTION_KEYS": f"{LONG} of its own"}, tmp_path)
    assert apart["ENCRYPTION_KEYS"] == [f"{LONG} of its own"]


def test_behind_a_pool_nothing_is_prepared_and_nothing_asked_for_at_the_start(tmp_path: Path) -> None:
    """A pool lends another connection for each transaction, and refuses ``options``."""
    pooled = settings_of(PRODUCTION | {"DATABASE_POOLED": "true"}, tmp_path)
    assert pooled["DATABASES"]["default"]["OPTIONS"] == {"server_side_binding": True, "prepare_threshold": None}


@pytest.mark.parametrize(
    ("base_url", "sender"),
    [
        ("https://pay.example.com", "no-reply@pay.example.com"),
        ("https://pay.example.com:8443", "no-reply@pay.example.com"),
        ("http://localhost:9000", "no-reply@localhost"),
        ("http://127.0.0.1:9000", "no-reply@[127.0.0.1]"),
        ("http://[::1]:9000", "no-reply@[::1]"),
        ("https://payments", "no-reply@localhost"),
    ],
)
def test_mail_comes_from_the_host_where_that_is_an_address(base_url: str, sender: str, tmp_path: Path) -> None:
    assert settings_of(PRODUCTION | {"BASE_URL": base_url}, tmp_path)["DEFAULT_FROM_EMAIL"] == sender


def test_the_embedded_default_needs_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    first = settings_of({}, folder)
    assert (first["EMBEDDED"], first["BASE_URL"], first["PORT"]) == (True, "http://localhost:8000", 8000)
    assert len(first["SECRET_KEY"]) >= 64
    database = first["DATABASES"]["default"]
    assert database["ENGINE"] == "django.db.backends.sqlite3"
    assert "journal_mode=WAL" in database["OPTIONS"]["init_command"]
    waits = (database["OPTIONS"]["transaction_mode"], database["OPTIONS"]["timeout"])
    assert waits == ("IMMEDIATE", 20), 'else most updates of eight writers end in "database is locked"'
    assert settings_of({"PORT": "9000"}, folder)["BASE_URL"] == "http://localhost:9000"
    assert settings_of({}, folder)["SECRET_KEY"] == first["SECRET_KEY"]
    assert [path.name for path in folder.iterdir()] == ["secret_key"]


def test_a_folder_that_cannot_be_used_is_named_and_up_is_for_the_embedded_default_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    [said] = refusals([{}], tmp_path / "file" / "local", CHECK)
    assert said.startswith(f"Causeway cannot start: LOCAL_DIR {tmp_path}/file/local cannot be used: ")
    started = run(PRODUCTION | {"PORT": "9000"}, tmp_path, "manage.py", "up", "--port", "9000")
    assert started.returncode == 1
    assert started.stderr.startswith("CommandError: up runs the embedded default only. DATABASE_URL is set")
