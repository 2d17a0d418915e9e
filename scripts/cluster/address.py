"""Moves the address that everybody asks from an HAProxy that died to the other one, as keepalived does elsewhere.

Usage: python -m scripts.cluster.address FOLDER    Until it is killed. Both listen on the same address of the loopback,
and the one that has it not is told to accept nobody; it looks after the engines all the same, as it would elsewhere.
"""

import socket
import sys
import time
from pathlib import Path

from scripts.cluster import hosts
from scripts.cluster.engines import CONTROL

FRONTENDS = ("postgres", "redis", "public")
LOOK_SECONDS = 0.2
SILENT_SECONDS = 2.0
"""After that its address is taken from it: two looks of keepalived's, a second apart."""


class Address:
    """Whose it is, and since when that one was silent."""

    def __init__(self, controls: dict[str, Path]) -> None:
        self._controls = controls
        self.holder = next(iter(controls))
        self._heard_at = time.monotonic()

    def look(self) -> None:
        """Let every other HAProxy accept nobody; give the address to one that answers when its holder is silent.

        It stays where it is when the one that had it comes back (keepalived: nopreempt).
        """
        now = time.monotonic()
        if self._accepts(self.holder, "enable"):
            self._heard_at = now
        others = [name for name in self._controls if name != self.holder and self._accepts(name, "disable")]
        if others and now - self._heard_at > SILENT_SECONDS:
            self.holder, self._heard_at = others[0], now
            print(f"{self.holder} has the address.", flush=True)
            self._accepts(self.holder, "enable")

    def _accepts(self, name: str, action: str) -> bool:
        """Whether an HAProxy heard that it is to accept callers, or nobody."""
        try:
            tell(self._controls[name], "; ".join(f"{action} frontend {one}" for one in FRONTENDS))
        except OSError:
            return False
        return True


def tell(control: Path, command: str) -> str:
    """What an HAProxy answers. Source: https://docs.haproxy.org/2.6/management.html#9.3. Raises: OSError."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(str(control))
        connection.sendall(f"{command}\n".encode())
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts).decode()


def main() -> None:
    """Look again and again."""
    address = Address({name: Path(sys.argv[1]) / name / CONTROL for name in hosts.FRONTS})
    while True:
        address.look()
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    main()
