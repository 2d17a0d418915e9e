"""The image is small, holds no secret and nothing that installs, and its entry's commands settle a payment.

Built here by ``scripts/build-image.sh`` over Debian's packages; the steps are those of the Dockerfile.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.test_repository import SECRETS
from tests.image.container import Image, run_inside
from tests.journeys.production import Production, empty_database, own_redis, programs_of, settings_of
from tests.journeys.programs import run_to_end
from tests.journeys.recipe import receiving
from tests.journeys.stories import paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = [pytest.mark.exhaustive, pytest.mark.postgres, pytest.mark.xdist_group("image")]

MOST_BYTES = 400 * 1024 * 1024
USER = "10001"
TOOLS = frozenset({"cc", "gcc", "make", "ld", "pip", "pip3", "git", "curl", "wget"})
LEFT_OVER = r"/(?:app/(?:tests|docs/(?!openapi\.yaml)|scripts/(?!container\.sh)|\.\w)|var/(?:cache|lib/apt/lists)/.)"
CERTIFICATES = ("/etc/ssl/", "/usr/share/ca-certificates/")
LOOK_AT_SELF = """
import pathlib, sys
status = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
print(*(status[name].split()[0] for name in ("Uid", "Gid", "CapEff", "CapBnd", "NoNewPrivs")))
for place in ("/", "/app", "/opt/venv", "/tmp"):
    try:
        pathlib.Path(place, "planted").write_text("")
        print(place, "written")
    except OSError as error:
        print(place, error.strerror)
"""


def test_it_is_small_and_brings_nothing_that_installs(image: Image) -> None:
    files = list(image.files())
    size = sum(path.stat().st_size for path in files)
    assert size <= MOST_BYTES, f"{size / 1024 / 1024:.0f} MiB"
    inside = [image.inside(path) for path in files]
    assert [path for path in inside if re.match(LEFT_OVER, path)] == []
    assert {Path(path).name for path in inside if "/bin/" in path} & TOOLS == set()


def test_it_holds_no_secret(image: Image) -> None:
    """Neither in its files nor in what it says of itself and of how it was made."""
    assert not [name for name in image.environment if re.search("SECRET|PASS|KEY|TOKEN|URL", name)]
    assert re.search(SECRETS, image.history) is None
    ours = [path for path in image.files() if image.inside(path).startswith(("/app/", "/etc/"))]
    texts = {image.inside(path): path.read_text(errors="replace") for path in ours if path.stat().st_size < 2**20}
    assert [name for name, text in texts.items() if re.search(SECRETS, text)] == []
    named = re.compile(r"(?:^|/)(?:\.env.*|.*\.pem|.*\.key|.*\.sqlite3|id_\w+)$")
    assert [name for name in texts if named.search(name) and not name.startswith(CERTIFICATES)] == []


def test_its_programs_are_nobody_and_change_nothing(image: Image) -> None:
    """Whoever runs it may take the root's writing, all capabilities and new privileges away."""
    assert image.config["User"] == USER
    assert image.config["StopSignal"] == "SIGTERM"
    assert run_inside(image, "python", "-c", LOOK_AT_SELF).splitlines() == [
        f"{USER} {USER} {'0' * 16} {'0' * 16} 1",
        *(f"{place} Read-only file system" for place in ("/", "/app", "/opt/venv")),
        "/tmp written",  # noqa: S108 - its own, in memory
    ]
    own = [path for path in image.root.rglob("*") if not path.is_symlink() and str(path.lstat().st_uid) == USER]
    assert own == []
    open_to_all = [path for path in image.files() if path.stat().st_mode & stat.S_IWOTH]
    assert open_to_all == []


@pytest.fixture
def service(image: Image, tmp_path: Path) -> Iterator[Production]:
    """All programs of the image, over a database that the image's own ``migrate`` filled."""
    port = own_port()
    with empty_database(os.environ["DATABASE_URL"], f"image_{port}") as url:
        settings = settings_of(port, url, own_redis(os.environ["REDIS_URL"]))
        environment = {**image.environment, **settings}
        run_to_end((*image.entry, "migrate"), environment)
        programs = programs_of(tmp_path, environment, image.entry)
        running = Production(settings["BASE_URL"], environment, programs, image.entry)
        try:
            running.start()
            yield running
        finally:
            running.end()


def test_its_commands_settle_a_payment(service: Production) -> None:
    """From an empty database to a webhook that the merchant takes for genuine; then each program ends when asked to."""
    merchant = service.merchant()
    readiness = merchant.get("/api/public/health/ready").body["checks"]
    assert {name for name, check in readiness.items() if check["status"] != "ok"} == set()
    assert {"worker", "worker.delivery", "worker.upkeep", "worker.reader", "beat", "broker"} <= set(readiness)
    with receiving() as receiver:
        register(merchant, receiver)
        intent = paid(merchant)
        receiver.wait_for(lambda got: got.sequences(intent) == [1, 2, 3, 4], PATIENCE_SECONDS)
    assert [(each.genuine, each.answered) for each in receiver.deliveries] == [(True, 200)] * 4
    assert merchant.look("/accounts/login/").status == 200
    assert {name: program.stop() for name, program in service.programs.items()} == dict.fromkeys(service.programs, 0)
