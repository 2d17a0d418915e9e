"""How a merchant wants its refunds sent."""

from django.db import transaction

from merchants.audit import put_down
from merchants.models import Merchant
from merchants.principal import Principal
from refunds.models import RefundPolicy


@transaction.atomic
def set_refund_policy(principal: Principal, *, to_paying_wallet: bool) -> RefundPolicy:
    """Say whether refunds without a destination go to the paying wallet, where that one is proven.

    Saying it twice changes nothing. Locks: the merchant.
    """
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    policy, _ = RefundPolicy.objects.get_or_create(merchant_id=principal.merchant_id, mode=principal.mode)
    before, policy.to_paying_wallet = policy.to_paying_wallet, to_paying_wallet
    if before != to_paying_wallet:
        policy.save(update_fields=["to_paying_wallet"])
        put_down(
            principal,
            "refund_policy.changed",
            before={"to_paying_wallet": before},
            after={"to_paying_wallet": to_paying_wallet},
        )
    return policy
