"""How a merchant wants its refunds sent."""

from merchants.principal import Principal
from refunds.models import RefundPolicy


def set_refund_policy(principal: Principal, *, to_paying_wallet: bool) -> RefundPolicy:
    """Say whether refunds without a destination go to the paying wallet, where that one is proven."""
    policy, _ = RefundPolicy.objects.update_or_create(
        merchant_id=principal.merchant_id, mode=principal.mode, defaults={"to_paying_wallet": to_paying_wallet}
    )
    return policy
