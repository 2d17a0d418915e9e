"""Gas accounts: enrolled by an operator, one for each chain. Nothing here prints or returns a key."""

from django.conf import settings
from django.db import IntegrityError, transaction

from chains.calldata.eip3009 import TOKENS
from chains.models import GasAccount, SigningAccount
from chains.registry import chain
from chains.signers.base import SignerUnavailable
from chains.signers.registry import opened
from core.errors import InvalidRequest, field_problem


def create_gas_account(chain_name: str, backend: str, key_reference: str) -> GasAccount:
    """Enrol the address of a key for a chain of this network. Raises: InvalidRequest with one sentence.

    Why never an address that signs transfers: two of us would give its nonces. No transaction is open: a key service
    may be asked.
    """
    known = chain(chain_name)
    if known is None or known.name not in {name for name, _ in TOKENS}:
        raise _refusal("chain", "No token of this chain takes authorizations.")
    try:
        address = opened(backend, key_reference, known.family).address
    except SignerUnavailable as refusal:
        raise _refusal("key_reference", str(refusal)) from None
    if SigningAccount.objects.filter(network=settings.NETWORK_PROFILE, address=address).exists():
        raise _refusal("key_reference", "This address signs a merchant's transfers. Use a key of its own.")
    network, kept = settings.NETWORK_PROFILE, {"backend": backend, "key_reference": key_reference}
    try:
        with transaction.atomic():
            return GasAccount.objects.create(network=network, chain=known.name, address=address, **kept)
    except IntegrityError:
        raise _refusal("chain", "This chain has a gas account.") from None


def gas_kinds() -> list[str]:
    """Every gas account of this network, as what it is paused alone."""
    mine = GasAccount.objects.filter(network=settings.NETWORK_PROFILE)
    return [account.pause_kind for account in mine.order_by("chain", "pk")]


def _refusal(field: str, sentence: str) -> InvalidRequest:
    return InvalidRequest(details={"fields": [field_problem(field, "unknown_value", sentence)]})
