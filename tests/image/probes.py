"""What is looked for in an image. Each gives what is wrong with it; ``test_probes`` shows them images with faults."""

import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.architecture.test_repository import SECRETS
from tests.image.container import Image
from tests.journeys.programs import ROOT
from tests.journeys.recipe import ACCEPTED, Receiver

MOST_BYTES = 400 * 1024 * 1024
USER = "10001"
TOOLS = frozenset({"cc", "gcc", "make", "ld", "pip", "pip3", "git", "curl", "wget"})
LEFT_OVER = r"/(?:app/(?:tests|scripts/(?!container\.sh|web-log\.json)|\.\w)|var/(?:cache|lib/apt/lists)/.)"
CERTIFICATES = ("/etc/ssl/", "/usr/share/ca-certificates/")
NAMED_AS_SECRETS = re.compile(r"(?:^|/)(?:\.env.*|.*\.pem|.*\.key|.*\.sqlite3|id_\w+)$")
COMMANDS = "*/management/commands/[!_]*.py"
STARTED = (
    *("/opt/venv/bin/granian", "/opt/venv/bin/celery", "/app/manage.py"),
    *("/app/scripts/container.sh", "/app/scripts/web-log.json"),
)
"""What its entry starts and reads, and itself."""


def too_much(image: Image) -> list[str]:
    """Its size where that is too large, what only makes an image, and what installs or compiles."""
    files = list(image.files())
    size, inside = sum(path.stat().st_size for path in files), [image.inside(path) for path in files]
    found = [path for path in inside if re.match(LEFT_OVER, path)]
    found += [path for path in inside if "/bin/" in path and Path(path).name in TOOLS]
    return found + ([f"{size / 1024 / 1024:.0f} MiB"] if size > MOST_BYTES else [])


def too_little(image: Image) -> list[str]:
    """What its entry needs, and commands of ``manage.py``, that it has not."""
    ours = {f"/app/{path.relative_to(ROOT)}" for path in ROOT.glob(COMMANDS)}
    return sorted(path for path in {*ours, *STARTED} if not (image.root / path.lstrip("/")).is_file())


def secrets(image: Image) -> list[str]:
    """Names of its environment, steps of its history and files that hold a secret, or are named as such."""
    found = [name for name in image.environment if re.search("SECRET|PASS|KEY|TOKEN|URL", name)]
    found += ["history"] if re.search(SECRETS, image.history) else []
    ours = [path for path in image.files() if image.inside(path).startswith(("/app/", "/etc/"))]
    texts = {image.inside(path): path.read_text(errors="replace") for path in ours if path.stat().st_size < 2**20}
    found += [name for name, text in texts.items() if re.search(SECRETS, text)]
    return found + [name for name in texts if NAMED_AS_SECRETS.search(name) and not name.startswith(CERTIFICATES)]


def changeable(image: Image) -> list[str]:
    """What its own user owns, and what anybody may write."""
    own = [path for path in image.root.rglob("*") if not path.is_symlink() and str(path.lstat().st_uid) == USER]
    open_to_all = [path for path in image.files() if path.stat().st_mode & stat.S_IWOTH]
    return [image.inside(path) for path in [*own, *open_to_all]]


def await_story(receiver: Receiver, intent: str, seconds: float) -> None:
    """Return once a payment was told from its creation to its settlement, once each, by whom it should be.

    Raises: TimeoutError, AssertionError.
    """
    receiver.wait_for(lambda got: got.sequences(intent) == [1, 2, 3, 4], seconds)
    assert receiver.accepted()[-1]["type"] == "payment_intent.settled"
    assert [(each.genuine, each.answered) for each in receiver.deliveries] == [(True, ACCEPTED)] * 4


def unwell(checks: dict[str, dict[str, str]], wanted: Iterable[str]) -> Sequence[str]:
    """Which of its readiness' checks are not well, or not there."""
    return sorted({*wanted, *checks} - {name for name, check in checks.items() if check["status"] == "ok"})
