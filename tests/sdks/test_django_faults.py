"""Faults planted into a copy of causeway-django, each of which its own checks must catch: they guard money."""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.sdks.npm import run
from tests.sdks.test_django import CHECKS, PACKAGE, PYTHON

pytestmark = pytest.mark.exhaustive


class Fault(NamedTuple):
    """Other text in a module, and the checks that must turn red."""

    module: str
    right: str
    wrong: str
    checks: str = "check_webhook.py"


PROVIDER, PAYMENTS = "check_provider.py", "check_payments.py"
FAULTS = {
    "an event counts twice": Fault("intake", "if not _is_new(event):", "if not _is_new(event) and False:"),
    "an old event overwrites": Fault("intake", "        return None\n    for name", "        pass\n    for name"),
    "half of an event is kept": Fault(
        "intake",
        "    with transaction.atomic(using=router.db_for_write(ReceivedEvent)):\n        if",
        "    if True:\n        if",
    ),
    "what is restored ships again": Fault(
        "intake", "if payment.is_paid and not payment.was_announced:", "if payment.is_paid:"
    ),
    "a reversal is nobody's news": Fault("intake", 'elif before == "settled":', "elif False:"),
    "play money counts": Fault("views", 'not in ("", event.mode)', 'in ("nothing",)'),
    "only the first secret counts": Fault("conf", "if part.strip()]", "if part.strip()][:1]"),
    "an order is paid twice": Fault("payments", '[*OPEN, "settled"]', "OPEN", PAYMENTS),
    "an old amount is paid": Fault("payments", "if payment.amount != amount:", "if False:", PAYMENTS),
    "a repeat makes another payment": Fault("payments", 'key=f"{reference}-{known.count()}"', "key=None", PAYMENTS),
    "a repeated form makes another payment": Fault("provider", 'f"{payment.token}-payment"', "None", PROVIDER),
    "an event of another payment counts": Fault("provider", "!= payment.transaction_id", '== ""', PROVIDER),
    "play money pays over the counter": Fault("provider", 'not in ("", event.mode)', 'in ("nothing",)', PROVIDER),
    "too little confirms": Fault(
        "provider_row", "!= row.total:\n            return", "== 0:\n            return", PROVIDER
    ),
    "more is captured than came": Fault(
        "provider_row", 'min(row.total, Decimal(kept["received"]))', "row.total", PROVIDER
    ),
    "a failed refund is gone": Fault(
        "provider_row", "UNPAID_REFUNDS = frozenset({", "UNPAID_REFUNDS = frozenset() and frozenset({", PROVIDER
    ),
    "an old event moves an order": Fault("provider_row", 'elif moment > kept["seen"]:', "elif True:", PROVIDER),
    "a lost answer becomes two refunds": Fault(
        "provider_row", 'if kept["asking"] and Decimal(kept["asking"]) != wanted:', "if False:", PROVIDER
    ),
    "a lost answer ends all refunds": Fault(
        "provider_row", 'if known is None and kept["asking"]', "if False", PROVIDER
    ),
    "a refusal ends all refunds": Fault("provider", "provider_row.forget_refund(payment)", "pass", PROVIDER),
}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_planted_fault_is_caught(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    shutil.copytree(PACKAGE / "src", tmp_path / "src")
    planted = tmp_path / "src" / "causeway_django" / f"{fault.module}.py"
    text = planted.read_text(encoding="utf-8")
    assert text.count(fault.right) == 1
    planted.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    others = (CHECKS, PACKAGE.parent / "python" / "src", PACKAGE / "shop")
    path = f"pythonpath={tmp_path / 'src'} {' '.join(map(str, others))}"
    with pytest.raises(AssertionError, match=r"\d failed"):
        run(
            str(PYTHON),
            "-m",
            "pytest",
            "-q",
            "-x",
            "-o",
            path,
            fault.checks,
            folder=CHECKS,
            DJANGO_SETTINGS_MODULE="project",
        )
