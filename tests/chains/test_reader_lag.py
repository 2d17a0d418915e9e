"""How far readers are behind their chains, as readiness and the operators' page say it."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import DatabaseError
from django.test import Client
from pytest_django import Settings

from chains.models import ChainReader, Lane
from chains.reader.lag import Finding
from core.clock import now
from core.dispatch import BEAT, WORKERS
from core.heartbeats import note_alive
from merchants.models import User
from operations import readiness
from tests.conftest import ApiClient
from tests.merchants.people import PASSWORD, add_second_factor, sign_in, text_of

READY = "/api/public/health/ready"
ROOT = "root@service.example"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _all_else_works(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    """Nodes of Base and Arbitrum are named, time stands still, and nothing but readers could be late."""
    monkeypatch.setattr(readiness, "QUEUES", {})
    settings.NETWORK_PROFILE = "localnet"
    settings.RPC_URLS = {"base": ["http://127.0.0.1:1"], "arbitrum": ["http://127.0.0.1:1"], "polygon": []}
    monkeypatch.setattr(readiness, "_UP_SINCE", now())  # else it is the moment at which some test first needed it
    with time_machine.travel(now(), tick=False):
        for kind in (*WORKERS, BEAT):
            note_alive(kind)
        yield


def reads(chain: str = "base", lane: str = Lane.LOGS, *, behind: int = 0, age: int = 0, **facts: Any) -> None:
    """A reader that came so near to block 1,000, so many seconds ago."""
    read = {"read_to": 1000 - behind, "head": 1000, "read_at": now() - timedelta(seconds=age)}
    ChainReader.objects.create(**{"network": "localnet", "chain": chain, "lane": lane, "width": 500, **read, **facts})


def found(anonymous: ApiClient) -> tuple[int, dict[str, Any]]:
    """The status of readiness, and what it says of readers."""
    reply = anonymous.get(READY)
    shown = reply.body["checks"].items()
    return reply.status, {name: check for name, check in shown if name.startswith("reader")}


def test_no_chain_is_named_without_readers_or_without_nodes(anonymous: ApiClient, settings: Settings) -> None:
    assert found(anonymous) == (200, {})
    reads("polygon", age=3600)
    reads(network="mainnet", age=3600)
    assert found(anonymous) == (200, {})
    reads(age=3600)
    settings.RPC_URLS = {}
    assert found(anonymous) == (200, {})


def test_each_chain_says_how_far_its_worse_lane_is_behind(anonymous: ApiClient) -> None:
    reads()
    reads(lane=Lane.BLOCKS, behind=1, age=7)
    reads("arbitrum", behind=12)
    assert found(anonymous) == (
        200,
        {
            "reader.arbitrum": {"status": "ok", "age_seconds": 0, "detail": "12 blocks behind the newest one."},
            "reader.base": {"status": "ok", "age_seconds": 7, "detail": "1 block behind the newest one."},
        },
    )


@pytest.mark.parametrize(
    ("chain", "behind", "age", "status"),
    [
        ("base", 0, 60, 200),
        ("base", 0, 61, 503),
        ("base", 60, 0, 200),
        ("base", 61, 0, 503),
        ("arbitrum", 480, 0, 200),
        ("arbitrum", 481, 0, 503),
    ],
)
def test_a_chain_must_be_read_every_minute_and_to_within_two_minutes_of_its_newest_block(
    chain: str, behind: int, age: int, status: int, anonymous: ApiClient
) -> None:
    reads(chain, behind=behind, age=age)
    check = {
        "status": "ok" if status == 200 else "unavailable",
        "age_seconds": age,
        "detail": f"{behind} blocks behind the newest one.",
    }
    assert found(anonymous) == (status, {f"reader.{chain}": check})


def test_solana_has_one_lane_that_is_as_far_as_the_account_that_is_worst_off(
    anonymous: ApiClient, settings: Settings
) -> None:
    settings.RPC_URLS = {"solana": ["http://127.0.0.1:1"]}
    reads("solana", Lane.ACCOUNTS, behind=300)
    fine = {"status": "ok", "age_seconds": 0, "detail": "300 blocks behind the newest one."}
    assert found(anonymous) == (200, {"reader.solana": fine})
    ChainReader.objects.update(read_to=699)
    late = {"status": "unavailable", "age_seconds": 0, "detail": "301 blocks behind the newest one."}
    assert found(anonymous) == (503, {"reader.solana": late})


def test_why_nothing_was_read_is_said(anonymous: ApiClient) -> None:
    reads(behind=3, age=90, refused="no node answers")
    reads(lane=Lane.BLOCKS, refused="failed, see the log")
    reads("arbitrum", read_to=None, head=None, read_at=None, refused="no node answers")
    assert found(anonymous) == (
        503,
        {
            "reader.arbitrum": {
                "status": "unavailable",
                "age_seconds": None,
                "detail": "Nothing was read yet. Refused: no node answers.",
            },
            "reader.base": {
                "status": "unavailable",
                "age_seconds": 90,
                "detail": "3 blocks behind the newest one. Refused: failed, see the log, no node answers.",
            },
        },
    )


def test_readers_that_cannot_be_looked_up_are_one_check(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> dict[str, Finding]:
        raise DatabaseError("password=hunter2")

    monkeypatch.setattr(readiness, "lag_of_chains", broken)
    assert found(anonymous) == (503, {"reader": {"status": "unavailable", "age_seconds": None}})


def test_operators_see_how_many_blocks_each_is_behind() -> None:
    reads(behind=12345)
    reads(lane=Lane.BLOCKS, read_to=None, head=None, read_at=None)
    User.objects.create_superuser(ROOT, PASSWORD)
    add_second_factor(ROOT)
    root: Client = sign_in(ROOT)
    page = text_of(root.get("/admin/chains/chainreader/"))
    assert '<td class="field-behind">12345</td>' in page
    assert '<td class="field-behind">–</td>' in page
