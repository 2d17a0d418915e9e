"""Signing accounts: enrolled, limited, paused, retired. Every write of one that a person asks for.

Nothing here prints or returns a key. Callers: the commands, and operators' screens.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.apps import apps
from django.conf import settings
from django.db import IntegrityError, transaction

from chains import ledger
from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.models import NetworkProfile, SigningAccount, Transfer
from chains.rails.accounts import FOREIGN_NONCE, UNKNOWN_PENDING
from chains.registry import Chain, chain
from chains.restored import refuse_undecided
from chains.signers.base import Signer, SignerUnavailable
from chains.signers.registry import opened
from chains.states import STARTED, TransferStatus
from core import transitions
from core.clock import now
from core.errors import InvalidRequest, NotFound, field_problem
from core.modes import Mode
from core.money import ZERO_USD, UsdAmount, to_decimal_string, usd

SIMULATED = "simulated"
HIGHEST_CAP = usd("1000000000")
MOST_DESTINATIONS = 500
_CENTS_OF_A_CENT = 6
_LONGEST_REASON = 40

logger = logging.getLogger("causeway.signers")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most that an account sends in one transfer and in 24 hours, in dollars, and where to: anywhere, if empty."""

    per_transfer_usd: UsdAmount = ZERO_USD
    per_day_usd: UsdAmount = ZERO_USD
    destinations: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Enrolment:
    """Whose account it is to be, on which chain, and by what name its key is found. Never the key itself."""

    merchant_id: int
    chain: str
    backend: str
    key_reference: str
    mode: Mode = Mode.LIVE
    limits: Limits = Limits()


def create_signing_account(order: Enrolment) -> SigningAccount:
    """Enrol the address of a key; what waited for a retired account of the same merchant goes on with this one.

    Raises: InvalidRequest with one sentence; then nothing was written. Locks: the network's row, so that two cannot
    enrol one address for two merchants at once. No transaction is open: a key service may be asked.
    """
    known = _known_chain(order.chain)
    destinations = _checked_limits(known, order.limits)
    address = _signer(order.backend, order.key_reference, known).address
    with transaction.atomic():
        list(NetworkProfile.objects.select_for_update())
        _refuse_taken(order, known, address)
        account = _insert(order, known, address, destinations)
        _take_over_waiting(account)
    logger.info("signing account %s enrolled: %s", account.pk, account)
    return account


def set_limits(account_id: int, limits: Limits) -> SigningAccount:
    """Replace an account's caps and its list of destinations. Raises: InvalidRequest, NotFound."""
    destinations = _checked_limits(_known_chain(_found(account_id).chain), limits)
    return _changed(
        account_id,
        cap_per_transfer_usd=limits.per_transfer_usd,
        cap_per_day_usd=limits.per_day_usd,
        allowed_destinations=destinations,
    )


def move_key(account_id: int, backend: str, key_reference: str) -> SigningAccount:
    """Say that an account's key is now kept elsewhere; it must be the same key. Raises: InvalidRequest, NotFound."""
    account = _found(account_id)
    address = _signer(backend, key_reference, _known_chain(account.chain)).address
    if address != account.address:
        raise _refusal(
            "key_reference", f"That key belongs to {address}: another key is another account, so enrol it anew."
        )
    return _changed(account_id, backend=backend, key_reference=key_reference)


def pause_account(account_id: int, reason: str) -> SigningAccount:
    """Sign nothing more with an account until it is resumed; what is signed may still land. Raises: NotFound.

    One that stopped by itself keeps its reason: what may be done then depends on it.
    """
    account = _found(account_id)
    if account.paused_reason in (FOREIGN_NONCE, UNKNOWN_PENDING):
        return account
    return _changed(account_id, paused_at=now(), paused_reason=reason[:_LONGEST_REASON])


def resume_account(account_id: int) -> SigningAccount:
    """Let a paused account sign again.

    Raises: InvalidRequest for a retired one, and while an older database may have paid what waits; NotFound.
    """
    account = _found(account_id)
    if account.retired_at is not None:
        raise _refusal("account", "A retired account never signs again: enrol another key.")
    refuse_undecided(account)
    return _changed(account_id, paused_at=None, paused_reason="")


def retire_account(account_id: int) -> SigningAccount:
    """Never sign with an account again, so that the merchant can have another one on that chain.

    Raises: InvalidRequest while anything of it may still land; NotFound.
    """
    with transaction.atomic():
        account = transitions.locked(SigningAccount.objects.all(), pk=_found(account_id).pk)
        under_way = account.transfers.filter(status__in=STARTED).count()
        if under_way:
            raise _refusal(
                "account", f"{under_way} of its transfers may still land: pause it, and retire it when they ended."
            )
        moment = now()
        return _changed(account.pk, retired_at=moment, paused_at=moment, paused_reason="retired")


def network_of(mode: str) -> str:
    """The network that an account of a mode belongs to: test mode never touches a real one."""
    return SIMULATED if mode == Mode.TEST else str(settings.NETWORK_PROFILE)


def _known_chain(name: str) -> Chain:
    known = chain(name)
    if known is None:
        raise _refusal("chain", f"No chain is called {name[:32]!r} here.")
    return known


def _signer(backend: str, reference: str, known: Chain) -> Signer:
    """The signer that an account would have. Why not its name in the sentence: people paste keys there."""
    try:
        return opened(backend, reference, known.family)
    except SignerUnavailable as refusal:
        raise _refusal("key_reference", str(refusal)) from None


def _checked_limits(known: Chain, limits: Limits) -> list[str]:
    """The destinations in their stored spelling. Raises: InvalidRequest."""
    for field, cap in (("cap_per_transfer", limits.per_transfer_usd), ("cap_per_day", limits.per_day_usd)):
        _refuse_odd_cap(field, cap)
    if limits.per_transfer_usd > limits.per_day_usd:
        raise _refusal("cap_per_day", "The cap per day is below the cap per transfer: raise it, or lower the other.")
    if len(limits.destinations) > MOST_DESTINATIONS:
        raise _refusal("destinations", f"At most {MOST_DESTINATIONS} destinations can be listed.")
    try:
        return sorted({parse_address(known, text) for text in limits.destinations})
    except InvalidAddress as refusal:
        raise _refusal("destinations", refusal.message) from None


def _refuse_odd_cap(field: str, cap: UsdAmount) -> None:
    if not cap.is_finite() or not ZERO_USD <= cap <= HIGHEST_CAP:
        raise _refusal(field, f"A cap is between 0 and {to_decimal_string(HIGHEST_CAP)} dollars; 0 sends nothing.")
    exponent = cap.normalize().as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_CENTS_OF_A_CENT:
        raise _refusal(field, "A cap has at most six decimals.")


def _refuse_taken(order: Enrolment, known: Chain, address: str) -> None:
    same = SigningAccount.objects.filter(address=address)
    if same.exclude(merchant_id=order.merchant_id).exists():
        raise _refusal(
            "key_reference", f"{address} already signs for another merchant: each merchant has keys of its own."
        )
    if same.exclude(mode=order.mode).exists():
        raise _refusal("key_reference", f"{address} already signs in the other mode: test and live never share a key.")
    if same.filter(network=network_of(order.mode), chain=known.name).exists():
        raise _refusal("key_reference", f"{address} is already enrolled on {known.display_name}.")
    mine = SigningAccount.objects.filter(merchant_id=order.merchant_id, mode=order.mode, retired_at=None)
    other = mine.filter(chain=known.name).first()
    if other is not None:
        raise _refusal("chain", f"The merchant signs on {known.display_name} by account {other.pk}: retire it first.")


def _insert(order: Enrolment, known: Chain, address: str, destinations: list[str]) -> SigningAccount:
    merchants = apps.get_model("merchants", "Merchant")  # by its label: this app imports nothing of merchants
    if not merchants._default_manager.filter(pk=order.merchant_id).exists():
        raise _refusal("merchant", f"There is no merchant {order.merchant_id}.")
    try:
        with transaction.atomic():
            return SigningAccount.objects.create(
                merchant_id=order.merchant_id,
                mode=order.mode,
                network=network_of(order.mode),
                chain=known.name,
                address=address,
                backend=order.backend,
                key_reference=order.key_reference,
                cap_per_transfer_usd=order.limits.per_transfer_usd,
                cap_per_day_usd=order.limits.per_day_usd,
                allowed_destinations=destinations,
            )
    except IntegrityError:
        raise _refusal("key_reference", "Somebody enrolled such an account at the same moment: look again.") from None


def _take_over_waiting(account: SigningAccount) -> None:
    """Give it what no key ever signed and a retired account would never send.

    Locks: those transfers; one that another worker holds moved on, and is not taken.
    """
    before = SigningAccount.objects.filter(
        merchant_id=account.merchant_id, mode=account.mode, network=account.network, chain=account.chain
    ).exclude(retired_at=None)
    waiting = Transfer.objects.filter(account__in=before, status=TransferStatus.NEW, attempts=None)
    for key in list(waiting.values_list("pk", flat=True)):
        transfer = ledger.locked_transfer(key)
        if transfer.status == TransferStatus.NEW and not transfer.attempts.exists():
            ledger.note(transfer, account=account, sender=account.address, blocker="")


def _found(account_id: int) -> SigningAccount:
    account = SigningAccount.objects.filter(pk=account_id).first()
    if account is None:
        raise NotFound("signing_account")
    return account


@transaction.atomic
def _changed(account_id: int, **columns: object) -> SigningAccount:
    """Write columns under the account's lock, so that no transfer is taken by what they were."""
    account = transitions.locked(SigningAccount.objects.all(), pk=_found(account_id).pk)
    for name, value in columns.items():
        setattr(account, name, value)
    account.save(update_fields=list(columns))
    logger.info("signing account %s changed: %s", account.pk, ", ".join(sorted(columns)))
    return account


def _refusal(field: str, sentence: str) -> InvalidRequest:
    return InvalidRequest(details={"fields": [field_problem(field, "unknown_value", sentence)]})
