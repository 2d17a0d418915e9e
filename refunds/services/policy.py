"""How a merchant wants its refunds sent."""

from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import CHAINS, Family
from core.errors import InvalidRequest, field_problem
from merchants.audit import record_audit
from merchants.models import Merchant
from merchants.principal import Principal
from refunds.models import RefundPolicy

MOST_DESTINATIONS: Final = 50
_CHAIN_OF_FAMILY = {one.family: one for one in CHAINS}


@transaction.atomic
def set_refund_policy(
    principal: Principal,
    *,
    to_paying_wallet: bool,
    confirms_new_destinations: bool | None = None,
    destinations: Sequence[str] | None = None,
) -> RefundPolicy:
    """Have refunds sent so from now on; what is None stays. Saying it twice changes nothing.

    ``destinations``: addresses to which a live key may send without a person's word.
    Raises: InvalidRequest. Locks: the merchant.
    """
    wanted: dict[str, Any] = {
        "to_paying_wallet": to_paying_wallet,
        "confirms_new_destinations": confirms_new_destinations,
        "destinations": None if destinations is None else _addresses(destinations),
    }
    after = {name: value for name, value in wanted.items() if value is not None}
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    policy, _ = RefundPolicy.objects.get_or_create(merchant_id=principal.merchant_id, mode=principal.mode)
    before = {name: getattr(policy, name) for name in after}
    changed = [name for name in after if before[name] != after[name]]
    if changed:
        for name in changed:
            setattr(policy, name, after[name])
        policy.save(update_fields=changed)
        record_audit(
            principal,
            "refund_policy.changed",
            before={name: before[name] for name in changed},
            after={name: after[name] for name in changed},
        )
    return policy


def _addresses(texts: Sequence[str]) -> list[str]:
    """The addresses as they are stored, each once. Raises: InvalidRequest for what is none, or for too many."""
    found = dict.fromkeys(_address(text) for text in texts)
    if len(found) > MOST_DESTINATIONS:
        problem = field_problem("destinations", "too_long", f"At most {MOST_DESTINATIONS} addresses.")
        raise InvalidRequest(details={"fields": [problem]})
    return list(found)


def _address(text: str) -> str:
    family = Family.EVM if text.startswith("0x") else Family.SOLANA
    try:
        return parse_address(_CHAIN_OF_FAMILY[family], text)
    except InvalidAddress as error:
        message = f"{text[:64]}: {error.message}"
        raise InvalidRequest(details={"fields": [field_problem("destinations", "format", message)]}) from error
