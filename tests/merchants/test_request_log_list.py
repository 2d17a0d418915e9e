"""GET /request-log: the lines that the dashboard shows, in pages, for the merchant's own secret keys."""

from typing import Any

import pytest

from core.clock import wire_time
from core.modes import Mode
from merchants.models import ApiKey, KeyKind, RequestRecord
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.merchants.log_lines import INTENTS, logged, put

LOG = "/request-log"


def rows(account: NewMerchant, count: int, begin: int = 0, **columns: Any) -> list[str]:
    """The names of new requests, the newest first."""
    names = [f"req_{number:032x}" for number in range(begin, begin + count)]
    for name in names:
        put(account, request_id=name, **columns)
    return names[::-1]


def ids(api: ApiClient, query: str = "") -> list[str]:
    reply = api.get(f"{LOG}{query}")
    assert reply.status == 200, reply.body
    return [line["id"] for line in reply.body["data"]]


def test_a_line_says_what_was_asked_and_answered_and_keeps_private_what_the_log_does(
    account: NewMerchant, api: ApiClient
) -> None:
    wish = {"amount": 25, "customer_email": "ann@shop.example", "metadata": {"a": 1}, "stranger": "x"}
    refused = api.post("/payment-intents", wish, User_Agent="shop/1.0")
    made = api.post("/payment-intents", {"amount": 19.99})
    [record, _] = logged()
    newest, oldest = api.get(LOG).body["data"]
    key = ApiKey.objects.get(merchant=account.merchant, mode=Mode.TEST, kind=KeyKind.SECRET)
    assert oldest == {
        **{"id": refused.headers["Request-Id"], "created_at": wire_time(record.created_at), "method": "POST"},
        **{"path": INTENTS, "query": "", "status": 400, "code": "invalid_request"},
        **{"duration_ms": record.duration_ms, "key_id": str(key.pk), "payment_intent_id": None},
        **{"address": "127.0.0.1", "user_agent": "shop/1.0"},
        "body": {
            **{"amount": 25, "customer_email": "[text, 16 characters]", "metadata": "[object, 1 keys]"},
            "[other fields]": 1,
        },
    }
    assert (newest["code"], newest["payment_intent_id"], newest["body"]) == (None, made.body["id"], {"amount": 19.99})


def test_pages_go_both_ways_and_end(account: NewMerchant, api: ApiClient) -> None:
    names = rows(account, 7)
    first = api.get(f"{LOG}?limit=3")
    assert ([line["id"] for line in first.body["data"]], first.body["has_more"]) == (names[:3], True)
    assert first.body["next_cursor"] == names[2]
    assert first.headers["Link"] == f'</api/public/v1/request-log?limit=3&starting_after={names[2]}>; rel="next"'
    last = api.get(f"{LOG}?limit=4&starting_after={names[2]}").body
    assert ([line["id"] for line in last["data"]], last["has_more"], last["next_cursor"]) == (names[3:], False, None)
    newer = api.get(f"{LOG}?limit=2&ending_before={names[4]}").body
    assert ([line["id"] for line in newer["data"]], newer["next_cursor"]) == (names[2:4], names[2])
    assert ids(api, f"?ending_before={names[2]}") == names[:2]
    assert ids(api, f"?ending_before={names[0]}") == []
    [later] = rows(account, 1, begin=7)
    assert ids(api, f"?ending_before={names[0]}") == [later]


def test_by_status_and_path(account: NewMerchant, api: ApiClient) -> None:
    [fine] = rows(account, 1)
    [missing] = rows(account, 1, begin=1, status=404, path="/api/public/v1/refunds")
    [broken] = rows(account, 1, begin=2, status=500)
    for query, names in (
        ("status=2xx", [fine]),
        ("status=404", [missing]),
        ("status=4xx,5xx", [broken, missing]),
        ("status=403", []),
        ("path=/api/public/v1/refunds", [missing]),
        (f"path={INTENTS}&status=5xx", [broken]),
    ):
        assert ids(api, f"?{query}") == names, query


def test_what_is_rare_is_looked_for_so_far_and_then_further(
    account: NewMerchant, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("merchants.request_pages.LOOKED_THROUGH", 4)
    [rare] = rows(account, 1, begin=9, status=404)
    names = rows(account, 6)
    first = api.get(f"{LOG}?status=404").body
    assert first == {"data": [], "has_more": True, "next_cursor": names[3]}
    again = api.get(f"{LOG}?status=404&starting_after={names[3]}").body
    assert ([line["id"] for line in again["data"]], again["has_more"]) == ([rare], False)
    onward = api.get(f"{LOG}?status=404&ending_before={rare}").body
    assert (onward["data"], onward["has_more"], onward["next_cursor"]) == ([], True, names[2])


def test_others_see_nothing_of_it_and_their_names_lead_nowhere(
    account: NewMerchant, other_account: NewMerchant, api: ApiClient, live_api: ApiClient
) -> None:
    [theirs] = rows(other_account, 1, begin=1)
    [live] = rows(account, 1, begin=2, mode="live")
    assert (ids(api), ids(live_api)) == ([], [live])
    for name in (theirs, live, "req_" + "f" * 32, "7", ""):
        for parameter in ("starting_after", "ending_before"):
            reply = api.get(f"{LOG}?{parameter}={name}")
            assert_refused(reply, 400, "invalid_parameter")
            assert reply.body["details"] == {"parameter": parameter}


def test_parameters_that_make_no_sense_are_refused(account: NewMerchant, api: ApiClient) -> None:
    [name] = rows(account, 1)
    for query, parameter in (
        *(("status=9xx", "status"), ("status=ok", "status"), ("status=", "status"), ("status=4xx,", "status")),
        *(("path=refunds", "path"), ("path=/" + "x" * 200, "path"), ("path=/%00", "path"), ("limit=101", "limit")),
        (f"starting_after={name}&ending_before={name}", "starting_after"),
    ):
        reply = api.get(f"{LOG}?{query}")
        assert_refused(reply, 400, "invalid_parameter")
        assert reply.body["details"] == {"parameter": parameter}, query
    assert RequestRecord.objects.count() == 1
