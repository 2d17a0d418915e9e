"""What the short way remembers of a caller decides nothing: each statement asks the rows themselves again."""

from datetime import timedelta

import pytest
from django.db.models import F

from core.clock import now
from core.errors import ServiceError
from core.modes import Mode
from merchants.models import AllowedOrigin, ApiKey, IdempotencyRecord, KeyKind
from merchants.services import NewMerchant
from merchants.services.operators import end_suspension, revoke_keys_of, suspend_merchant
from payments.fast_path import door
from payments.fast_path.creation import MOST_BYTES, Creation
from payments.models import PaymentIntent, SettlementProfile
from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows

pytestmark = pytest.mark.postgres
OTHER = "0x52908400098527886E0F7030069857D2E4169EE7"


@pytest.fixture(autouse=True)
def _is_known(api: ApiClient) -> None:
    """This process has let the key in, and answers it the short way."""
    assert api.post("/payment-intents", {"amount": 25}).status == 201


def key_of(account: NewMerchant) -> ApiKey:
    return ApiKey.objects.get(merchant=account.merchant, mode="test", kind=KeyKind.SECRET)


def refused(api: ApiClient, status: int, code: str) -> None:
    """Both a create and a retrieve are, and leave nothing."""
    made, before = PaymentIntent.objects.get(), all_rows()
    asked: list[Reply] = [
        api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k"),
        api.get(f"/payment-intents/{made.pk}"),
    ]
    assert [(reply.status, reply.body["code"]) for reply in asked] == [(status, code)] * 2
    assert all_rows() == before


@pytest.mark.parametrize("column", ["revoked_at", "expires_at"])
def test_a_key_that_is_over_is_refused_at_its_next_request(api: ApiClient, account: NewMerchant, column: str) -> None:
    key = key_of(account)
    setattr(key, column, now())
    key.save()
    refused(api, 401, "revoked_api_key")


def test_keys_that_an_operator_stopped_are_refused_at_their_next_request(api: ApiClient, account: NewMerchant) -> None:
    """And those of the other mode are not."""
    revoke_keys_of(account.merchant.pk, Mode.LIVE, reason="leaked", by="operator:1")
    assert api.get(f"/payment-intents/{PaymentIntent.objects.get().pk}").status == 200
    revoke_keys_of(account.merchant.pk, Mode.TEST, reason="leaked", by="operator:1")
    refused(api, 401, "revoked_api_key")


def test_a_suspended_merchant_reads_and_begins_nothing(api: ApiClient, account: NewMerchant) -> None:
    made, before = PaymentIntent.objects.get(), PaymentIntent.objects.count()
    suspend_merchant(account.merchant.pk, reason="a court order", by="operator:1")
    reply = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k")
    assert (reply.status, reply.body["code"]) == (403, "merchant_suspended")
    assert (api.get(f"/payment-intents/{made.pk}").status, PaymentIntent.objects.count()) == (200, before)
    end_suspension(account.merchant.pk, reason="over", by="operator:1")
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k").status == 201


def test_a_key_that_was_narrowed_to_networks_is_refused_elsewhere(api: ApiClient, account: NewMerchant) -> None:
    key = key_of(account)
    key.allowed_addresses = ["198.51.100.0/24"]
    key.save()
    refused(api, 403, "address_not_allowed")


def test_a_key_whose_end_lies_ahead_is_let_in(api: ApiClient, account: NewMerchant) -> None:
    ApiKey.objects.filter(pk=key_of(account).pk).update(expires_at=now() + timedelta(seconds=60))
    assert api.post("/payment-intents", {"amount": 25}).status == 201


def test_a_changed_profile_holds_for_the_next_payment(api: ApiClient, account: NewMerchant) -> None:
    """Also one that somebody changed by hand, in a column that no page shows."""
    profile = SettlementProfile.objects.create(
        merchant=account.merchant, mode="test", family="evm", chain="base", token="USDC", address=ANNS_EVM,
        is_default=True,
    )  # fmt: skip
    paid_to = [api.post("/payment-intents", {"amount": 25}).body["settlement_address"] for _ in range(2)]
    SettlementProfile.objects.filter(pk=profile.pk).update(address=OTHER)
    paid_to += [api.post("/payment-intents", {"amount": 25}).body["settlement_address"] for _ in range(2)]
    SettlementProfile.objects.filter(pk=profile.pk).delete()
    paid_to.append(api.post("/payment-intents", {"amount": 25}).body["settlement_address"])
    assert [address.lower() for address in paid_to[:4]] == [ANNS_EVM.lower()] * 2 + [OTHER.lower()] * 2
    assert paid_to[4] == "0x7e57000000000000000000000000000000000001"


def test_a_changed_list_of_origins_holds_for_the_next_payment(api: ApiClient, account: NewMerchant) -> None:
    """A payer is sent to no page that the merchant took off its list."""
    listed = AllowedOrigin.objects.create(merchant=account.merchant, mode="test", origin="https://shop.example")
    wanted = {"amount": 25, "return_url": "https://shop.example/done"}
    assert [api.post("/payment-intents", wanted).status for _ in range(2)] == [201, 201]
    AllowedOrigin.objects.filter(pk=listed.pk).update(origin="https://other.example")
    before = all_rows()
    refusal = api.post("/payment-intents", wanted)
    assert (refusal.status, refusal.body["code"]) == (400, "return_url_not_allowed")
    assert all_rows() == before
    AllowedOrigin.objects.all().delete()
    assert [api.post("/payment-intents", wanted).body["return_url"] for _ in range(2)] == [wanted["return_url"]] * 2


def test_a_kept_answer_whose_time_is_over_frees_its_key(api: ApiClient) -> None:
    first = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k")
    IdempotencyRecord.objects.update(expires_at=F("created_at"))
    again = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k")
    assert (first.status, again.status, "Idempotent-Replayed" in again.headers) == (201, 201, False)
    assert first.body["id"] != again.body["id"]


def test_another_wish_under_the_same_key_is_refused(api: ApiClient) -> None:
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k").status == 201
    before = all_rows()
    other = api.post("/payment-intents", {"amount": 26}, Idempotency_Key="k")
    assert (other.status, other.body["code"]) == (409, "idempotency_key_reused")
    assert all_rows() == before


def fail(*_: object, **__: object) -> None:
    raise RuntimeError("a fault of ours")


def test_a_failure_of_its_own_is_answered_and_never_tried_again(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why not by Django then: what failed may have been stored."""
    monkeypatch.setattr(door, "first_row", fail)
    before = all_rows()
    reply = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k")
    assert (reply.status, reply.body["code"]) == (ServiceError.http_status, "internal_error")
    assert reply.body["request_id"] == reply.headers["Request-Id"]
    assert all_rows() == before


def test_a_failure_before_anything_was_asked_is_the_views_to_answer(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Creation, "statement", fail)
    reply = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k")
    assert (reply.status, PaymentIntent.objects.count()) == (201, 2)
    assert [record.getMessage() for record in caplog.records] == ["an ordinary request could not be read"]


def test_a_body_that_takes_long_to_read_is_left_to_a_thread(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the views take it."""
    monkeypatch.setattr(door, "first_row", fail)
    assert api.post("/payment-intents", b'{"amount": 25' + b" " * MOST_BYTES + b"}").status == 201
