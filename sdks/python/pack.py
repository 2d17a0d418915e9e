"""Packs the wheel again as small as its format allows: the same files with the same times in the same order."""

import zipfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SMALLEST = 9


class CustomBuildHook(BuildHookInterface[Any]):
    """Runs when the wheel is written."""

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Write it once more."""
        with zipfile.ZipFile(artifact_path) as made:
            parts = [(info, made.read(info)) for info in made.infolist()]
        with zipfile.ZipFile(artifact_path, "w") as packed:
            for info, content in parts:
                packed.writestr(info, content, zipfile.ZIP_DEFLATED, SMALLEST)
