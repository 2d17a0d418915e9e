"""What live mode asks is not counted in test mode, and the other way round: no bucket of one is a bucket of the other.

Why by the buckets and not by answers: where both have the same limit, a token flows back within 40 ms and hides it.
"""

from collections.abc import Sequence
from uuid import UUID

import pytest

from core.rate_limits import Bucket, MemoryBuckets, Verdict
from tests.conftest import ApiClient

NOBODYS = UUID(int=7)
ACTIONS = (
    "/payment-intents",
    f"/payment-intents/{NOBODYS}/cancel",
    "/refunds",
    f"/payouts/{NOBODYS}/replay",
    f"/webhook-endpoints/{NOBODYS}/rotate-secret",
)


class Noting(MemoryBuckets):
    """Remembers which buckets were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[Bucket] = set()

    def take(self, wanted: Sequence[Bucket]) -> Verdict:
        """Take a token from each."""
        self.asked.update(wanted)
        return super().take(wanted)


def _asked(monkeypatch: pytest.MonkeyPatch, client: ApiClient, path: str) -> set[Bucket]:
    buckets = Noting()
    monkeypatch.setattr("core.rate_limits.buckets", lambda: buckets)
    assert client.post(path, {}).status in {400, 404}
    return buckets.asked


@pytest.mark.parametrize("path", ACTIONS)
def test_no_bucket_is_asked_by_both_modes(
    path: str, monkeypatch: pytest.MonkeyPatch, api: ApiClient, live_api: ApiClient, other_api: ApiClient
) -> None:
    test, live, other = (_asked(monkeypatch, client, path) for client in (api, live_api, other_api))
    monkeypatch.undo()
    assert len(test) == len(live) == len(other) >= 1
    assert test & live == test & other == set()
