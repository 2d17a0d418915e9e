"""Where ``client.events.catch_up`` keeps how far it is."""

from __future__ import annotations

import os
from pathlib import Path

from causeway_sdk._catching_up import AsyncCursorStore, CursorStore

__all__ = ["AsyncCursorStore", "CursorFile", "CursorStore"]


class CursorFile:
    """A cursor in a file, which is replaced whole: it holds the new one or the one before, and never a part."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def load(self) -> str | None:
        """The cursor that was saved last; None before the first."""
        try:
            return self._path.read_text(encoding="ascii").strip() or None
        except FileNotFoundError:
            return None

    def save(self, cursor: str) -> None:
        """Replace the file, once the new one is on the disk."""
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with draft.open("w", encoding="ascii") as file:
            file.write(cursor)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)
