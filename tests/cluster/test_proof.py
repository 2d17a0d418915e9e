"""What the proof of the production form counts, and the settings it writes; the proof itself is ``make cluster``."""

from pathlib import Path
from string import Template

import pytest

from scripts.cluster import hosts
from scripts.cluster.engines import PORTS, TEMPLATES, Place, haproxy_parts
from scripts.cluster.journal import CREATED, LIVE_SENT, LIVE_SETTLED, PAID, REFUSED, TOLD
from scripts.cluster.losses import longest_gap, outage_of
from scripts.cluster.programs import Program, Supervisor
from scripts.cluster.service import ON_NODES, Service
from tests.architecture.source import ROOT
from tests.cluster.recorded import journal_of

FOR_EACH_PROGRAM = {"name", "address", "etcds", "programs", "role", "leader"}


@pytest.mark.parametrize(
    ("moments", "longest"), [([], 10), ([12], 8), ([11, 12, 19], 7), ([19, 11, 12], 7), ([11, 12], 8)]
)
def test_the_longest_time_without_counts_from_the_loss_to_the_end(moments: list[float], longest: float) -> None:
    assert longest_gap(moments, 10, 20) == longest


def test_an_outage_counts_what_was_answered_told_and_refused_meanwhile(tmp_path: Path) -> None:
    settled = {"what": TOLD, "type": "payment_intent.settled", "id": "evt", "about": "a"}
    journal = journal_of(
        tmp_path,
        {"at": 9, "what": CREATED, "id": "before"},
        {"at": 11, "what": CREATED, "id": "a"},
        {"at": 12, "what": PAID, "id": "a"},
        {"at": 13, "what": REFUSED, "status": 503, "path": "/payment-intents"},
        {"at": 14, "what": REFUSED, "status": 0, "path": "/payment-intents"},
        {"at": 16, **settled},
        {"at": 13, "what": LIVE_SENT, "id": "l"},
        {"at": 18.5, "what": LIVE_SETTLED, "id": "l"},
        {"at": 17, **settled, "type": "payment_intent.created"},
    )
    journal.refresh()
    outage = outage_of(journal, "a part", 10, 20)
    assert (outage.unanswered, outage.unsettled, outage.requests, outage.refused) == (9, 6, 4, 2)
    assert (outage.live_settled, outage.live, outage.live_unsettled) == (1, 5.5, 8.5)
    assert (outage.statuses, outage.is_short) == ({503: 1, 0: 1}, True)


def test_half_a_line_of_the_journal_is_read_when_it_is_whole(tmp_path: Path) -> None:
    journal = journal_of(tmp_path, {"at": 1, "what": CREATED, "id": "a"}, rest='{"at": 2, "what": "crea')
    journal.refresh()
    assert len(journal.lines) == 1
    with (tmp_path / "journal").open("a") as file:
        file.write('ted", "id": "b"}\n')
    journal.refresh()
    assert [line["id"] for line in journal.of(CREATED)] == ["a", "b"]


def test_the_settings_of_every_engine_are_filled_in(tmp_path: Path) -> None:
    parts = haproxy_parts(Place(folder=tmp_path, password="guards nothing"))  # noqa: S106 - it does
    known = {"front", "folder", "password", *PORTS, *parts, *FOR_EACH_PROGRAM}
    templates = sorted(TEMPLATES.iterdir())
    assert len(templates) == 5
    assert set().union(*(Template(one.read_text()).get_identifiers() for one in templates)) - known == set()


def test_the_pool_sets_the_limits_that_the_service_sets_without_one() -> None:
    pool = (TEMPLATES / "pgbouncer.ini").read_text()
    assert "SET lock_timeout = 2000; SET statement_timeout = 30000" in pool
    assert "ignore_startup_parameters" not in pool


def test_a_program_of_every_kind_is_on_a_node_and_asks_the_pool_of_its_node(tmp_path: Path) -> None:
    container = (ROOT / "scripts" / "container.sh").read_text()
    kinds = {kind for kinds in ON_NODES.values() for kind in kinds}
    assert kinds == {"web", "worker money", "worker delivery", "worker upkeep", "worker reader", "beat"}
    assert "money | delivery | upkeep)" in container
    assert "reader)" in container
    service = Service(Place(folder=tmp_path, password="none"), Supervisor())  # noqa: S106 - none
    for node, address in hosts.NODES.items():
        environment = service.program(node, "web").environment
        assert environment["DATABASE_URL"] == f"postgres://causeway:none@{address}:{hosts.PGBOUNCER_PORT}/causeway"
        assert (environment["DATABASE_POOLED"], environment["BIND"]) == ("true", address)
        assert environment["REDIS_URL"] == f"redis://:none@{hosts.FRONT}:{hosts.REDIS_PORT}/0"


def test_a_program_that_ends_is_started_again_unless_it_is_lost_for_good(tmp_path: Path) -> None:
    supervisor = Supervisor()
    program = Program(
        name="rest", command=["sleep", "600"], log=tmp_path / "log", environment={"PATH": "/usr/bin:/bin"}
    )
    supervisor.add(program)
    try:
        program.kill()
        assert supervisor.until(lambda: program.is_alive, "its return", 60)
        program.kill(for_good=True)
        program.revive()
        assert program.is_alive is False
    finally:
        supervisor.end()
