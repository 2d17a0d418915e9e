"""A real Prometheus scrapes a running deployment, and each alarm is seen to fire for its own reason."""

import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scripts.day.prometheus import alerts, asked, configured
from tests.deploy.test_alerts import rules
from tests.deploy.test_dashboards import expressions
from tests.journeys.http_caller import soon
from tests.journeys.production import ENTRY, Production, production
from tests.journeys.programs import Program, clean_environment
from tests.journeys.test_log_lines import database_away
from tests.machine import own_port

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]

NOWHERE = "http://127.0.0.1:9"
"""A node that nobody answers for."""
GROWING = """
INSERT INTO core_metrictotal (name, labels, total) VALUES
    ('causeway_request_seconds', 'api|5xx|5.0', 10), ('causeway_request_seconds_sum', 'api|5xx', 40),
    ('causeway_deliveries_total', 'unreachable', 10),
    ('causeway_request_seconds', 'api|4xx|5.0', 1), ('causeway_request_seconds_sum', 'api|4xx', 40),
    ('causeway_task_seconds', 'payments.sweep_due|failed|5.0', 1),
    ('causeway_task_seconds_sum', 'payments.sweep_due|failed', 40),
    ('causeway_settle_seconds', 'live|base|5.0', 1), ('causeway_settle_seconds_sum', 'live|base', 40),
    ('causeway_signer_coins', 'base|1', 250000), ('causeway_node_questions_total', 'base|127.0.0.1|answered', 1),
    ('causeway_node_questions_total', 'base|127.0.0.1|failed', 1), ('causeway_node_disagreements_total', 'base', 1),
    ('causeway_log_records_total', 'causeway.payments|error', 1),
    ('causeway_transitions_total', 'payments_paymentintent|settled', 1),
    ('causeway_transitions_total', 'refunds_refund|succeeded', 1),
    ('causeway_transitions_total', 'payouts_payout|paid', 1), ('causeway_transitions_total', 'chains_transfer|paid', 1)
ON CONFLICT (name, labels) DO UPDATE SET total = core_metrictotal.total + excluded.total
"""
WRONG = """
INSERT INTO core_invariantcheck (asked_at, started_at, finished_at, violations, is_cut)
VALUES (now(), now(), now() - interval '3 hours', '["I1: planted"]', false);
DELETE FROM django_migrations WHERE app = 'core' AND name = '0005_metric_totals';
INSERT INTO core_pause (kind, reason, since, by, ended_by)
VALUES ('signing', 'planted', now() - interval '2 hours', 'ada', '');
UPDATE core_heartbeat SET at = now() - interval '1 hour' WHERE name = 'delivery';
UPDATE core_heartbeat SET at = now() + interval '1 hour' WHERE name = 'upkeep';
INSERT INTO chains_signingaccount (merchant_id, mode, network, chain, address, backend, key_reference, paused_reason,
    cap_per_transfer_usd, cap_per_day_usd, allowed_destinations, paused_at, created_at)
SELECT id, 'live', 'localnet', 'base', '0x1', 'keystore', 'k', 'by hand', 0, 0, '[]', now(), now()
FROM merchants_merchant LIMIT 1;
INSERT INTO chains_gasaccount (network, chain, address, backend, key_reference, coin_balance, call_cost, read_at,
    created_at)
VALUES ('localnet', 'base', '0x2', 'keystore', 'g', 10, 1, now() - interval '1 hour', now());
INSERT INTO chains_chainreader (network, chain, lane, attempts, points, width, refused, read_to, head, read_at)
VALUES ('localnet', 'base', 'logs', 0, '[]', 1, '', 100, 2000, now() - interval '10 minutes');
INSERT INTO webhooks_event (id, merchant_id, mode, type, resource_type, resource_id, sequence, payload, occurred_at,
    kept_until)
SELECT 'evt_planted', id, 'test', 'x', 'payment_intent', gen_random_uuid(), 1, '{}', now() - interval '5 minutes', now()
FROM merchants_merchant LIMIT 1;
INSERT INTO webhooks_webhookendpoint (id, merchant_id, mode, url, events, enabled, created_at, disabled_reason,
    owner_told, event_sequence)
SELECT '00000000-0000-4000-8000-000000000001', id, 'test', 'https://a.example/', '[]', true, now(), '', 0, 0
FROM merchants_merchant LIMIT 1;
INSERT INTO webhooks_delivery (id, merchant_id, mode, event_id, endpoint_id, outcome, attempts, attempts_before,
    next_attempt_at, created_at)
SELECT gen_random_uuid(), id, 'test', 'evt_planted', '00000000-0000-4000-8000-000000000001', 'due', 0, 0,
    now() - interval '15 minutes', now()
FROM merchants_merchant LIMIT 1
"""


UNPLANTED = {"Causeway: money: Money that waits A"}
"""What shows nothing here, since it needs a transfer with all that belongs to one."""


@contextmanager
def prometheus(folder: Path, port: int, target: int) -> Iterator[str]:
    """It, with the deployment's own rules, every second and without patience."""
    command = configured(folder, port, target, is_patient=False)
    program = Program(command, clean_environment(), folder / "prometheus.log")
    try:
        program.start()
        yield f"http://127.0.0.1:{port}"
    finally:
        program.kill_with_children()


def firing(url: str) -> set[str]:
    return alerts(url, "firing")


def value(url: str, metric: str) -> float | None:
    found = asked(f"{url}/api/v1/query?query={metric}").get("result", [])
    return float(found[0]["value"][1]) if found else None


def silent(url: str) -> set[str]:
    """The expressions of dashboards that this Prometheus refuses, or that show nothing."""
    return {
        name
        for name, text in expressions().items()
        if value(url, urllib.parse.quote(text.replace("$__rate_interval", "20s"))) is None
    }


def plant(service: Production, sql: str) -> None:
    with service.connection() as connection:
        connection.execute(sql.encode())


def test_each_alarm_fires_for_its_own_reason(tmp_path: Path) -> None:
    port, target = own_port(), own_port()
    with (
        production(tmp_path, own_port(), NETWORK_PROFILE="localnet") as service,
        prometheus(tmp_path, port, target) as url,
    ):
        metrics = Program(
            (*ENTRY, "metrics"), {**service.environment, "METRICS_PORT": str(target)}, tmp_path / "metrics.log"
        )
        try:
            merchant = service.merchant()
            soon(lambda: firing(url) == {"CausewayMetricsMissing"}, "the alarm that nobody answers")
            metrics.start()
            counted = 'causeway_request_seconds_count{area="api",status="2xx"}'.replace('"', "%22")
            soon(lambda: merchant.get("/payment-intents").status and value(url, counted), "a counted request")
            soon(lambda: firing(url) == set(), "quiet")
            service.end()
            plant(service, WRONG)
            metrics.stop()
            metrics.environment = {**metrics.environment, "RPC_URLS_BASE": NOWHERE}
            metrics.start()
            expected = {rule["alert"] for rule in rules()} - {"CausewayMetricsMissing", "CausewayDatabaseAway"}
            soon(lambda: grown(service, url) >= expected, "every alarm")
            soon(lambda: not grown_silent(service, url), f"something in every panel, and not in {sorted(silent(url))}")
            with database_away(service.environment["DATABASE_URL"]):
                soon(lambda: "CausewayDatabaseAway" in firing(url), "the alarm of the database")
        finally:
            metrics.kill_with_children()


def grown_silent(service: Production, url: str) -> set[str]:
    """The expressions that show nothing, once more has happened."""
    plant(service, GROWING)
    return silent(url) - UNPLANTED


def grown(service: Production, url: str) -> set[str]:
    """The alarms, once more has failed."""
    plant(service, GROWING)
    return firing(url)
