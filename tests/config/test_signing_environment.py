"""What the environment may say of keys: nonsense is refused at start, and a secret does not stay where others look."""

import json
from pathlib import Path

from tests.config.test_environment import refusals, run

PASSPHRASE = "canary-passphrase-e7c1"
SECRET = "canary5ecret" + "0" * 52
SHOW = """
import json, os, subprocess, sys
from django.conf import settings
settings.DEBUG  # from now on they are read
secrets = {k: v.reveal().decode() if hasattr(v, "reveal") else str(v) for k, v in settings.SIGNER_SECRETS.items()}
child = subprocess.run([sys.executable, "-c", "import os; print(dict(os.environ))"], capture_output=True, text=True)
print(json.dumps({
    "passphrase": settings.SIGNER_PASSPHRASE and settings.SIGNER_PASSPHRASE.reveal().decode(),
    "secrets": secrets,
    "environment": str(dict(os.environ)),
    "child": child.stdout,
    "settings": str({name: getattr(settings, name) for name in dir(settings) if name.isupper()}),
}))
"""


def private(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    path.chmod(0o600)
    return path


def keys_folder(folder: Path, mode: int = 0o700) -> Path:
    path = folder / "keys"
    path.mkdir()
    path.chmod(mode)
    return path


def test_secrets_are_taken_out_of_the_environment(tmp_path: Path) -> None:
    """What this process starts, and what prints an environment or the settings, has none of them."""
    given = private(tmp_path, "given", SECRET)
    environment = {
        "SIGNER_KEYS_DIR": str(keys_folder(tmp_path)),
        "SIGNER_PASSPHRASE": PASSPHRASE,
        "SIGNER_SECRET_SHOP": SECRET,
        "SIGNER_SECRET_OTHER_FILE": str(given),
    }
    started = run(environment, tmp_path, "-c", SHOW)
    assert started.returncode == 0, started.stderr
    shown = json.loads(started.stdout)
    assert shown["passphrase"] == PASSPHRASE
    assert shown["secrets"] == {"shop": SECRET, "other": str(given)}
    for sink in ("environment", "child", "settings"):
        assert PASSPHRASE not in shown[sink]
        assert SECRET not in shown[sink]


def test_a_passphrase_from_a_file(tmp_path: Path) -> None:
    environment = {
        "SIGNER_KEYS_DIR": str(keys_folder(tmp_path)),
        "SIGNER_PASSPHRASE_FILE": str(private(tmp_path, "phrase", PASSPHRASE + "\n")),
    }
    shown = json.loads(run(environment, tmp_path, "-c", SHOW).stdout)
    assert shown["passphrase"] == PASSPHRASE


def test_nothing_set_signs_nothing(tmp_path: Path) -> None:
    empty = {"SIGNER_KEYS_DIR": "", "SIGNER_PASSPHRASE": "", "SIGNER_SECRET_SHOP": "", "SIGNER_KMS_REGION": ""}
    for environment in ({}, empty):
        shown = json.loads(run(environment, tmp_path, "-c", SHOW).stdout)
        assert (shown["passphrase"], shown["secrets"]) == (None, {})


NONSENSE: list[tuple[dict[str, str], str]] = [
    ({"SIGNER_KEYS_DIR": "keys"}, "SIGNER_KEYS_DIR must be the whole path of a folder, from the root"),
    ({"SIGNER_KEYS_DIR": "/nowhere/at/all"}, "SIGNER_KEYS_DIR: /nowhere/at/all cannot be used: No such file"),
    ({"SIGNER_PASSPHRASE": PASSPHRASE}, "must be set together, or neither."),
    ({"SIGNER_PASSPHRASE": "short"}, "SIGNER_PASSPHRASE must have at least 12 characters."),
    ({"SIGNER_PASSPHRASE_FILE": "/nowhere"}, "SIGNER_PASSPHRASE_FILE: /nowhere cannot be used: No such file"),
    ({"SIGNER_SECRET_SHOP_FILE": "/nowhere"}, "SIGNER_SECRET_SHOP_FILE: /nowhere cannot be used: No such file"),
    ({"SIGNER_SECRET_shop": SECRET}, "must end in a name of capital letters, digits and underscores."),
    ({"SIGNER_KMS_REGION": "Frankfurt"}, "SIGNER_KMS_REGION must be a region of AWS like eu-central-1"),
    ({"SIGNER_KMS_ENDPOINT": "https://kms.example.com"}, "SIGNER_KMS_ENDPOINT is set but SIGNER_KMS_REGION is not"),
    (
        {"SIGNER_KMS_REGION": "eu-central-1", "SIGNER_KMS_ENDPOINT": "http://kms.example.com"},
        "SIGNER_KMS_ENDPOINT must be like https://kms.example.com; http:// only for this machine.",
    ),
    (
        {"SIGNER_KMS_REGION": "eu-central-1", "SIGNER_KMS_ENDPOINT": "https://kms.example.com/path"},
        "SIGNER_KMS_ENDPOINT must be like https://kms.example.com",
    ),
]


def test_nonsense_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """And files that others may read, folders that they may write in, two ways at once, and empty files."""
    shown, given = private(tmp_path, "shown", SECRET), private(tmp_path, "given", SECRET)
    shown.chmod(0o644)
    folder, empty = keys_folder(tmp_path, 0o777), private(tmp_path, "empty", "\n")
    cases = [
        *NONSENSE,
        (
            {"SIGNER_SECRET_SHOP_FILE": str(shown)},
            f"SIGNER_SECRET_SHOP_FILE: {shown} cannot be used: others may read or change it. Run chmod 600 on it.",
        ),
        (
            {"SIGNER_KEYS_DIR": str(folder), "SIGNER_PASSPHRASE": PASSPHRASE},
            f"{folder} cannot be used: others may write in it. Run chmod 700 on it.",
        ),
        (
            {"SIGNER_SECRET_SHOP": SECRET, "SIGNER_SECRET_SHOP_FILE": str(given)},
            "SIGNER_SECRET_SHOP and SIGNER_SECRET_SHOP_FILE are both set: keep one of them.",
        ),
        ({"SIGNER_SECRET_SHOP_FILE": str(empty)}, "cannot be used: it is empty."),
    ]
    program = "from django.conf import settings; settings.DEBUG"
    for (change, expected), told in zip(cases, refusals([one for one, _ in cases], tmp_path, program), strict=True):
        last = told.splitlines()[-1]
        assert last.startswith("django.core.exceptions.ImproperlyConfigured: ")
        assert expected in last, change
        assert [canary for canary in (PASSPHRASE, SECRET) if canary in told] == []
