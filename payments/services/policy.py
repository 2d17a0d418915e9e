"""How a merchant wants its payments judged: one row per mode, changed as a whole."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core.clock import now
from core.errors import InvalidRequest, field_problem
from core.modes import Mode
from merchants.audit import record_audit
from merchants.models import Merchant
from merchants.principal import Principal
from payments.amounts import MOST_TOLERANCE_BPS
from payments.models import FinalityPolicy, LatePolicy, PaymentPolicy
from payments.selectors import policy_of


@dataclass(frozen=True, kw_only=True)
class WantedPolicy:
    """What is asked for. Units: hundredths of a percent; None is the default."""

    tolerance_bps: int | None
    finality: str
    late: str


@transaction.atomic
def set_payment_policy(principal: Principal, wanted: WantedPolicy) -> PaymentPolicy:
    """Judge payments so from now on, those under way among them. Saying it twice changes nothing.

    Raises: InvalidRequest. Locks: the merchant.
    """
    _refuse_nonsense(principal, wanted)
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    policy = policy_of(principal.merchant_id, principal.mode)
    before, after = _shown(policy), _shown(wanted)
    if before == after:
        return policy
    if wanted.late != policy.late:
        policy.late_since = now()
    policy.tolerance_bps, policy.finality, policy.late = wanted.tolerance_bps, wanted.finality, wanted.late
    policy.save()
    changed = [name for name in after if before[name] != after[name]]
    record_audit(
        principal,
        "payment_policy.changed",
        before={name: before[name] for name in changed},
        after={name: after[name] for name in changed},
    )
    return policy


def _shown(policy: PaymentPolicy | WantedPolicy) -> dict[str, Any]:
    return {"tolerance_bps": policy.tolerance_bps, "finality": policy.finality, "late": policy.late}


def _refuse_nonsense(principal: Principal, wanted: WantedPolicy) -> None:
    problems = []
    if wanted.tolerance_bps is not None and not 0 <= wanted.tolerance_bps <= MOST_TOLERANCE_BPS:
        problems.append(field_problem("tolerance", "out_of_range", "From 0 to 5 percent, in steps of 0.01."))
    if wanted.finality not in FinalityPolicy.values or (wanted.finality and principal.mode != Mode.LIVE):
        problems.append(field_problem("finality", "unknown_value", "Choose one of these."))
    if wanted.late not in LatePolicy.values:
        problems.append(field_problem("late", "unknown_value", "Choose one of these."))
    if problems:
        raise InvalidRequest(details={"fields": problems})
