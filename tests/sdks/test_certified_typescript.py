"""The receivers of the TypeScript SDK, served by Node as a shop serves them, score full in the service's battery."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.journeys.programs import Program, clean_environment
from tests.machine import own_port, wait_until
from tests.sdks.npm import STORIES, TOOLS, built
from tests.webhooks.actors import Subscriber, subscribe
from webhooks.delivery.certifying import certify_receivers

pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive, pytest.mark.xdist_group("sdk of TypeScript")]

SERVED = ("node", "express", "express after express.raw", "hono", "next")
OPENED = "The receiver is open"
REFUSED = {"stale", "wrong_signature", "altered_body", "unsigned"}
FAULTS = {
    "believes everybody": ("receive.js", "return 401;", "return 204;", REFUSED),
    "fails where it should refuse": ("receive.js", "return 401;", "throw error;", REFUSED),
    "knows one signature": ("webhooks.js", 'valuesOf("v1=");', 'valuesOf("v1=").slice(0, 1);', {"rotation"}),
    "trusts every time": ("webhooks.js", "<= tolerance", "<= Infinity", {"stale"}),
    "takes small events only": ("express.js", "1 << 20", "1 << 13", {"large_metadata"}),
}
"""A module as it is built, what stands there, what is written instead, and the checks that have to fail."""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("sdk"))


@contextmanager
def open_receiver(name: str, dist: Path, principal: Principal, log: Path) -> Iterator[Subscriber]:
    """An endpoint, and the receiver at its URL."""
    port = own_port()
    endpoint = subscribe(principal, f"http://127.0.0.1:{port}/")
    program = Program(
        command=("node", str(STORIES / "certified.mjs"), name, str(port)),
        environment=clean_environment(
            SDK=f"{dist.as_uri()}/", TOOLS=str(TOOLS.parent / "package.json"), CAUSEWAY_WEBHOOK_SECRET=endpoint.secret
        ),
        log=log,
    )
    program.start()
    try:
        wait_until(lambda: OPENED in program.printed() or not program.is_alive, OPENED)
        assert program.is_alive, program.printed()
        yield endpoint
    finally:
        program.stop()


def certified(api: ApiClient, endpoint: Subscriber) -> dict[str, Any]:
    path = f"/api/public/v1/webhook-endpoints/{endpoint.id}"
    assert api.post(f"{path}/certify").status == 202
    assert certify_receivers() == 1
    return dict(api.get(f"{path}/certificate").body)


def wrong_in(report: dict[str, Any]) -> set[str]:
    assert report["score"] == report["out_of"] - sum(not check["passed"] for check in report["checks"])
    return {check["name"] for check in report["checks"] if not check["passed"]}


@pytest.mark.parametrize("name", SERVED)
def test_a_receiver_scores_full(name: str, api: ApiClient, principal: Principal, dist: Path, tmp_path: Path) -> None:
    with open_receiver(name, dist, principal, tmp_path / "receiver.log") as endpoint:
        report = certified(api, endpoint)
    assert [check for check in report["checks"] if not check["passed"]] == []
    assert (report["score"], report["out_of"]) == (12, 12)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_is_found(fault: str, api: ApiClient, principal: Principal, dist: Path, tmp_path: Path) -> None:
    module, right, wrong, found = FAULTS[fault]
    shutil.copytree(dist.parent, tmp_path / "sdk")
    planted = tmp_path / "sdk" / dist.name / module
    text = planted.read_text(encoding="utf-8")
    assert text.count(right) == 1
    planted.write_text(text.replace(right, wrong), encoding="utf-8")
    with open_receiver("express", planted.parent, principal, tmp_path / "receiver.log") as endpoint:
        assert wrong_in(certified(api, endpoint)) == found
