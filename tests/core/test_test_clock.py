"""The test clock moves what is due in one merchant's test world, and nothing that is shown."""

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from core import test_clock
from core.modes import Mode
from merchants.models import IdempotencyRecord
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.payments.world import advance, create, read

ADVANCE = "/test-helpers/clock/advance"


@pytest.mark.spec("Rulings B7.1")
def test_every_app_takes_part_once() -> None:
    apps = [import_string(path).__module__.partition(".")[0] for path in settings.TEST_CLOCK]
    assert sorted(apps) == ["merchants", "payments", "payouts", "refunds", "webhooks"]


def refuse(merchant_id: int, mode: str, seconds: int) -> None:
    raise RuntimeError


@pytest.mark.django_db
def test_all_apps_move_or_none(monkeypatch: pytest.MonkeyPatch, api: ApiClient) -> None:
    api.post("/payment-intents", {"amount": 25}, Idempotency_Key="k")
    before = IdempotencyRecord.objects.get().expires_at
    monkeypatch.setattr(settings, "TEST_CLOCK", ["merchants.idempotency.shift_due", f"{__name__}.refuse"])
    merchant_id = PaymentIntent.objects.get().merchant_id
    with pytest.raises(RuntimeError):
        test_clock.advance(merchant_id, Mode.TEST, 60)
    assert IdempotencyRecord.objects.get().expires_at == before


@pytest.mark.spec("Rulings B7.1")
def test_what_is_shown_and_other_worlds_stay_and_steps_have_bounds(
    api: ApiClient, other_api: ApiClient, live_api: ApiClient
) -> None:
    mine, others = create(api, expires_in_seconds=60), create(other_api, expires_in_seconds=60)
    rows = {row.pk: row.expires_due_at for row in PaymentIntent.objects.all()}
    for seconds in (0, -1, 31_536_001, 1.5, "60", True, None):
        assert_refused(api.post(ADVANCE, {"seconds": seconds}), 400, "invalid_request")
    assert_refused(api.post(ADVANCE, f'{{"seconds": {10**30}}}'.encode()), 400, "invalid_request")
    assert_refused(live_api.post(ADVANCE, {"seconds": 60}), 404, "not_found")
    assert {row.pk: row.expires_due_at for row in PaymentIntent.objects.all()} == rows
    shown = read(api, mine)
    advance(api, 30)
    assert read(api, mine) == shown == mine
    moved = {str(row.pk) for row in PaymentIntent.objects.all() if row.expires_due_at != rows[row.pk]}
    assert moved == {mine["id"]}
    assert others["id"] not in moved
