"""The example environment names every setting. What they may say stands in tests/config/test_environment.py."""

import re

from tests.architecture.source import ROOT

READS = (
    r"(?:env\.\w+|aggregator_url|basis_points|key_service_\w+|keys_folder|load_or_create_secret|node_urls|number"
    r"|one_of|origins|passphrase|port|secret_list|switch|whole_number)"
)


def names_read(text: str) -> set[str]:
    return set(re.findall(READS + r"\(\s*\"([A-Z][A-Z0-9_]+)\"", text))


def names_shown(text: str) -> set[str]:
    """The environment variables that the example names, commented out or not."""
    return set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", text, re.MULTILINE))


def test_the_example_environment_names_every_setting() -> None:
    settings = (ROOT / "config" / "settings.py").read_text(encoding="utf-8")
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert len(names_read(settings)) >= 10
    assert names_read(settings) - names_shown(example) == set()
    planted = names_read('FEE: int = env.int("PLANTED_FEE", default=0)')
    assert planted - names_shown("#PORT=8000\n") == {"PLANTED_FEE"}
