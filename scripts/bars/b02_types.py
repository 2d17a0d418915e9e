"""B2: mypy and pyright, both strict, find nothing in the Python SDK."""

import re
import subprocess
from pathlib import Path

from scripts.bars.figures import Figure, exactly
from sdks.generator.python import PACKAGE
from sdks.generator.read import ROOT

FOLDER = PACKAGE.parent.parent


def measure() -> list[Figure]:
    """The errors of each."""
    python = ROOT / ".venv" / "bin" / "python"
    mypy = [str(python), "-m", "mypy", "--no-error-summary"]
    pyright = [str(ROOT / ".local" / "sdks-venv" / "bin" / "pyright"), "--pythonpath", str(python)]
    return [
        exactly("B2", f"errors of {name} in the Python SDK", _errors(command, FOLDER), 0, "")
        for name, command in (("mypy, strict", mypy), ("pyright, strict", pyright))
    ]


def _errors(command: list[str], folder: Path) -> int:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = len(re.findall(r"\berror:|- error:", run.stdout))
    return found or run.returncode
