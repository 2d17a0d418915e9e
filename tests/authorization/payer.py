"""What a payer does, over HTTP, with whatever credential it holds."""

from typing import Any

from payments.models import PaymentAttempt
from payments.services.advance import sweep_due
from tests.authorization.doors import PAYEE
from tests.authorization.stage import Headers, Stage
from tests.conftest import ApiClient, Reply


def act(stage: Stage, action: str, body: dict[str, Any], headers: Headers, intent: str = "") -> Reply:
    path = f"/checkout/{intent or stage.ids['intent_id']}/{action}"
    return ApiClient("").post(path, body, **headers)


def quoted_attempt(stage: Stage, headers: Headers, intent: str = "") -> str:
    """Walk as far as a firm quote; the attempt's id."""
    assert act(stage, "wallet", {"family": "evm", "address": PAYEE}, headers, intent).status == 202
    sweep_due()
    state = ApiClient("").get(f"/checkout/{intent or stage.ids['intent_id']}/state", **headers).body
    token = next(token for token in state["wallet"]["tokens"] if token["sufficient"])
    wanted = {"chain": token["chain"], "token_address": token["token_address"]}
    assert act(stage, "quote", wanted, headers, intent).status == 202
    sweep_due()
    attempt: PaymentAttempt = PaymentAttempt.objects.latest("created_at", "pk")
    assert attempt.status == "quoted"
    return str(attempt.pk)
