"""The short way of ordinary requests, as the web server goes it on PostgreSQL. Source: docs/fast-path.md."""

from django.conf import settings

from checkout.fast_path import answer_in_loop as answer_poll
from config.whole_requests import Answer, Environment
from core import deprecations
from core.loop_connections import LoopConnections
from payments.fast_path import answer_in_loop, learning

__all__ = ["answer_ordinary", "learning"]

_connections = LoopConnections(settings.FAST_CONNECTIONS)


async def answer_ordinary(environment: Environment) -> Answer | None:
    """The answer to an ordinary request; None for any other."""
    given = await answer_in_loop(environment, _connections) or await answer_poll(environment, _connections)
    if given is None:
        return None
    answer, headers = given
    if deprecations.DEPRECATIONS:
        used = (environment["REQUEST_METHOD"], environment["PATH_INFO"], environment.get("QUERY_STRING", ""))
        headers = [*headers, *deprecations.warnings_of(*used)]
    return Answer(status=answer.http_status, headers=headers, content=answer.body)
