"""A merchant that is paid at a signing account of its own, and what is sent from there."""

from pytest_django import Settings

from chains.models import SigningAccount
from core.clock import now
from core.money import usd
from core.secrets import Sealed
from merchants.models import Merchant
from payouts.models import Payout
from payouts.services import sweep_due as sweep_payouts
from refunds.models import Refund
from refunds.services.advance import sweep_due as sweep_refunds
from tests.factories.refunds import sends_anywhere
from tests.live.till import LiveTill

CAP_USD = "1000"


def settles_with_signer(till: LiveTill, merchant: Merchant, settings: Settings) -> None:
    """Let what is paid arrive where the service itself can send it on, with coin for fees there; keys send anywhere."""
    sends_anywhere(merchant)
    till.merchant, key = till.new_key()
    till.node.fund(till.merchant)
    settings.SIGNER_SECRETS = {"own": Sealed(key.encode())}
    place = {"mode": "live", "network": "localnet", "chain": till.chain, "address": till.merchant}
    kept = {"backend": "secret", "key_reference": "own"}
    caps = {"cap_per_transfer_usd": usd(CAP_USD), "cap_per_day_usd": usd(CAP_USD)}
    SigningAccount.objects.create(merchant=merchant, **place, **kept, **caps)


def money_goes(till: LiveTill) -> None:
    """Let workers come round and the chain go on, until refunds and payouts are at their ends."""
    for _ in range(6):
        Refund.objects.filter(next_attempt_at__isnull=False).update(next_attempt_at=now())
        Payout.objects.filter(next_attempt_at__isnull=False).update(next_attempt_at=now())
        sweep_refunds()
        sweep_payouts()
        till.pass_for_good()
        till.sweep()
