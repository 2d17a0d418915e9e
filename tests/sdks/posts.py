"""Which POSTs of a merchant a fault of a network must not repeat, and the failed payouts that one of them needs."""

from causeway_sdk import Causeway

from sdks.generator.read import read_api
from tests.journeys.http_caller import soon
from tests.journeys.programs import Embedded

_AT_SETTLE = ("set_payout_at_settle", "--merchant", "1", "--mode", "test")


def posts() -> set[str]:
    """All that take an idempotency key, as Python names them."""
    found = ((service.name, method) for service in read_api().services for method in service.methods)
    return {f"{service}.{method.name}" for service, method in found if method.is_idempotent}


def failed_payouts(service: Embedded, merchant: Causeway, many: int) -> list[str]:
    """The ids of so many. Nothing that settles afterwards is paid out."""
    service.manage(*_AT_SETTLE, "--on")
    for _ in range(many):
        made = merchant.payment_intents.create(amount="9.00").id
        merchant.test_helpers.pay_payment_intent(made, scenario="payout_fail")

    def all_of_them() -> list[str]:
        found = [one.id for one in merchant.payouts.list(status="failed")]
        return found if len(found) == many else []

    found = soon(all_of_them, f"{many} failed payouts")
    service.manage(*_AT_SETTLE, "--off")
    return found
