"""Query parameters under another service's name: refused on every list with the right one; strangers stay ignored."""

from typing import Any

import pytest

from core.misnamed import CURSORS, MISNAMED
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.payments.world import create

PAGED = ("/payment-intents", "/refunds", "/payouts", "/request-log")
WHOLE = ("/webhook-endpoints", "/tokens", "/test-helpers/scenarios")
NOTHING_HERE = ("foo=1", "utm_source=x", "order=desc", "_=17", "Cursor=1")
OF_ONE_LIST = [
    *(("/refunds", "intent_id", "payment_intent_id"), ("/payouts", "payment_intent", "payment_intent_id")),
    *(("/payment-intents", "state", "status"), ("/payment-intents", "since", "created_gte")),
    *(("/payment-intents", "created_lte", "created_lt"), ("/payment-intents", "email", "customer_email")),
    ("/payment-intents", "search", "q"),
]


def refused(api: ApiClient, path: str, name: str) -> dict[str, Any]:
    reply = api.get(f"{path}?{name}=1")
    assert_refused(reply, 400, "invalid_parameter")
    details: dict[str, Any] = reply.body["details"]
    return {**details, "error": reply.body["error"]}


def test_every_other_name_of_paging_is_refused_with_the_right_one(api: ApiClient) -> None:
    for path in PAGED:
        for name, right in MISNAMED.items():
            if right in {"limit", *CURSORS}:
                said = f"{name}: is not known here. Send {right} instead."
                assert refused(api, path, name) == {"parameter": name, "right_name": right, "error": said}, path


def test_parts_of_an_intent_and_deliveries_too(api: ApiClient) -> None:
    parts = f"/payment-intents/{create(api)['id']}"
    hook = api.post("/webhook-endpoints", {"url": "https://hooks.shop.example/", "events": ["*"]}).body["id"]
    for path in (f"{parts}/transactions", f"{parts}/routing", f"/webhook-endpoints/{hook}/deliveries"):
        assert refused(api, path, "cursor")["right_name"] == "starting_after"
        assert refused(api, path, "per_page")["right_name"] == "limit"
    assert refused(api, f"{parts}/routing", "ending_before")["right_name"] == "starting_after"


@pytest.mark.parametrize(("path", "name", "right"), OF_ONE_LIST)
def test_a_filter_under_another_name_is_refused_where_that_filter_is(
    api: ApiClient, path: str, name: str, right: str
) -> None:
    assert refused(api, path, name)["right_name"] == right
    elsewhere = api.get(f"/webhook-endpoints?{name}=1")
    assert elsewhere.status == 200


def test_a_whole_list_has_no_next_page(api: ApiClient) -> None:
    for path in WHOLE:
        for name in ("starting_after", "ending_before", "cursor", "page", "before"):
            assert "always whole" in refused(api, path, name)["error"], path
        assert api.get(f"{path}?limit=1").status == 200


def test_what_resembles_nothing_means_nothing(api: ApiClient) -> None:
    for path in (*PAGED, *WHOLE):
        for query in NOTHING_HERE:
            assert api.get(f"{path}?{query}").status == 200, (path, query)
