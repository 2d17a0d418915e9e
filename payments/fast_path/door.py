"""Stands before Django: answers what is ordinary, and hands on everything else."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.db import DatabaseError, connection

from core.caller import address_in
from core.clock import now, ticks
from core.exception_handler import as_service_error, error_body
from core.ids import parse_public_id
from core.renderers import to_json
from core.request_id import named
from core.secrets import SecretUnreadable
from merchants.authentication import note_use
from merchants.request_log import Line, printable, request_log
from payments.fast_path.answer import FastAnswer, Headers, headers_of, standing_headers
from payments.fast_path.caller import Caller, Environment, caller_of, learn_caller
from payments.fast_path.creation import Creation, read_creation
from payments.fast_path.retrieval import Retrieval

PATH: Final = "/api/public/v1/payment-intents"

Respond = Callable[[str, Headers], Any]
Application = Callable[[Environment, Any], Iterable[bytes]]


class FastPath:
    """A WSGI application before another one, which answers what this one does not."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environment: Environment, respond: Respond) -> Iterable[bytes]:
        """Answer, or have it answered."""
        if not environment["PATH_INFO"].startswith(PATH):
            return self._application(environment, respond)
        connection.close_if_unusable_or_obsolete()  # as Django does before each request
        given = fast_answer(environment)
        if given is None:
            answered = self._application(environment, respond)
            learn_caller(environment)
            return answered
        answer, headers = given
        respond(answer.status_line, headers)
        return [answer.body]


def fast_answer(environment: Environment) -> tuple[FastAnswer, Headers] | None:
    """The answer to an ordinary request; None for any other, of which nothing was done, though it may be counted."""
    began, standing, caller = ticks(), standing_headers(environment), caller_of(environment)
    if standing is None or caller is None or environment.get("QUERY_STRING"):
        return None
    asked = _asked(environment, caller)
    counted = None if asked is None else caller.count(asked.buckets, environment)
    if asked is None or counted is None:
        return None
    with named() as request_id:
        answer = _ran(asked, request_id)
    if answer is None:
        return None
    note_use(caller.key_id, address_in(environment))
    request_log.note(_line(environment, asked, answer, request_id, round((ticks() - began) * 1000)))
    return answer, headers_of(answer, standing=standing, allow=asked.allow, request_id=request_id, counted=counted)


def _asked(environment: Environment, caller: Caller) -> Creation | Retrieval | None:
    """What is asked for, where it is ordinary."""
    method, path = environment["REQUEST_METHOD"], environment["PATH_INFO"]
    if method == "POST" and path == PATH:
        try:
            return read_creation(environment, caller)
        except DatabaseError:
            return None  # nothing was written yet: the views meet the same, and say so
    if method == "GET" and path.startswith(f"{PATH}/"):
        intent_id = parse_public_id(path[len(PATH) + 1 :], "pi_")
        return None if intent_id is None else Retrieval(caller=caller, intent_id=intent_id)
    return None


def _ran(asked: Creation | Retrieval, request_id: str) -> FastAnswer | None:
    """What came of it; None where the views must say. Why not after every failure: what is unknown may be stored."""
    try:
        return asked.run(request_id)
    except SecretUnreadable:
        return None
    except Exception as error:
        if getattr(error.__cause__, "sqlstate", None):  # the database refused it, so nothing is stored
            return None
        refusal = as_service_error(error)
        return FastAnswer(
            http_status=refusal.http_status,
            body=to_json(error_body(refusal)),
            headers=tuple(refusal.headers.items()),
            code=refusal.code,
        )


def _line(
    environment: Environment, asked: Creation | Retrieval, answer: FastAnswer, request_id: str, milliseconds: int
) -> Line:
    """The request, as the log keeps it."""
    principal = asked.caller.principal
    return Line(
        created_at=now(),
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        key_id=asked.caller.key_id,
        method=environment["REQUEST_METHOD"],
        path=environment["PATH_INFO"],
        query="",
        route=asked.route,
        status=answer.http_status,
        code=answer.code,
        duration_ms=milliseconds,
        request_id=request_id,
        object_id=asked.object_of(answer),
        address=printable(address_in(environment)[:64]),
        user_agent=printable(environment.get("HTTP_USER_AGENT", "")[:200]),
        body=asked.shown_body,
    )
