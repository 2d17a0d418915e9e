"""Each probe of the image finds the fault that is planted for it, in an image of a few files."""

import json
import os
from pathlib import Path

import pytest

from tests.image.container import Image
from tests.image.probes import COMMANDS, STARTED, USER, await_story, changeable, secrets, too_little, too_much, unwell
from tests.journeys.programs import ROOT
from tests.journeys.recipe import ACCEPTED, REFUSED, Delivery, Receiver

INTENT = "intent"
TOLD = ("created", "quoted", "executing", "settled")


@pytest.fixture
def image(tmp_path: Path) -> Image:
    """One in which all is well."""
    made = Image(root=tmp_path, config={"Env": ["PATH=/opt/venv/bin"]}, history="COPY . .")
    for path in (*STARTED, *(f"/app/{path.relative_to(ROOT)}" for path in ROOT.glob(COMMANDS))):
        put(made, path)
    return made


def put(image: Image, path: str, text: str = "") -> Path:
    file = image.root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_nothing_is_found_where_all_is_well(image: Image) -> None:
    assert [*too_much(image), *too_little(image), *secrets(image), *changeable(image)] == []


@pytest.mark.parametrize("path", ["/app/operations/management/commands/check_invariants.py", *STARTED])
def test_a_command_that_is_missing_is_found(image: Image, path: str) -> None:
    (image.root / path.lstrip("/")).unlink()
    assert too_little(image) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "/app/tests/test_one.py",
        "/app/.git/config",
        "/var/cache/apt/one",
        "/usr/bin/gcc",
        "/opt/venv/bin/pip",
    ],
)
def test_what_nobody_needs_there_is_found(image: Image, path: str) -> None:
    put(image, path)
    assert too_much(image) == [path]


def test_too_large_a_one_is_found(image: Image) -> None:
    """Of nothing but a hole: no disk is filled."""
    os.truncate(put(image, "/app/large"), 401 * 1024 * 1024)
    assert too_much(image) == ["401 MiB"]


def test_a_secret_is_found_wherever_it_is(image: Image) -> None:
    secret = "-----BEGIN PRIVATE" + " KEY-----"
    put(image, "/app/core/held.py", secret)
    put(image, "/app/.env")
    leaking = Image(root=image.root, config={"Env": ["DATABASE_URL=x"]}, history=f"RUN echo {secret}")
    assert secrets(leaking) == ["DATABASE_URL", "history", "/app/core/held.py", "/app/.env"]


def test_what_can_be_changed_is_found(image: Image) -> None:
    put(image, "/app/anybodys.py").chmod(0o666)
    os.chown(put(image, "/app/its_own.py"), int(USER), -1)
    assert changeable(image) == ["/app/its_own.py", "/app/anybodys.py"]


def heard(*told: str, genuine: bool = True) -> Receiver:
    """A receiver that was told so of a payment, by the service or by somebody else."""
    receiver = Receiver()
    for name in told:
        about = {"type": f"payment_intent.{name}", "sequence": TOLD.index(name) + 1, "resource": {"id": INTENT}}
        said, status = json.dumps(about).encode(), ACCEPTED if genuine else REFUSED
        receiver.deliveries.append(Delivery(headers={}, raw_body=said, genuine=genuine, answered=status))
    return receiver


def test_a_payment_that_settles_is_told_whole() -> None:
    await_story(heard(*TOLD), INTENT, 0)


@pytest.mark.parametrize(
    ("receiver", "found"),
    [
        (heard(*TOLD[:3]), "3 deliveries came"),
        (heard(*TOLD, genuine=False), "4 deliveries came, accepted: .."),
        (heard(), "0 del"),
    ],
    ids=["unsettled", "forged", "silent"],
)
def test_a_payment_that_is_not_told_to_have_settled_is_found(receiver: Receiver, found: str) -> None:
    with pytest.raises(TimeoutError, match=found):
        await_story(receiver, INTENT, 0)


@pytest.mark.parametrize("told", [(*TOLD, "settled"), (*TOLD[1:], "created")], ids=["twice", "out of order"])
def test_what_is_told_otherwise_than_once_each_in_turn_is_found(told: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError):
        await_story(heard(*told), INTENT, 0)


def test_a_program_that_is_not_well_or_not_there_is_found() -> None:
    checks = {"worker": {"status": "ok"}, "beat": {"status": "unavailable"}}
    assert unwell(checks, ("worker", "worker.reader")) == ["beat", "worker.reader"]
