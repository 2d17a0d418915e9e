"""A merchant that is paid at a signing account of its own."""

from pytest_django import Settings

from chains.models import SigningAccount
from core.money import usd
from core.secrets import Sealed
from merchants.models import Merchant
from tests.live.till import LiveTill

CAP_USD = "1000"


def settles_with_signer(till: LiveTill, merchant: Merchant, settings: Settings, address: str, key: str) -> None:
    """Let what is paid arrive where the service itself can send it on."""
    till.merchant = address
    settings.SIGNER_SECRETS = {"own": Sealed(key.encode())}
    place = {"mode": "live", "network": "localnet", "chain": till.chain, "address": address}
    kept = {"backend": "secret", "key_reference": "own"}
    caps = {"cap_per_transfer_usd": usd(CAP_USD), "cap_per_day_usd": usd(CAP_USD)}
    SigningAccount.objects.create(merchant=merchant, **place, **kept, **caps)
