"""B2: mypy and pyright, both strict, find nothing in the Python SDK, and tsc, strict, nothing in the TypeScript one."""

import re
import subprocess
from pathlib import Path

from scripts.bars.figures import Figure, exactly
from sdks.generator.python import PACKAGE
from sdks.generator.read import ROOT
from sdks.generator.typescript import PACKAGE as TYPESCRIPT

FOLDER = PACKAGE.parent.parent


def measure() -> list[Figure]:
    """The errors of each."""
    python = ROOT / ".venv" / "bin" / "python"
    mypy = [str(python), "-m", "mypy", "--no-error-summary"]
    pyright = [str(ROOT / ".local" / "sdks-venv" / "bin" / "pyright"), "--pythonpath", str(python)]
    tsc = [str(ROOT / ".local" / "sdks-node" / "node_modules" / ".bin" / "tsc"), "--noEmit", "--project", "."]
    return [
        exactly("B2", f"errors of {name}, strict, in the {language} SDK", _errors(command, folder), 0, "")
        for name, language, command, folder in (
            ("mypy", "Python", mypy, FOLDER),
            ("pyright", "Python", pyright, FOLDER),
            ("tsc", "TypeScript", tsc, TYPESCRIPT),
        )
    ]


def _errors(command: list[str], folder: Path) -> int:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = len(re.findall(r"\berror(:| TS)", run.stdout))
    return found or run.returncode
