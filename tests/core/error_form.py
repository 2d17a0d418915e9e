"""The one form of every refusal. Source: specification, Errors; contract, Errors."""

from django.conf import settings

from tests.conftest import Reply

KEYS = frozenset({"error", "code", "details", "request_id", "doc_url"})


def assert_error_form(reply: Reply) -> None:
    """Check body and headers of any answer above 399."""
    assert reply.headers["Content-Type"] == "application/json", reply.raw[:200]
    assert set(reply.body) == KEYS
    assert isinstance(reply.body["error"], str)
    assert reply.body["error"]
    assert isinstance(reply.body["code"], str)
    assert reply.body["code"].replace("_", "").isalpha()
    assert isinstance(reply.body["details"], dict)
    assert reply.body["request_id"].startswith("req_")
    assert reply.headers["Request-Id"] == reply.body["request_id"]
    assert reply.body["doc_url"] == f"{settings.BASE_URL}/docs/errors#{reply.body['code']}"
    assert ("WWW-Authenticate" in reply.headers) == (reply.status == 401)
    assert reply.status != 405 or reply.headers["Allow"]


def assert_refused(reply: Reply, status: int, code: str) -> None:
    """Check that an answer is this refusal, in the one form."""
    assert (reply.status, reply.body["code"] if reply.body else None) == (status, code), reply.raw[:300]
    assert_error_form(reply)
