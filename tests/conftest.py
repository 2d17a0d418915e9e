"""What every test shares: a merchant with both key pairs, and a client that speaks HTTP for it."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.test import Client

from core import rate_limits
from core.csv_export import forget_begun
from core.modes import Mode
from core.request_id import current_request_id
from dashboard.payments.figures import forget_figures
from merchants.authentication import usage
from merchants.models import Merchant
from merchants.principal import Principal
from merchants.refused_origins import refused
from merchants.request_log import request_log
from merchants.services import NewMerchant
from payments.fast_path.caller import forget_callers
from payments.fast_path.merchant import forget_all_settings
from payments.routing.record import forget_outcomes
from payments.services.budgets import forget_budgets
from payments.services.settlement import forget_assets
from scripts.served import AsServed

pytest_plugins = (
    "tests.architecture.strictness",
    "tests.contract.conformity",
    "tests.grouping",
    "tests.memory",
    "tests.payments.world",
    "tests.properties",
    "tests.quick",
    "tests.tables",
    "tests.told",
)

API = "/api/public/v1"


@dataclass(frozen=True)
class Reply:
    """An HTTP answer, read exactly."""

    status: int
    body: Any
    headers: dict[str, str]
    raw: bytes


def read_reply(response: Any) -> Reply:
    """What the test client's answer says."""
    content = b"".join(response) if response.streaming else response.content
    is_json = response.headers.get("Content-Type", "").startswith("application/json")
    parsed = orjson.loads(content) if content and is_json else None
    return Reply(response.status_code, parsed, dict(response.headers), content)


@dataclass(frozen=True)
class ApiClient:
    """Speaks to the REST API with one key."""

    key: str

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """Send a JSON request; header names are written with underscores."""
        raw = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
        sent = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        client = Client(raise_request_exception=False, headers=sent)
        client.handler = AsServed()
        response = client.generic(
            method, path if path.startswith("/api") else API + path, raw, content_type="application/json"
        )
        return read_reply(response)

    def get(self, path: str, **headers: str) -> Reply:
        """GET a path below the versioned API, or any path that starts with /api."""
        return self.send("GET", path, **headers)

    def post(self, path: str, body: object = None, **headers: str) -> Reply:
        """POST a JSON body."""
        return self.send("POST", path, body, **headers)


@pytest.fixture(autouse=True)
def _fresh_memory() -> Iterator[None]:
    """No test sees what another one left in this process, or among the rate limits' levels in Redis."""
    rate_limits.forget()
    for forget in (
        forget_begun,
        forget_assets,
        forget_outcomes,
        forget_figures,
        forget_budgets,
        forget_callers,
        forget_all_settings,
    ):
        forget()
    with pytest.MonkeyPatch.context() as patch:
        if settings.REDIS_URL:
            patch.setattr("core.shared_buckets.SharedBuckets._begin", lambda _: None)  # each process is alone here
            patch.setattr("core.redis_buckets.RedisBuckets.key_prefix", secrets.token_hex(8))
        yield
    assert not current_request_id()  # or whatever is tested next would log and write history under this name
    rate_limits.forget()
    usage.forget()
    refused.forget()
    request_log.forget()


@pytest.fixture
def merchant(account: NewMerchant) -> Merchant:
    """The first merchant."""
    return account.merchant


@pytest.fixture
def principal(merchant: Merchant) -> Principal:
    """The first merchant, acting in test mode."""
    return Principal(merchant_id=merchant.pk, mode=Mode.TEST, actor="key:test")


@pytest.fixture
def api(account: NewMerchant) -> ApiClient:
    """The first merchant's test secret key."""
    return ApiClient(account.test.secret_key)


@pytest.fixture
def live_api(account: NewMerchant) -> ApiClient:
    """The first merchant's live secret key."""
    return ApiClient(account.live.secret_key)


@pytest.fixture
def other_api(other_account: NewMerchant) -> ApiClient:
    """The other merchant's test secret key."""
    return ApiClient(other_account.test.secret_key)


@pytest.fixture
def anonymous() -> ApiClient:
    """No key at all."""
    return ApiClient("")
