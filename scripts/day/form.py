"""The production form behind an HAProxy, with the metrics' program, and what its operator sees of it."""

from dataclasses import dataclass, field

from scripts.cluster import hosts
from scripts.day import places, prometheus
from scripts.day.engines import Engines
from scripts.soak.form import KINDS, STARTS_SECONDS, Form

FIRST, SECOND = hosts.NODES.values()
NODE = "-2"
"""How the programs of a second node are called, after the first one's name."""


@dataclass(frozen=True, kw_only=True)
class Day(Form):
    """The service as a deployment has it. ``more``: settings that are said otherwise just now."""

    engines: Engines
    has_own_disk: bool = False
    more: dict[str, str] = field(default_factory=dict)

    def start(self) -> None:
        """Start every program, over an empty database; returns when it is ready."""
        self.manage("migrate", "--verbosity", "0")
        self.manage("collectstatic", "--noinput", "--verbosity", "0")
        self.engines.start_front()
        for kind in KINDS:
            self.supervisor.add(self.program(kind))
        self.supervisor.add(self.program("metrics", BIND=places.LOCAL))
        self.supervisor.until(lambda: not self.unready(), "readiness", STARTS_SECONDS)

    @property
    def asked(self) -> str:
        """The first web itself. Why past HAProxy: that takes out whoever is not well, and answers without a reason."""
        return FIRST

    @property
    def own(self) -> list[str]:
        """The names of the service's own programs."""
        return [name for name in self.supervisor.programs if name.startswith(("web", "worker", "beat", "metrics"))]

    def restart(self, *names: str) -> None:
        """Start programs again with the settings of now."""
        for name in names:
            program = self.supervisor.programs[name]
            program.kill()
            program.environment = {**program.environment, **self.more}
            program.start()

    def alerts(self, *states: str) -> set[str]:
        """The alerts in one of these states."""
        return prometheus.alerts(places.PROMETHEUS, *states)

    def environment(self) -> dict[str, str]:
        """Settings of every program of the first node."""
        return {
            **super().environment(),
            "ENCRYPTION_KEYS": f"the-first-{self.engines.password}-guards-nothing",
            "BEHIND_PROXY": "true",
            "ALLOWED_HOSTS": "localhost",
            "BIND": FIRST,
            "METRICS_PORT": str(places.METRICS_PORT),
            **self.more,
        }

    def network(self) -> dict[str, str]:
        """Play money alone."""
        return {"NETWORK_PROFILE": "simulated"}
