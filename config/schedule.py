"""What happens by the clock: how often, in which kind of worker, and how long it may take. The one table of both forms.

The production form sends each of these as a message (``config.celery``), the embedded default calls it in its one
process (``config.serving``).
"""

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

from core.dispatch import DELIVERY, MONEY, READER, UPKEEP

EVERY_SECOND, EVERY_HOUR = 1.0, 3600.0
LIMIT_SECONDS = 120
"""How long anything may take that is no reading of everything."""
CHECK_SECONDS = 1800
"""Checking what changed may take longer than that, where much changed at once."""


class Turn(NamedTuple):
    """How often, who does it, and after how many seconds it is taken for stuck."""

    every: float
    worker: str
    limit: int = LIMIT_SECONDS


SCHEDULE: Final = {
    "payments.sweep_due": Turn(EVERY_SECOND, MONEY),
    "payments.sweep_chains": Turn(EVERY_SECOND, READER),
    # Why apart from money: their contracts are anybody's, and payments must not wait for what those say.
    "payments.sweep_wallet_words": Turn(EVERY_SECOND, UPKEEP),
    "payments.sweep_searches": Turn(30.0, UPKEEP),
    "payments.sweep_contract_proofs": Turn(5.0, MONEY),
    "payments.sweep_settlement_changes": Turn(10.0, MONEY),
    "payments.sweep_unknown_payers": Turn(60.0, MONEY),
    "refunds.sweep_due": Turn(EVERY_SECOND, MONEY),
    "refunds.sweep_late": Turn(10.0, MONEY),
    "refunds.sweep_contract_claims": Turn(EVERY_SECOND, MONEY),
    "payouts.sweep_due": Turn(EVERY_SECOND, MONEY),
    "records.sweep_due": Turn(EVERY_SECOND, UPKEEP),
    "chains.read_gas_accounts": Turn(60.0, UPKEEP),
    "records.seal_backlog": Turn(60.0, UPKEEP),
    "theatre.sweep_due": Turn(EVERY_SECOND, UPKEEP),
    "tokens.refresh_prices": Turn(30.0, MONEY),
    "tokens.refresh_tokens": Turn(EVERY_HOUR, UPKEEP),
    "webhooks.drain": Turn(EVERY_SECOND, DELIVERY),
    # Why apart from deliveries: a receiver that hangs in its test must hold up nobody's events.
    "webhooks.certify_receivers": Turn(EVERY_SECOND, UPKEEP),
    "webhooks.disable_failing_endpoints": Turn(600.0, DELIVERY),
    "webhooks.make_event_weeks": Turn(EVERY_HOUR, UPKEEP),
    "webhooks.place_events": Turn(60.0, UPKEEP),
    "webhooks.purge_old_events": Turn(EVERY_HOUR, UPKEEP),
    "config.check_invariants": Turn(10.0, UPKEEP, CHECK_SECONDS),
    "config.walk_invariants": Turn(60.0, UPKEEP),
    "config.seal_audits": Turn(60.0, UPKEEP),
    "config.open_books": Turn(60.0, UPKEEP),
    "ledger.write_statements": Turn(EVERY_HOUR, UPKEEP),
    "core.tell_pauses": Turn(60.0, UPKEEP),
    "merchants.send_mail": Turn(5.0, DELIVERY),
    "merchants.purge_mail": Turn(EVERY_HOUR, UPKEEP),
    "merchants.purge_idempotency_records": Turn(EVERY_HOUR, UPKEEP),
    "merchants.make_request_days": Turn(EVERY_HOUR, UPKEEP),
    "merchants.purge_request_records": Turn(EVERY_HOUR, UPKEEP),
    "merchants.purge_sessions": Turn(EVERY_HOUR, UPKEEP),
    "payments.purge_routes": Turn(EVERY_HOUR, UPKEEP),
    "payments.count_routes": Turn(EVERY_HOUR, UPKEEP),
    "payments.purge_simulated": Turn(EVERY_HOUR, UPKEEP),
    "theatre.purge_replays": Turn(EVERY_HOUR, UPKEEP),
    "mcp.sweep_approvals": Turn(600.0, UPKEEP),
    "mcp.sweep_lenders": Turn(60.0, UPKEEP),
    "mcp.read_client_documents": Turn(5.0, UPKEEP),
    "mcp.purge_oauth": Turn(EVERY_HOUR, UPKEEP),
}
AT_ONCE: Final = ("tokens.refresh_prices", "tokens.refresh_tokens", "config.open_books")
"""What a worker does before the clock's first round: it knows what things cost, and a new service's books are complete
before its first payment is older than they are."""


def work_of(name: str) -> Callable[[], None]:
    """The function of that name in the app's ``tasks``. Why late: it needs the models."""
    app, function = name.split(".")
    work: Callable[[], None] = getattr(import_module(f"{app}.tasks"), function)
    return work
