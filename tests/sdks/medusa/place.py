"""Puts causeway-medusa and the SDK, compiled, where a shop of Medusa has its packages."""

import shutil
from pathlib import Path

from scripts.suite.steps import ROOT
from tests.sdks.npm import run

HERE = Path(__file__).parent
INSTALLED = ROOT / ".local" / "sdks-medusa" / "node_modules"
PACKAGES = {"causeway-sdk": ROOT / "sdks" / "typescript", "causeway-medusa": ROOT / "sdks" / "medusa"}
"""In the order in which they are compiled."""


def place(folder: Path) -> Path:
    """A shop in ``folder``/shop, with both packages as its own and Medusa's packages above them; where its own are."""
    assert INSTALLED.exists(), "no Medusa is installed: run make sdks-medusa"
    (folder / "node_modules").symlink_to(INSTALLED)
    shop = folder / "shop"
    shutil.copytree(HERE / "shop", shop)
    own = shop / "node_modules"
    for name, source in PACKAGES.items():
        shutil.copytree(source, own / name, ignore=shutil.ignore_patterns("dist", "*.tgz"))
        run(str(INSTALLED / ".bin" / "tsc"), "--project", str(own / name / "tsconfig.json"))
    return own
