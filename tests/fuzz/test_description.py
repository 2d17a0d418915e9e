"""The service does what its description says, for requests made up from the description itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from schemathesis.checks import CHECKS
from schemathesis.schemas import BaseSchema

from core.dispatch import BEAT, WORKERS
from core.heartbeats import note_alive
from core.modes import Mode
from payments.models import PaymentAttempt
from payments.services.advance import sweep_due
from tests.authorization.payer import act, quoted_attempt
from tests.authorization.stage import Stage, set_the_stage
from tests.fuzz.described import Credentials, aim, is_beyond_schemas, load

schema: BaseSchema = load()
schema.auth(refresh_interval=None)(Credentials)
AFTER_THE_QUOTE = ("/submitted", "/rejected", "/simulated-wallet/transactions")
ACCEPTANCE = CHECKS.get_by_names(["positive_data_acceptance"])


@contextmanager
def in_the_test_s_transaction() -> Iterator[None]:
    """Undo what requests do, and let them leave the connection open, as those of the framework's own client do."""
    ends = (request_started, request_finished)
    for end in ends:
        end.disconnect(close_old_connections)
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    finally:
        for end in ends:
            end.connect(close_old_connections)


@pytest.fixture
def stage(db: None) -> Stage:
    """Rows to aim at, a payer with a quote, and a worker that lives, so that readiness has nothing to complain of."""
    for name in (*WORKERS, BEAT):
        note_alive(name)
    stage = set_the_stage(Mode.TEST)
    attempt = PaymentAttempt.objects.get(pk=quoted_attempt(stage, stage.credentials("own checkout token")))
    chosen = {"chain": attempt.chain, "token_address": attempt.token_address}
    stage.ids.update(attempt_id=str(attempt.pk), **chosen)
    return stage


def accept_the_quote(stage: Stage) -> None:
    act(stage, "start", {"attempt_id": stage.ids["attempt_id"]}, stage.credentials("own checkout token"))
    sweep_due()


@pytest.mark.embedded
@pytest.mark.spec("API description: every answer is described")
@schema.parametrize()
def test_every_answer_is_as_described(case: Any, stage: Stage) -> None:
    aim(case, stage)
    with transaction.atomic():
        if case.path.endswith(AFTER_THE_QUOTE):
            accept_the_quote(stage)
        with in_the_test_s_transaction():
            response = case.call()
            excluded = ACCEPTANCE if is_beyond_schemas(response) else []
            case.validate_response(response, excluded_checks=excluded)
        transaction.set_rollback(True)
