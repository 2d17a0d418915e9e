"""What both tests of agents' pages read."""

from typing import Any

from django.test import Client

from tests.merchants.people import text_of


def followed(client: Client, answer: Any) -> str:
    """The page that a form's answer leads to."""
    assert answer.status_code == 302, answer.status_code
    return text_of(client.get(answer.headers["Location"]))
