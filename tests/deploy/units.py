"""The unit files of `deploy/systemd`, read as systemd reads them but for continued lines and quotes: none has any."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.suite.steps import ROOT

FOLDER = ROOT / "deploy" / "systemd"
UNITS = {
    "web": "causeway-web.service", "worker money": "causeway-worker@money.service",
    "worker delivery": "causeway-worker@delivery.service", "worker upkeep": "causeway-worker@upkeep.service",
    "worker reader": "causeway-worker@reader.service", "beat": "causeway-beat.service",
    "metrics": "causeway-metrics.service", "migrate": "causeway-migrate.service",
}  # fmt: skip
"""The unit that runs each program, in the words that the entry takes."""
LONG_LIVED = [kind for kind in UNITS if kind != "migrate"]
HOME, SETTINGS = "/opt/causeway", "/etc/causeway"
"""Where the documents install the service, and its settings."""
Lines = Mapping[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A unit of this name: its sections, and in them what each key says, line by line."""

    name: str
    sections: Mapping[str, Lines]

    def says(self, section: str, key: str) -> Sequence[str]:
        """Everything that a key says."""
        return self.sections[section].get(key, [])

    def one(self, section: str, key: str) -> str:
        """What a key says that is there once."""
        [value] = self.says(section, key)
        return value

    @property
    def environment(self) -> dict[str, str]:
        """What it sets itself, before what is read from files."""
        return dict(word.split("=", 1) for line in self.says("Service", "Environment") for word in line.split())


def unit(name: str) -> Unit:
    """The unit of this name, from its own file or from the template, with what is dropped in beside it."""
    stem, at, instance = name.removesuffix(".service").partition("@")
    own = FOLDER / (f"{stem}@.service" if at else name)
    dropped = sorted((FOLDER / f"{name}.d").glob("*.conf"))
    sections: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    section = ""
    for line in [line for path in (own, *dropped) for line in path.read_text(encoding="utf-8").splitlines()]:
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            sections[section][key].append(value.replace("%i", instance))
    return Unit(name=name, sections=sections)


def settings_in(path: Path) -> dict[str, str]:
    """What a file of settings says, as systemd and Docker Compose alike read it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
