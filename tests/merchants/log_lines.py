"""Lines of the request log: one as it is noted, some as they stand in the table."""

from typing import Any

from core.clock import now
from merchants.models import RequestRecord
from merchants.request_log import Line, RequestLog, request_log
from merchants.services import NewMerchant

INTENTS = "/api/public/v1/payment-intents"


def logged() -> list[RequestRecord]:
    request_log.flush()
    return list(RequestRecord.objects.order_by("pk"))


def line(**columns: Any) -> Line:
    usual: dict[str, Any] = {
        **{"created_at": now(), "merchant_id": 1, "mode": "test", "key_id": 1, "method": "GET", "path": INTENTS},
        **{"query": "", "route": "payment-intents", "status": 200, "code": "", "duration_ms": 3, "object_id": None},
        **{"request_id": "req_" + "a" * 32, "address": "127.0.0.1", "user_agent": "", "body": ""},
    }
    return Line(**usual | columns)


def put(account: NewMerchant, count: int = 1, **columns: Any) -> list[RequestRecord]:
    own = RequestLog()
    for _ in range(count):
        own.note(line(merchant_id=account.merchant.pk, **columns))
    own.flush()
    return list(RequestRecord.objects.filter(merchant_id=account.merchant.pk).order_by("pk"))
