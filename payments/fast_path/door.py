"""Stands before Django: answers what is ordinary, and leaves everything else to it."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from django.db import DatabaseError

from core.buckets import Verdict
from core.caller import address_in
from core.clock import Ticks, now, ticks
from core.exception_handler import as_service_error, error_body
from core.fast_answer import FastAnswer, Given, Headers, headers_of, standing_headers
from core.ids import new_request_id, parse_public_id
from core.renderers import to_json
from core.request_id import named
from core.secrets import SecretUnreadable
from merchants.authentication import note_use
from merchants.request_log import Line, printable, request_log
from payments.fast_path.caller import Caller, Environment, caller_of, learn_caller
from payments.fast_path.creation import Creation, read_creation
from payments.fast_path.merchant import learn_settings
from payments.fast_path.retrieval import Retrieval
from payments.fast_path.statement import Row, Statement, first_row

if TYPE_CHECKING:  # it needs PostgreSQL's driver
    from core.loop_connections import LoopConnections

PATH: Final = "/api/public/v1/payment-intents"

logger = logging.getLogger("causeway.web")

Application = Callable[[Environment, Any], Iterable[bytes]]


def learning(application: Application) -> Application:
    """The views, whose answers teach this process about the key that asked."""

    def answered(environment: Environment, respond: Any) -> Iterable[bytes]:
        given = application(environment, respond)
        if environment["PATH_INFO"].startswith(PATH):
            learn(environment)
        return given

    return answered


def learn(environment: Environment) -> None:
    """Remember what the views found out about the key, and what its merchant has set."""
    caller = learn_caller(environment)
    if caller is not None:
        with suppress(DatabaseError):
            learn_settings(caller.principal)


async def answer_in_loop(environment: Environment, connections: "LoopConnections") -> Given | None:
    """As ``fast_answer``; other requests go on while the database is asked."""
    if not environment["PATH_INFO"].startswith(PATH) or (ordinary := _ordinary(environment)) is None:
        return None
    statement = ordinary.statement
    try:
        row = await connections.first_row(statement.text, statement.values)
    except Exception as error:
        return ordinary.refused(error)
    return ordinary.answer(row)


def fast_answer(environment: Environment) -> Given | None:
    """The answer to an ordinary request; None for any other, of which nothing was done, though it may be counted."""
    if (ordinary := _ordinary(environment)) is None:
        return None
    try:
        row = first_row(ordinary.statement)
    except Exception as error:
        return ordinary.refused(error)
    return ordinary.answer(row)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ordinary:
    """An ordinary request that was counted, and the statement that answers it."""

    environment: Environment
    asked: Creation | Retrieval
    standing: Headers
    counted: Verdict
    request_id: str
    began: Ticks
    statement: Statement

    @classmethod
    def read(cls, environment: Environment) -> Self | None:
        """None where it is not ordinary, or a limit is reached."""
        began, standing, caller = ticks(), standing_headers(environment), caller_of(environment)
        if standing is None or caller is None or environment.get("QUERY_STRING"):
            return None
        asked = _asked(environment, caller)
        counted = None if asked is None else caller.count(asked.buckets, environment)
        if asked is None or counted is None:
            return None
        request_id = new_request_id()
        return cls(
            environment=environment,
            asked=asked,
            standing=standing,
            counted=counted,
            request_id=request_id,
            began=began,
            statement=asked.statement(request_id),
        )

    def answer(self, row: Row | None) -> Given | None:
        """What the statement's row says; None where the views must say."""
        try:
            answer = self.statement.read(row)
        except SecretUnreadable:
            return None
        except Exception as error:
            return self._finished(self._refusal(error))
        return None if answer is None else self._finished(answer)

    def refused(self, error: Exception) -> Given | None:
        """What a failed statement means; None where nothing is stored, as the views will find the same."""
        if getattr(error.__cause__, "sqlstate", None):  # the database refused it
            return None
        return self._finished(self._refusal(error))

    def _refusal(self, error: Exception) -> FastAnswer:
        """Why not by the views: what is unknown may be stored."""
        with named(self.request_id):
            refusal = as_service_error(error)
            body = to_json(error_body(refusal))
        headers = tuple(refusal.headers.items())
        return FastAnswer(http_status=refusal.http_status, body=body, headers=headers, code=refusal.code)

    def _finished(self, answer: FastAnswer) -> Given:
        """Noted as the views note it."""
        note_use(self.asked.caller.key_id, address_in(self.environment))
        request_log.note(self._line(answer))
        headers = headers_of(
            answer,
            standing=self.standing,
            allow=self.asked.allow,
            request_id=self.request_id,
            counted=self.counted,
        )
        return answer, headers

    def _line(self, answer: FastAnswer) -> Line:
        """The request, as the log keeps it."""
        environment, principal = self.environment, self.asked.caller.principal
        return Line(
            created_at=now(),
            merchant_id=principal.merchant_id,
            mode=principal.mode,
            key_id=self.asked.caller.key_id,
            method=environment["REQUEST_METHOD"],
            path=environment["PATH_INFO"],
            query="",
            route=self.asked.route,
            status=answer.http_status,
            code=answer.code,
            duration_ms=round((ticks() - self.began) * 1000),
            request_id=self.request_id,
            object_id=self.asked.object_of(answer),
            address=printable(address_in(environment)[:64]),
            user_agent=printable(environment.get("HTTP_USER_AGENT", "")[:200]),
            body=self.asked.shown_body,
        )


def _ordinary(environment: Environment) -> Ordinary | None:
    """Why a failure is no answer: nothing was sent yet, so the views may take it."""
    try:
        return Ordinary.read(environment)
    except Exception:
        logger.exception("an ordinary request could not be read")
        return None


def _asked(environment: Environment, caller: Caller) -> Creation | Retrieval | None:
    """What is asked for, where it is ordinary."""
    method, path = environment["REQUEST_METHOD"], environment["PATH_INFO"]
    if method == "POST" and path == PATH:
        return read_creation(environment, caller)
    if method == "GET" and path.startswith(f"{PATH}/"):
        intent_id = parse_public_id(path[len(PATH) + 1 :], "pi_")
        return None if intent_id is None else Retrieval(caller=caller, intent_id=intent_id)
    return None
