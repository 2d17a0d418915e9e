"""The vectors of calls: the error in an answer, which tries follow which outcome, and how lists go on."""

from typing import Any

Vector = dict[str, Any]
INTENT = {"id": "00000000-0000-4000-8000-000000000001", "status": "created"}
NOT_THE_SERVICE = "unexpected_answer"


def contents() -> dict[str, list[Vector]]:
    """The vectors of each file."""
    return {"errors.json": error_vectors(), "retries.json": retry_vectors(), "pages.json": page_vectors()}


def refusal(code: str, **details: Any) -> dict[str, Any]:
    """A refusal's body."""
    return {"error": "A sentence.", "code": code, "details": details, "request_id": "req_1"}


def error_vectors() -> list[Vector]:
    """An answer, and the class, code and whether trying again can help."""
    known = [
        (400, "invalid_request", "InvalidRequestError", False),
        (401, "invalid_api_key", "AuthenticationError", False),
        (403, "insufficient_scope", "PermissionDeniedError", False),
        (404, "not_found", "NotFoundError", False),
        (405, "method_not_allowed", "InvalidRequestError", False),
        (408, "request_timeout", "InvalidRequestError", True),
        (409, "intent_not_settled", "ConflictError", False),
        (409, "idempotency_key_in_progress", "ConflictError", True),
        (413, "body_too_large", "InvalidRequestError", False),
        (429, "rate_limited", "RateLimitError", True),
        (500, "internal_error", "ServerError", True),
        (503, "unavailable", "ServerError", True),
        (400, "a_code_of_tomorrow", "InvalidRequestError", False),
    ]
    kept = {"request_id": "req_1", "details": {"key": "value"}}
    made = [
        {
            "name": f"{status} {code}",
            "status": status,
            "body": refusal(code, key="value"),
            "error": {"class": cls, "code": code, "retryable": again, **kept},
        }
        for status, code, cls, again in known
    ]
    foreign = {"class": "ServerError", "code": NOT_THE_SERVICE, "retryable": True, "request_id": None, "details": {}}
    pages = [("a proxy's page", "<html>Bad gateway</html>"), ("nothing", ""), ("a list", "[]"), ("cut", '{"error": "A')]
    return made + [
        {
            "name": f"502 {name}",
            "status": 502,
            "text": text,
            "error": {"class": "ServerError", "retryable": True, **foreign},
        }
        for name, text in pages
    ]


def retry_vectors() -> list[Vector]:
    """The outcomes of a create in turn (``lost``: no answer came), how many tries follow, and how it ends.

    ``pauses``: the least seconds before each further try. Every try carries the same key.
    """
    busy = {"status": 409, "body": refusal("idempotency_key_in_progress"), "headers": {"Retry-After": "1"}}
    done = {"status": 201, "body": INTENT}
    slow = {"status": 429, "body": refusal("rate_limited"), "headers": {"Retry-After": "3"}}
    long = {"status": 429, "body": refusal("rate_limited"), "headers": {"Retry-After": "3600"}}
    page, half = {"status": 200, "text": "<html>Sign in</html>"}, {"status": 201, "text": '{"id": "000'}
    wrong = {"status": 400, "body": refusal("invalid_request")}
    again = [
        {"name": f"{status}, then done", "outcomes": [{"status": status, "body": refusal("x")}, done], "tries": 2}
        for status in (408, 429, 500, 502, 503, 504)
    ]
    return [
        {"name": "done at once", "outcomes": [done], "tries": 1, "ends": "done"},
        *({**vector, "ends": "done"} for vector in again),
        {"name": "lost, then done", "outcomes": ["lost", done], "tries": 2, "ends": "done"},
        {"name": "lost twice, then done", "outcomes": ["lost", "lost", done], "tries": 3, "ends": "done"},
        {"name": "lost three times", "outcomes": ["lost"] * 3, "tries": 3, "ends": "APIConnectionError"},
        {"name": "a page, then done", "outcomes": [page, done], "tries": 2, "ends": "done"},
        {"name": "half an answer, then done", "outcomes": [half, done], "tries": 2, "ends": "done"},
        {"name": "three pages", "outcomes": [page] * 3, "tries": 3, "ends": "APIConnectionError"},
        {"name": "in progress, then done", "outcomes": [busy, done], "tries": 2, "ends": "done", "pauses": [1]},
        {"name": "asked to wait", "outcomes": [slow, done], "tries": 2, "ends": "done", "pauses": [3]},
        {"name": "asked to wait for an hour", "outcomes": [long], "tries": 1, "ends": "RateLimitError"},
        {"name": "refused", "outcomes": [wrong], "tries": 1, "ends": "InvalidRequestError"},
        {"name": "refused after a loss", "outcomes": ["lost", wrong], "tries": 2, "ends": "InvalidRequestError"},
        {"name": "another conflict", "outcomes": [{"status": 409, "body": refusal("intent_not_settled")}], "tries": 1}
        | {"ends": "ConflictError"},
    ]


def page_vectors() -> list[Vector]:
    """The answers of a list in turn, the cursors asked for, and the ids that come out."""

    def page(ids: list[str], more: bool, cursor: str | None) -> dict[str, Any]:  # noqa: FBT001 - as it is on the wire
        return {"data": [{"id": one} for one in ids], "has_more": more, "next_cursor": cursor}

    def vector(name: str, answers: list[dict[str, Any]], asked: list[str | None], ids: list[str]) -> Vector:
        return {"name": name, "answers": answers, "asked": asked, "ids": ids}

    bare = {"data": [{"id": "a"}]}
    return [
        vector("one page", [page(["a", "b"], False, None)], [None], ["a", "b"]),
        vector("nothing", [page([], False, None)], [None], []),
        vector("two pages", [page(["a"], True, "a"), page(["b"], False, None)], [None, "a"], ["a", "b"]),
        vector(
            "an empty page between",
            [page(["a"], True, "a"), page([], True, "x"), page(["b"], False, None)],
            [None, "a", "x"],
            ["a", "b"],
        ),
        vector("a cursor that comes again", [page(["a"], True, "a"), page(["b"], True, "a")], [None, "a"], ["a", "b"]),
        vector("more, and no cursor", [page(["a"], True, None)], [None], ["a"]),
        vector("a cursor, and no more", [page(["a"], False, "a")], [None], ["a"]),
        vector("neither key", [bare], [None], ["a"]),
        vector("keys of tomorrow", [{**page(["a"], False, None), "new": {"key": 1}}], [None], ["a"]),
    ]
