"""The restore drill: a database goes back to before payments, refunds and payouts, and nothing is paid or told twice.

A real PostgreSQL archived by pgBackRest, an EVM node and Solana's runtime, the production form. ``make restore-drill``.
"""

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.journeys.http_caller import Answer, Caller
from tests.journeys.live_payer import UNITS, LivePayer
from tests.journeys.live_stage import EVM, SOLANA
from tests.journeys.restore_stage import Counter, Drill, drill, until
from tests.machine import pause

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]
PAYS_OUT = {"outevm": EVM, "outsol": SOLANA}
REFUNDS = {"backevm": EVM, "backsol": SOLANA}
QUIET_SECONDS = 5.0
ONCE = ("payment_intent.settled", "refund.created", "refund.paid", "payout.created", "payout.paid")


@pytest.fixture(scope="module")
def drilled() -> Iterator[Drill]:
    """Why no folder of the suite's: PostgreSQL runs as a user of its own, which gets into none of those."""
    assert shutil.which("pgbackrest"), "make restore-drill installs Debian's pgbackrest"
    with TemporaryDirectory(prefix="causeway-drill-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)
        with drill(folder, os.environ["REDIS_URL"], {**PAYS_OUT, **REFUNDS}) as made:
            for shop in made.those(PAYS_OUT):
                wanted = ("--merchant", str(shop.shop.merchant_id), "--mode", "live", "--on")
                made.service.manage("set_payout_at_settle", *wanted)
            yield made


def asks_refund(counter: Counter, payer: LivePayer, key: str) -> Answer:
    asked = {"intent_id": payer.intent_id, "amount_usd": 5, "destination": payer.address}
    return counter.shop.merchant.post("/refunds", asked, Idempotency_Key=key)


def pays(drilled: Drill, payer: LivePayer) -> None:
    """Who reports nothing: only a reader finds it."""
    payer.sign(payer.issued)
    until(lambda: is_settled(payer), "a settled payment", drilled)


def is_settled(payer: LivePayer) -> bool:
    return bool(payer.seen()["status"] == "settled")


def is_refunded(counter: Counter, refund_id: str) -> bool:
    answer = counter.shop.merchant.get(f"/refunds/{refund_id}")
    return bool(answer.status == 200 and answer.body["status"] == "paid")


def is_told(counter: Counter, kind: str) -> bool:
    return any(event["type"] == kind for event in counter.receiver.accepted())


@dataclass(kw_only=True)
class Story:
    """What happened: whose payments settled before the moment, and whose after it; the refunds; what accounts held."""

    settled: dict[str, LivePayer]
    waiting: dict[str, LivePayer]
    moment: str
    refunds: dict[str, str] = field(default_factory=dict)
    held: list[int] = field(default_factory=list)


def before_the_moment(drilled: Drill) -> Story:
    """A backup, and after it payments to be refunded later, and intents that wait for their payers."""
    drilled.archive.back_up()
    settled = {one.chain: drilled.payer(one) for one in drilled.those(REFUNDS)}
    for payer in settled.values():
        pays(drilled, payer)
    waiting = {one.chain: drilled.payer(one) for one in drilled.those(PAYS_OUT)}
    pause(1.0)
    moment = drilled.moment()
    pause(1.0)  # pgBackRest goes to a second
    return Story(settled=settled, waiting=waiting, moment=moment)


def after_the_moment(drilled: Drill, story: Story) -> None:
    """Payments, their payouts at settle, refunds under a key: all on the chains, and told."""
    out, back = drilled.those(PAYS_OUT), drilled.those(REFUNDS)
    for payer in story.waiting.values():
        pays(drilled, payer)
    for one in back:
        story.refunds[one.chain] = asks_refund(one, story.settled[one.chain], "order-1").body["id"]
    until(lambda: all(drilled.held(one.chain, one.home) == UNITS for one in out), "payouts", drilled)
    until(lambda: all(is_refunded(one, story.refunds[one.chain]) for one in back), "refunds", drilled)
    until(lambda: all(is_told(one, "payout.paid") for one in out), "news of payouts", drilled)
    until(lambda: all(is_told(one, "refund.paid") for one in back), "news of refunds", drilled)


def lose(drilled: Drill, story: Story) -> None:
    """All that was archived is what is left."""
    drilled.archive.archive_all()
    drilled.service.end()
    story.held = drilled.accounts()
    for one in drilled.counters.values():
        one.before = len(one.receiver.deliveries)


def test_a_database_of_before_pays_and_tells_nothing_twice(drilled: Drill) -> None:
    story = before_the_moment(drilled)
    after_the_moment(drilled, story)
    lose(drilled, story)
    out, back = drilled.those(PAYS_OUT), drilled.those(REFUNDS)
    with drilled.restored(story.moment):
        it_is_quiet_and_learns(drilled, story.waiting)
        again = {one.chain: asks_refund(one, story.settled[one.chain], "order-1").body["id"] for one in back}
        assert again == story.refunds
        pause(QUIET_SECONDS)
        assert [one.told_since() for one in drilled.counters.values()] == [[]] * 4
        assert "Let go" in drilled.service.manage("restored", "--let-go", "--by", "drill")
        until(lambda: all(is_refunded(one, again[one.chain]) for one in back), "refunds again", drilled)
        until(lambda: all(is_told_again(one, "payout.paid") for one in out), "news of payouts again", drilled)
        until(lambda: all(is_told_again(one, "refund.paid") for one in back), "news of refunds again", drilled)
        pause(QUIET_SECONDS)
        assert drilled.accounts() == story.held
        assert [drilled.held(one.chain, one.home) for one in out] == [UNITS] * 2
        assert "All invariants hold." in drilled.service.manage("check_invariants", "--chains")
    for one in drilled.counters.values():
        sees_through(one)


def it_is_quiet_and_learns(drilled: Drill, waiting: dict[str, LivePayer]) -> None:
    """It says so itself, and while nothing leaves what the chains know comes back into the books."""
    ready = Caller(base_url=drilled.service.base_url).get("/api/public/health/ready").body["checks"]
    assert ready["restored"]["detail"].startswith("quiet: this database was put back from a backup.")
    until(lambda: all(is_settled(one) for one in waiting.values()), "payments that were forgotten", drilled)


def is_told_again(counter: Counter, kind: str) -> bool:
    return kind in counter.told_since()


def sees_through(counter: Counter) -> None:
    """All of it is genuine; what happens once has one id, before and after; no id stands for two things."""
    assert all(one.genuine for one in counter.receiver.deliveries)
    ids, meanings = defaultdict[Any, set[Any]](set), defaultdict[Any, set[Any]](set)
    for event in counter.receiver.accepted():
        meanings[event["id"]].add((event["type"], event["resource"]["id"]))
        if event["type"] in ONCE:
            ids[event["type"], event["resource"]["id"]].add(event["id"])
    assert {which: len(found) for which, found in ids.items()} == dict.fromkeys(ids, 1)
    assert {one: len(found) for one, found in meanings.items()} == dict.fromkeys(meanings, 1)
