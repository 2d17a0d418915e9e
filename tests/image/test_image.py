"""The image is small, holds no secret and nothing that installs, and its entry's commands settle a payment.

Built here by ``scripts/build-image.sh`` over Debian's packages; the steps are those of the Dockerfile.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.container import Image, run_inside
from tests.image.probes import USER, await_story, changeable, secrets, too_little, too_much, unwell
from tests.journeys.production import Production, empty_database, own_redis, programs_of, settings_of
from tests.journeys.programs import run_to_end
from tests.journeys.recipe import receiving
from tests.journeys.stories import paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = [pytest.mark.exhaustive, pytest.mark.postgres, pytest.mark.xdist_group("image")]

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
    assert too_much(image) == []


def test_it_has_every_command(image: Image) -> None:
    assert too_little(image) == []


def test_it_holds_no_secret(image: Image) -> None:
    """Neither in its files nor in what it says of itself and of how it was made."""
    assert secrets(image) == []


def test_its_programs_are_nobody_and_change_nothing(image: Image) -> None:
    """Whoever runs it may take the root's writing, all capabilities and new privileges away."""
    assert image.config["User"] == USER
    assert image.config["StopSignal"] == "SIGTERM"
    assert run_inside(image, "python", "-c", LOOK_AT_SELF).splitlines() == [
        f"{USER} {USER} {'0' * 16} {'0' * 16} 1",
        *(f"{place} Read-only file system" for place in ("/", "/app", "/opt/venv")),
        "/tmp written",  # noqa: S108 - its own, in memory
    ]
    assert changeable(image) == []


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
    wanted = ("worker", "worker.delivery", "worker.upkeep", "worker.reader", "beat", "broker")
    assert unwell(readiness, wanted) == []
    with receiving() as receiver:
        register(merchant, receiver)
        intent = paid(merchant)
        await_story(receiver, intent, PATIENCE_SECONDS)
    assert merchant.look("/accounts/login/").status == 200
    assert {name: program.stop() for name, program in service.programs.items()} == dict.fromkeys(service.programs, 0)
