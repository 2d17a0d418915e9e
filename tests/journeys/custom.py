"""Custom that goes on: payments by idempotency keys at two web processes, as a proxy before them would spread them."""

import http
from dataclasses import dataclass, field
from itertools import count, cycle
from threading import Event, Thread

from tests.journeys.http_caller import Answer, Caller, Unreachable, soon
from tests.journeys.production import ENTRY, Production
from tests.journeys.programs import Program
from tests.machine import PATIENCE_SECONDS, pause

BETWEEN_SECONDS = 0.2
SECOND_WEB = "web 2"


@dataclass
class Custom:
    """What was asked and how it was answered. ``refused``: every answer that was not a success."""

    callers: list[Caller]
    made: dict[str, str] = field(default_factory=dict)
    """Which intent each key stands for."""
    refused: list[str] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)
    _over: Event = field(default_factory=Event)

    def __enter__(self) -> "Custom":
        self._thread = Thread(target=self._go_on, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(PATIENCE_SECONDS)
        if self.failures:
            raise self.failures[0]

    def ask(self, path: str, body: object, key: str) -> Answer:
        """POST at whichever web process takes it; where one is just ending, at the other one."""
        tries = cycle(self.callers)

        def answered() -> Answer | None:
            try:
                return next(tries).post(path, body, Idempotency_Key=key)
            except Unreachable:
                return None

        answer = soon(answered, f"POST {path}")
        assert answer is not None
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            self.refused.append(f"{path}: {answer.status} {answer.raw!r}")
        return answer

    def grown(self, by: int = 3) -> None:
        """Wait until so many more were paid, so that what just changed was met by custom."""
        goal = len(self.made) + by
        soon(lambda: self.failures or len(self.made) >= goal, "more custom")

    def _go_on(self) -> None:
        try:
            for number in count():
                if self._over.is_set():
                    return
                key = f"custom-{number}"
                created = self.ask("/payment-intents", {"amount": 25}, key)
                if created.status == http.HTTPStatus.CREATED:
                    intent_id = created.body["id"]
                    self.ask(f"/test-helpers/payment-intents/{intent_id}/pay", {}, f"pay-{number}")
                    self.made[key] = intent_id
                pause(BETWEEN_SECONDS)
        except BaseException as error:
            self.failures.append(error)


def beside(service: Production, port: int) -> str:
    """Give a deployment a second web process; its address."""
    web = service.programs["web"]
    second = Program((*ENTRY, "web"), {**service.environment, "PORT": str(port)}, web.log.with_name("web-2.log"))
    service.programs = {**service.programs, SECOND_WEB: second}
    second.start()
    address = f"http://localhost:{port}"
    soon(lambda: answers(address), "the second web process")
    return address


def answers(address: str) -> bool:
    try:
        return Caller(base_url=address).get("/api/public/health").status == http.HTTPStatus.OK
    except Unreachable:
        return False


def roll(service: Production, **changes: str) -> None:
    """Start every program again with other settings: web processes one after the other, then all else."""
    service.environment.update(changes)
    webs = ("web", SECOND_WEB)
    for name in webs:
        _replace_web(service.programs[name], service.environment)
    others = [program for name, program in service.programs.items() if name not in webs]
    for program in others:
        program.ask_to_end()
    for program in others:
        program.ended()
        program.start()


def _replace_web(web: Program, environment: dict[str, str]) -> None:
    port = web.environment["PORT"]
    web.stop()
    web.environment = {**environment, "PORT": port}
    web.start()
    soon(lambda: answers(f"http://localhost:{port}"), "a web process again")
