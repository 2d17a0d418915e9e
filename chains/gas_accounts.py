"""Gas accounts: enrolled by an operator, one for each chain, read each minute. Nothing prints or returns a key."""

import logging
from decimal import Decimal
from functools import partial
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction

from chains.calldata.eip3009 import TOKENS
from chains.chain import USUAL_FEE_CAP
from chains.clients.evm_preflight import Market, read_purse
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.models import GasAccount, SigningAccount
from chains.rails.evm.fees import fair_fees
from chains.rails.evm.preflight import ceiling
from chains.registry import chain
from chains.signers.base import SignerUnavailable
from chains.signers.registry import opened
from core.clock import now
from core.errors import InvalidRequest, field_problem
from core.money import BaseUnits, from_base_units

USUAL_GAS: Final = 100_000
"""Of one call, about what USDC takes for it."""
_LOGGER = logging.getLogger("causeway.transfers")


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


def gas_accounts() -> list[GasAccount]:
    """Every gas account of this network. One read."""
    return list(GasAccount.objects.filter(network=settings.NETWORK_PROFILE).order_by("chain", "pk"))


def coins_of(account: GasAccount) -> Decimal:
    """What it held when it was last read, in whole coins of its chain."""
    known = chain(account.chain)
    return from_base_units(account.coin_balance or BaseUnits(0), 0 if known is None else known.native_decimals)


def read_gas_accounts() -> None:
    """Write down what each account of this network holds, and what a call could cost. No transaction is open.

    What no node speaks of keeps what was read before, and its age says so.
    """
    for account in gas_accounts():
        if not settings.RPC_URLS.get(account.chain):
            continue
        try:
            purse = EVM.pool(account.chain).ask(partial(read_purse, holder=account.address))
        except ChainUnavailable as error:
            _LOGGER.warning("nobody says what %s holds: %s", account, error)
            continue
        facts = {"coin_balance": purse.coin_balance, "call_cost": _cost(account.chain, purse.market), "read_at": now()}
        GasAccount.objects.filter(pk=account.pk).update(**facts)


def _cost(chain_name: str, market: Market) -> int:
    """What one call may cost, as it is asked for before it is sent; above the chain's cap, the cap."""
    fees, known = fair_fees(chain_name, market), chain(chain_name)
    most = USUAL_FEE_CAP if known is None else known.fee_cap
    return ceiling(USUAL_GAS) * (most if fees is None else fees.max_fee)


def _refusal(field: str, sentence: str) -> InvalidRequest:
    return InvalidRequest(details={"fields": [field_problem(field, "unknown_value", sentence)]})
