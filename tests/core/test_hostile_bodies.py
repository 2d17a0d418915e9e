"""No body whatever gets more than a refusal in the one form, and none leaves anything behind."""

from itertools import product

import pytest
from django.test import Client

from core.exception_handler import as_service_error
from merchants.services import NewMerchant
from tests.conftest import Reply, read_reply
from tests.core.error_form import assert_error_form, assert_refused
from tests.core.hostile_bodies import HOSTILE, Hostile
from tests.factories.rows import all_rows

CREATE = "/api/public/v1/payment-intents"


def send(method: str, path: str, key: str, hostile: Hostile) -> Reply:
    headers = {"Authorization": f"Bearer {key}", **hostile.headers}
    client = Client(raise_request_exception=False, headers=headers)
    return read_reply(client.generic(method, path, hostile.body, content_type=hostile.content_type))


@pytest.mark.spec("Contract 1.4; Contract 5.3; Contract 5.15; Contract 12.2; Errors: body")
@pytest.mark.spec("create intent: 400 invalid input")
def test_create_refuses(account: NewMerchant) -> None:
    before = all_rows()
    for hostile in HOSTILE:
        reply = send("POST", CREATE, account.test.secret_key, hostile)
        assert (reply.status, reply.body.get("code")) == (hostile.status, hostile.code), hostile.name
        assert_error_form(reply)
        if hostile.reason is not None:
            assert reply.body["details"] == {"reason": hostile.reason}, hostile.name
        if hostile.status == 413:
            assert reply.body["details"] == {"limit_bytes": 256 * 1024}, hostile.name
    assert all_rows() == before
    names = [hostile.name for hostile in HOSTILE]
    assert len(names) == len(set(names)) >= 100


@pytest.mark.spec("Contract 5.19")
def test_no_path_breaks_and_an_unexpected_failure_says_nothing_of_the_inside(account: NewMerchant) -> None:
    characters = ("%00", "%ff", "%ed%a0%80", "%2e%2e%2f", "%F0%9F%92%B8", "a" * 5000, "%0d%0aX:y")
    for path, character in product(("payment-intents/", "webhook-endpoints/", "checkout/", ""), characters):
        reply = send("GET", f"/api/public/v1/{path}{character}", account.test.secret_key, Hostile("", b""))
        assert_refused(reply, 404, "not_found")
    refusal = as_service_error(RuntimeError("password is hunter2"))
    assert (refusal.http_status, refusal.code, refusal.details) == (500, "internal_error", {"retryable": True})
    assert "hunter2" not in refusal.message
