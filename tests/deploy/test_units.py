"""What `deploy/systemd` and `deploy/proxy` say: a unit for each program, time to end, and longer than a request."""

import re

import pytest

from scripts.suite.steps import ROOT
from tests.deploy.test_manifests import LONGEST_REQUEST_SECONDS, LONGEST_TASK_SECONDS
from tests.deploy.units import FOLDER, HOME, LONG_LIVED, UNITS, Unit, unit
from tests.journeys.production import KINDS

PROXY = ROOT / "deploy" / "proxy"
EXPORT_WAITS_SECONDS = 60
"""Source: config/whole_requests.py, FILE_SECONDS."""
MISCONFIGURED = "78"
HARDENED = (
    *("User", "Group", "UMask", "NoNewPrivileges", "CapabilityBoundingSet", "AmbientCapabilities", "ProtectSystem"),
    *("ProtectHome", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables", "ProtectKernelModules", "ProtectProc"),
    *("RestrictAddressFamilies", "RestrictNamespaces", "SystemCallFilter", "SystemCallArchitectures"),
)


def of_each(kind: str, key: str) -> str:
    return unit(UNITS[kind]).one("Service", key)


def test_there_is_a_unit_for_each_program_and_the_target_wants_all_that_stay() -> None:
    assert set(UNITS) == {*KINDS, "metrics", "migrate"}
    assert {kind: of_each(kind, "ExecStart") for kind in UNITS} == {
        kind: f"{HOME}/scripts/container.sh {kind}" for kind in UNITS
    }
    wanted = " ".join(unit("causeway.target").says("Unit", "Wants")).split()
    assert set(wanted) == {*(UNITS[kind] for kind in LONG_LIVED), "network-online.target"}
    stay = [unit(UNITS[kind]) for kind in LONG_LIVED]
    assert {one.one("Unit", "PartOf") for one in stay} == {"causeway.target"}
    assert {one.one("Install", "WantedBy") for one in stay} == {"causeway.target"}
    templates = {re.sub("@.*", "@.service", name) for name in UNITS.values()}
    assert {path.name for path in FOLDER.glob("*.service")} == templates


def test_who_ends_is_started_again_but_not_with_settings_that_make_no_sense() -> None:
    for kind in LONG_LIVED:
        assert of_each(kind, "Restart") == "always", kind
        assert MISCONFIGURED in of_each(kind, "RestartPreventExitStatus").split(), kind
        assert unit(UNITS[kind]).one("Unit", "StartLimitIntervalSec") == "0", kind
    assert of_each("migrate", "Type") == "oneshot"
    assert unit(UNITS["migrate"]).says("Service", "Restart") == []


def test_each_program_has_the_time_to_end_what_it_began() -> None:
    """Only its first process is told: a worker's children would drop what they are at."""
    assert {of_each(kind, "KillMode") for kind in UNITS} == {"mixed"}
    assert int(of_each("web", "TimeoutStopSec")) > EXPORT_WAITS_SECONDS > LONGEST_REQUEST_SECONDS
    workers = [kind for kind in KINDS if kind.startswith("worker")]
    assert {int(of_each(kind, "TimeoutStopSec")) > LONGEST_TASK_SECONDS for kind in workers} == {True}
    assert of_each("migrate", "TimeoutStartSec") == "infinity"


def hardening(one: Unit) -> dict[str, str]:
    return {key: one.one("Service", key) for key in HARDENED}


def test_no_program_may_do_more_than_another_and_none_is_root() -> None:
    each = [hardening(unit(name)) for name in UNITS.values()]
    assert [one for one in each if one != each[0]] == []
    assert each[0]["User"] == "causeway"
    assert (each[0]["CapabilityBoundingSet"], each[0]["ProtectSystem"]) == ("", "strict")


def test_keys_that_sign_are_given_to_one_program() -> None:
    given = {kind: unit(name).says("Service", "EnvironmentFile") for kind, name in UNITS.items()}
    own = {"worker money": ["-/etc/causeway/env.signer"], "migrate": ["-/etc/causeway/env.migrate"]}
    assert given == {kind: ["/etc/causeway/env", *own.get(kind, [])] for kind in UNITS}


@pytest.mark.parametrize(
    ("name", "pattern"), [("nginx.conf", r"proxy_read_timeout (\d+)s"), ("haproxy.cfg", r"timeout server (\d+)s")]
)
def test_a_proxy_waits_longer_than_a_request_takes(name: str, pattern: str) -> None:
    text = (PROXY / name).read_text(encoding="utf-8")
    [seconds] = re.findall(pattern, text)
    assert int(seconds) > EXPORT_WAITS_SECONDS + LONGEST_REQUEST_SECONDS


def test_no_proxy_touches_what_the_service_says_of_frames() -> None:
    for path in PROXY.iterdir():
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
        assert [line for line in lines if re.search("add_header|hide_header|http-response|rspadd", line)] == []
