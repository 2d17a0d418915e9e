"""A new version with a migration, node by node, while the callers go on: no request may be refused."""

from http import HTTPStatus
from pathlib import Path

from scripts.cluster import hosts
from scripts.cluster.address import tell
from scripts.cluster.engines import Place, control_of
from scripts.cluster.programs import Program, Supervisor
from scripts.cluster.service import HEALTH, ON_NODES, Service, asked

NEXT_VERSION = "scripts.cluster.next_version.settings"
PATIENCE_SECONDS = 120.0
STARTS_SECONDS = 8.0
"""For a worker to be at work."""


def roll(place: Place, supervisor: Supervisor, service: Service) -> None:
    """Migrate past the pool, then give each node the new version, web last: old code bears the new tables."""
    service.version = NEXT_VERSION
    service.manage("migrate", "--verbosity", "0")
    for node, kinds in ON_NODES.items():
        for kind in kinds:
            if kind != "web":
                _replace(supervisor, service.program(node, kind))
        _replace_web(place, supervisor, service.program(node, "web"), node)


def _replace(supervisor: Supervisor, new: Program) -> None:
    """The new one first: any number of each is safe, and what the old one has begun may take half a minute."""
    old = supervisor.programs.pop(new.name)
    supervisor.add(new)
    supervisor.rest(STARTS_SECONDS)
    old.stop()


def _replace_web(place: Place, supervisor: Supervisor, new: Program, node: str) -> None:
    """Taken out of each HAProxy first, ended when nobody is asking it any more, and asked again when it answers."""
    controls = [control_of(place, name) for name in hosts.FRONTS]
    for control in controls:
        tell(control, f"set server web/{node} state drain")
    supervisor.until(lambda: all(is_idle(one, node) for one in controls), f"{node} to be idle", PATIENCE_SECONDS)
    supervisor.programs.pop(new.name).stop()
    supervisor.add(new)
    supervisor.until(lambda: asked(hosts.NODES[node], HEALTH) == HTTPStatus.OK, f"{node} to answer", PATIENCE_SECONDS)
    for control in controls:
        tell(control, f"set server web/{node} state ready")
    supervisor.until(lambda: all(is_up(one, node) for one in controls), f"{node} to be asked", PATIENCE_SECONDS)


def is_idle(control: Path, node: str) -> bool:
    """Whether HAProxy waits for no answer of a node."""
    return _figures(control, node)["scur"] == "0"


def is_up(control: Path, node: str) -> bool:
    """Whether HAProxy would ask a node."""
    return _figures(control, node)["status"] == "UP"


def _figures(control: Path, node: str) -> dict[str, str]:
    lines = tell(control, "show stat").splitlines()
    names = lines[0].removeprefix("# ").split(",")
    rows = (dict(zip(names, line.split(","), strict=False)) for line in lines[1:])
    return next(row for row in rows if (row.get("pxname"), row.get("svname")) == ("web", node))
