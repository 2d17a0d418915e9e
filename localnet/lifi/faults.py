"""What a test makes LI.FI say instead of the truth."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from localnet.lifi.calldata import changed
from localnet.paths import GONE, put

__all__ = ["GONE", "Answer", "Fault"]


@dataclass
class Answer:
    """What is about to be sent."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)

    def text(self) -> bytes:
        """The body as it goes out; bytes as they are."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Fault:
    """One thing wrong with the next answers.

    ``on``: the path, or empty for every one. ``times``: how many answers; -1 is all. ``fields``: new values by their
    paths in the answer, ``GONE`` to leave one out, or what makes the new value of the old one. ``call``: the same for
    the arguments of the Diamond's call, by the names that localnet/contracts/Diamond.sol gives them. ``rewrites``
    changes the whole body as it likes.
    """

    on: str = ""
    times: int = 1
    status: int = 0
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0
    hangs_up: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    call: dict[str, Any] = field(default_factory=dict)
    rewrites: Callable[[dict[str, Any]], None] | None = None

    def concerns(self, path: str) -> bool:
        """Whether it is about this question and not used up."""
        return self.times != 0 and self.on in {"", path}

    def spoil(self, answer: Answer) -> Answer | None:
        """The answer as it goes out now; None where the connection just ends."""
        self.times -= self.times > 0
        time.sleep(self.delay_seconds)
        if self.hangs_up:
            return None
        if answer.status == 200:  # noqa: PLR2004  Why: HTTP's own number.
            for path, value in self.call.items():
                request = answer.body["transactionRequest"]
                request["data"] = changed(request["data"], path, value)
            if self.rewrites is not None:
                self.rewrites(answer.body)
            for path, value in self.fields.items():
                put(answer.body, path, value)
        body = answer.body if self.body is None else self.body
        return Answer(self.status or answer.status, body, answer.headers | self.headers)
