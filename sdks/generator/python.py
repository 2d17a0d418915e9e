"""Writes sdks/python/src/causeway_sdk/_generated from the description. ``make sdks`` runs it; a test finds drift."""

import subprocess
import sys
import tempfile
from pathlib import Path

from sdks.generator.ir import Api
from sdks.generator.python_calls import AWAITED, BLOCKING, calls_module, operations_module, services_module
from sdks.generator.python_models import Homes, event_classes, event_union, events_module, models_module, words_module
from sdks.generator.read import ROOT, read_api
from sdks.generator.text import docstring

PACKAGE = ROOT / "sdks" / "python" / "src" / "causeway_sdk"
TARGET = PACKAGE / "_generated"
_MARK = "# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.\n"


def python_files(api: Api) -> dict[str, str]:
    """The text of every generated file by its path in ``_generated``, not yet formatted."""
    homes = Homes(api)
    files = {
        "__init__.py": "\n".join(docstring(["What is written from the description."], 0)),
        "operations.py": operations_module(api),
        "words.py": words_module(api),
        "event_classes.py": events_module(api, homes),
        "events.py": event_union(api),
        "services.py": services_module(api),
        "types.py": _types_module(api, homes),
        "models/__init__.py": "\n".join(docstring(["What the service answers."], 0)),
        "calls/__init__.py": "\n".join(docstring(["Methods that block."], 0)),
        "async_calls/__init__.py": "\n".join(docstring(["Methods that are awaited."], 0)),
    }
    for home in sorted(set(homes.of.values())):
        files[f"models/{home}.py"] = models_module(api, homes, home)
    for service in api.services:
        files[f"calls/{service.name}.py"] = calls_module(api, homes, service, BLOCKING)
        files[f"async_calls/{service.name}.py"] = calls_module(api, homes, service, AWAITED)
    return {name: f"{_MARK}{text}\n" for name, text in files.items()}


def _types_module(api: Api, homes: Homes) -> str:
    events = [*event_classes(api), "Event", "UnknownEvent"]
    named = sorted([*homes.of, *api.enums, *events, "ErrorCode"])
    lines = [*docstring(["Every type by its name, for annotations."], 0)]
    lines += [f"from causeway_sdk._generated.models.{home} import {name}" for name, home in homes.of.items()]
    lines.append(f"from causeway_sdk._generated.words import {', '.join([*api.enums, 'ErrorCode'])}")
    lines.append(f"from causeway_sdk._generated.events import {', '.join(events)}")
    return "\n".join([*lines, f"__all__ = {named!r}"])


def formatted(files: dict[str, str]) -> dict[str, str]:
    """The same files as the project's formatter writes them, without imports that nothing needs."""
    ruff = [sys.executable, "-m", "ruff"]
    with tempfile.TemporaryDirectory(dir=PACKAGE.parent) as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        common = ["--quiet", "--no-cache", "--config", str(ROOT / "pyproject.toml")]
        mend = ["--fix", "--unsafe-fixes", "--exit-zero", "--select", "I,F401,TC"]
        subprocess.run([*ruff, "check", *common, *mend, name], check=True, cwd=ROOT)
        subprocess.run([*ruff, "format", *common, name], check=True, cwd=ROOT)
        return {path: (folder / path).read_text(encoding="utf-8") for path in files}


def committed() -> dict[str, str]:
    """The generated files as they stand."""
    return {
        path.relative_to(TARGET).as_posix(): path.read_text(encoding="utf-8") for path in sorted(TARGET.rglob("*.py"))
    }


def wanted(api: Api | None = None) -> dict[str, str]:
    """The generated files as they should stand."""
    return dict(sorted(formatted(python_files(api or read_api())).items()))


def write() -> None:
    """Write every file, and remove those that are no longer written."""
    files = wanted()
    for path in set(committed()) - set(files):
        (TARGET / path).unlink()
    for path, text in files.items():
        (TARGET / path).parent.mkdir(parents=True, exist_ok=True)
        (TARGET / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
