"""How much of the nodes, and of a worker's time, one payment and one merchant may take. All in one place.

Why: who makes his own payments hard to read must slow his own alone. Counted in each process: a deployment's nodes are
asked so often by one merchant, times its workers.
"""

from datetime import timedelta

from core.buckets import Bucket, Limit, MemoryBuckets
from core.clock import ticks
from payments.models import PaymentIntent

LEG_QUESTIONS_A_MINUTE = Limit(count=1_500, window_seconds=60)
"""Looking for a native coin reads a block with each, and looks every two seconds."""
INTENT_QUESTIONS_A_MINUTE = Limit(count=3_000, window_seconds=60)
MERCHANT_QUESTIONS_A_MINUTE = Limit(count=12_000, window_seconds=60)
WALLET_QUESTIONS_A_MINUTE = Limit(count=600, window_seconds=60)
"""Of all wallets that are contracts, for one merchant."""
INTENT_SECONDS = 8
"""Of a worker, in one sweep. Why: far below the lease, and others wait."""
FREE_SECONDS, WAITS_TIMES = 4, 4
"""A step that took longer than the first is put back for so many times as long."""
_BUCKETS = MemoryBuckets()


class LegPurse:
    """What questions about one leg are paid from."""

    def __init__(self, leg_id: object) -> None:
        self._bucket: Bucket = (f"leg:{leg_id}", LEG_QUESTIONS_A_MINUTE)

    def spend(self) -> int:
        """Pay for one question; the seconds to wait where nothing is left."""
        return _taken([self._bucket])


class WalletPurse:
    """What questions to wallets' contracts are paid from: its merchant's payments may go on beside them."""

    def __init__(self, merchant_id: object) -> None:
        self._buckets: list[Bucket] = [
            (f"wallets:{merchant_id}", WALLET_QUESTIONS_A_MINUTE),
            (f"merchant:{merchant_id}", MERCHANT_QUESTIONS_A_MINUTE),
        ]

    def spend(self) -> int:
        """Pay for one question; the seconds to wait where nothing is left."""
        return _taken(self._buckets)


class IntentPurse:
    """What all work on one intent in one sweep is paid from: questions, and time."""

    def __init__(self) -> None:
        self._began = ticks()
        self._buckets: list[Bucket] = []

    def pay_for(self, intent: PaymentIntent) -> None:
        """Say whose it is."""
        self._buckets = [
            (f"intent:{intent.pk}", INTENT_QUESTIONS_A_MINUTE),
            (f"merchant:{intent.merchant_id}", MERCHANT_QUESTIONS_A_MINUTE),
        ]

    @property
    def seconds(self) -> int:
        """How long it has been worked on."""
        return int(ticks() - self._began)

    @property
    def pause(self) -> timedelta | None:
        """How long the intent is left alone for what it took; None where that was little."""
        return timedelta(seconds=WAITS_TIMES * self.seconds) if self.seconds > FREE_SECONDS else None

    def spend(self) -> int:
        """Pay for one question; the seconds to wait where nothing is left."""
        if self.seconds > INTENT_SECONDS:
            return WAITS_TIMES * self.seconds
        return _taken(self._buckets)


def _taken(buckets: list[Bucket]) -> int:
    verdict = _BUCKETS.take(buckets)
    return 0 if verdict.allowed else verdict.wait_seconds


def forget_budgets() -> None:
    """Count from the beginning, as a process that just started."""
    _BUCKETS.forget()
