"""Ids inside bodies and queries: another merchant's are as unknown as those of nobody."""

import uuid
from itertools import product

import pytest

from payouts.models import Payout
from tests.authorization.stage import Stage
from tests.authorization.test_matrix import apart_from_its_name, everything
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused

STRANGERS = ["own secret of the wrong mode", "a stranger's secret", "a stranger's secret of the other mode"]


@pytest.mark.spec("Contract 6.3")
@pytest.mark.parametrize("caller", STRANGERS)
def test_a_foreign_row_leads_nowhere_and_is_found_by_no_search(caller: str, stage: Stage) -> None:
    headers, before = stage.credentials(caller), everything()
    intent, refund, nobodys = stage.ids["intent_id"], stage.ids["refund_id"], str(uuid.uuid4())
    lists = {"/payment-intents": [intent, f"pi_{intent}", nobodys, f"pi_{nobodys}"], "/refunds": [refund, nobodys]}
    for path, cursors in lists.items():
        for wanted, name in product(cursors, ("starting_after", "ending_before")):
            reply = ApiClient("").get(f"{path}?{name}={wanted}", **headers)
            assert_refused(reply, 400, "invalid_parameter")
            assert reply.body["details"] == {"parameter": name}, (path, wanted)
    assert everything() == before
    for wanted in (stage.ids["payout_id"], str(uuid.uuid4())):
        reply = ApiClient("").get(f"/payouts?starting_after={wanted}", **headers)
        assert_refused(reply, 400, "invalid_parameter")
    intent_id = Payout.objects.get(pk=stage.ids["payout_id"]).intent_id
    for wanted in (str(intent_id), str(uuid.uuid4())):
        found = ApiClient("").get(f"/payouts?payment_intent_id={wanted}", **headers)
        assert (found.status, found.body["data"]) == (200, [])
    assert everything() == before
    for search in (
        f"/refunds?payment_intent_id={stage.ids['paid_intent_id']}",
        f"/refunds?payment_intent_id={uuid.uuid4()}",
        f"/payment-intents?q={intent}",
        f"/payment-intents?q=pi_{intent}",
    ):
        found = ApiClient("").get(search, **headers)
        assert (found.status, found.body["data"]) == (200, []), search


@pytest.mark.parametrize("caller", STRANGERS)
def test_a_foreign_delivery_below_an_own_endpoint_looks_like_none(caller: str, stage: Stage) -> None:
    headers = stage.credentials(caller)
    made = ApiClient("").post("/webhook-endpoints", {"url": "https://93.184.215.14/mine", "events": ["*"]}, **headers)
    before = everything()
    answers = []
    for delivery in (stage.ids["delivery_id"], str(uuid.uuid4())):
        again = ApiClient("").post(f"/webhook-endpoints/{made.body['id']}/deliveries/{delivery}/resend", **headers)
        assert_refused(again, 404, "not_found")
        answers.append(apart_from_its_name(again))
        page = ApiClient("").get(
            f"/webhook-endpoints/{made.body['id']}/deliveries?starting_after={delivery}", **headers
        )
        assert_refused(page, 400, "invalid_parameter")
    assert answers[0] == answers[1]
    assert everything() == before
