"""Asks the application as the web server does: on PostgreSQL first the short way, then Django."""

from io import BytesIO
from typing import Any

from django.core.handlers.wsgi import WSGIRequest
from django.db import connection
from django.http import HttpResponse
from django.test.client import ClientHandler

from checkout.fast_path import fast_answer as answer_poll
from payments.fast_path.door import PATH, fast_answer, learn


class AsServed(ClientHandler):
    """What a test client asks, in place of Django alone."""

    def __call__(self, environ: dict[str, Any]) -> Any:
        """The answer, by whichever way it came."""
        if connection.vendor != "postgresql":
            return super().__call__(environ)
        is_of_intents = environ["PATH_INFO"].startswith(PATH)
        if is_of_intents:
            environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read())  # the client's own cannot be read too far
        given = fast_answer(environ) if is_of_intents else answer_poll(environ)
        if given is None:
            response = super().__call__(environ)
            if is_of_intents:
                learn(environ)
            return response
        answer, headers = given
        shown = HttpResponse(answer.body, status=answer.http_status, headers=dict(headers))
        shown.wsgi_request = WSGIRequest(environ)  # type: ignore[attr-defined]  # where the client looks for it
        return shown
