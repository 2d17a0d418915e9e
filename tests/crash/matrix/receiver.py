"""A receiver of webhooks in a process of its own, which writes down what it accepted: the merchants' own record."""

import json
from pathlib import Path

from tests.crash.matrix.clock import SharedClock
from tests.journeys.recipe import ACCEPTED, REFUSED, Receiver, is_genuine


class Book(Receiver):
    """Which events were accepted, by their ids. Written by the receiver's process, read by the conductor."""

    def __init__(self, folder: Path, clock: SharedClock) -> None:
        super().__init__()
        self.clock, self.trusted, self.lines = clock, folder / "secrets", folder / "accepted"
        self.trusted.touch()
        self.lines.touch()

    def trust(self, secret: str) -> None:
        with self.trusted.open("a") as out:
            out.write(f"{secret}\n")

    def ids(self) -> set[str]:
        return set(self.lines.read_text().split())

    def take(self, headers: dict[str, str], raw_body: bytes) -> int:
        """Judge one delivery by the matrix's clock."""
        secrets = self.trusted.read_text().split()
        if not is_genuine(headers.get("svc-signature", ""), raw_body, secrets, self.clock.unix()):
            return REFUSED
        with self.lines.open("a") as out:
            out.write(f"{json.loads(raw_body)['id']}\n")
        return ACCEPTED
