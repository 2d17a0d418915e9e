"""A server that answers as it is told, in place of LI.FI's: for what its real shapes and faults do to the adapter."""

import json
from dataclasses import dataclass, field
from typing import Any

from localnet.http_server import HttpQuestion, HttpReply
from tests.machine import pause


@dataclass
class Desk:
    """What is answered next, and what was asked. ``body`` as JSON, or as it stands where it is bytes."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0
    following: list[tuple[int, Any]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    names: list[dict[str, str]] = field(default_factory=list)

    def answer(self, status: int, body: Any) -> None:
        self.status, self.body = status, body

    def respond(self, question: HttpQuestion) -> HttpReply:
        self.paths.append(question.path)
        self.asked.append(question.query)
        self.names.append(question.headers)
        status, body = self.following.pop(0) if self.following else (self.status, self.body)
        pause(self.delay_seconds)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return HttpReply(body=content, status=status, headers=self.headers)
