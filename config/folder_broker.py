"""Task messages as files in one folder: the embedded default's broker, which needs no service.

Why our own: the library's folder transport shows half-written files to its reader, which ends the worker,
and moves messages through the machine's shared temporary folder.
"""

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads


class Channel(filesystem.Channel):
    """Writes each message under a hidden name first, and claims it by renaming: both are atomic."""

    def _put(  # type: ignore[override]  # the library names this argument in two ways
        self, queue: str, payload: dict[str, Any], **_: Any
    ) -> None:
        folder = Path(self.data_folder_out)
        name = f"{time.monotonic_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        unfinished = folder / f".{name}"
        unfinished.write_bytes(str_to_bytes(dumps(payload)))
        unfinished.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        ending = f".{queue}.msg"
        folder = self.data_folder_in
        for name in sorted(name for name in os.listdir(folder) if name.endswith(ending) and name[0] != "."):
            claimed = Path(folder, f".{name}.taken")
            try:
                Path(folder, name).rename(claimed)
            except FileNotFoundError:
                continue  # another worker was faster
            text = bytes_to_str(claimed.read_bytes())
            claimed.unlink()
            return loads(text)
        raise Empty


class Transport(filesystem.Transport):
    """The library's folder transport with the channel above."""

    Channel = Channel


def empty(folder: Path) -> None:
    """Make the folder ready for a fresh start. Why: the rows are the queue, so old messages say nothing."""
    (folder / "control").mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.is_file():
            path.unlink(missing_ok=True)
