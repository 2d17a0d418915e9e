"""What no node can say of a leg is asked again more and more seldom, and told to a person after five tries."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from pytest_django import Settings

from chains.clients.base import BridgeReport, IssuedLeg, LegView
from chains.clients.gaps import SEARCH, WHOLE
from chains.errors import ChainUnavailable, QuestionUnanswered
from core.buckets import Limit
from core.clock import now
from merchants.models import Merchant
from merchants.services import NewMerchant
from payments.models import Leg, PaymentIntent
from payments.services import budgets
from payments.services.advance import advance_intent
from payments.services.follow import record_sightings
from payments.services.schedule import next_look
from payments.services.standing import standings, watched
from payments.services.underway import open_attempts
from payments.services.unsaid import MOST_PARTS, TRIES
from payments.services.watch import look_at_legs
from tests.factories.payments import credit
from tests.factories.queue import due_at, queue
from tests.factories.refunds import paid_intent, paid_leg

pytestmark = pytest.mark.usefixtures("db")
HASH = "0x" + "5e" * 32
NOTHING = LegView(seen=None, transfers=(), refund=None, report=BridgeReport.WAITING)


@dataclass
class Client:
    """Nodes that say what a test wants, and remember what they were asked."""

    says: Callable[[IssuedLeg], LegView]
    asked: list[IssuedLeg] = field(default_factory=list)

    def head(self, chain: str) -> int:
        """Not asked."""
        raise AssertionError("nobody asks for the head here")

    def look(self, leg: IssuedLeg) -> LegView:
        """As the test wants."""
        self.asked.append(leg)
        return self.says(leg)


def cannot_say(_: IssuedLeg) -> LegView:
    """All nodes were asked, none can say."""
    raise QuestionUnanswered("base", "JSON-RPC error -32000")


def part(name: str) -> Callable[[IssuedLeg], LegView]:
    """All of it but one part, while that is asked about."""

    def says(leg: IssuedLeg) -> LegView:
        is_asked = name not in leg.left_alone
        unsaid = {name: "a trace too long"} if is_asked else {}
        return LegView(
            seen=None, transfers=(), refund=None, report=BridgeReport.WAITING, unsaid=unsaid, unseen=frozenset({name})
        )

    return says


@pytest.fixture
def intent(merchant: Merchant) -> PaymentIntent:
    """A live one that waits for its payer, who was given a transaction."""
    ends = now() + timedelta(days=1)
    facts: dict[str, Any] = {"expires_at": ends, "expires_due_at": ends, "settled_at": None}
    made = paid_intent(merchant, status="awaiting_signature", **facts)
    paid_leg(made, status="awaiting_signature", issued={"request": {}}, tx_hash=HASH)
    return made


def look(intent: PaymentIntent, client: Client) -> Leg:
    """Look once, and write down what was seen."""
    record_sightings(intent.pk, look_at_legs(intent, watched(standings(intent), {}), client, {}))
    return Leg.objects.get(intent=intent)


def alarms(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What operators are told."""
    return [one.getMessage() for one in caplog.records if one.getMessage().startswith("leg_unreadable")]


def test_the_whole_leg_is_put_back_longer_each_time_and_told_once(
    intent: PaymentIntent, caplog: pytest.LogCaptureFixture
) -> None:
    client, waits = Client(cannot_say), []
    with time_machine.travel(now(), tick=False) as clock:
        for times in range(1, TRIES + 2):
            leg = look(intent, client)
            assert (len(client.asked), leg.unsaid[WHOLE][0]) == (times, times)
            assert len(alarms(caplog)) == int(times >= TRIES)
            due = next_look(intent, open_attempts(intent), standings(intent))
            assert due is not None
            waits.append(round((due - now()).total_seconds()))
            look(intent, client)
            assert len(client.asked) == times
            clock.shift(due - now() + timedelta(milliseconds=1))
        client.says = lambda _: NOTHING
        assert look(intent, client).unsaid == {}
    assert waits == [2, 10, 30, 120, 300, 300]
    assert (leg.status, leg.tx_hash) == ("awaiting_signature", HASH)


@pytest.mark.parametrize("name", [HASH, SEARCH])
def test_one_part_is_left_alone_while_the_rest_is_looked_at(
    intent: PaymentIntent, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    client = Client(part(name))
    with time_machine.travel(now(), tick=False) as clock:
        for times in range(TRIES):
            assert look(intent, client).unsaid[name][0] == times + 1
            look(intent, client)
            assert (name in client.asked[-1].left_alone, WHOLE in client.asked[-1].left_alone) == (True, False)
            assert (name in client.asked[-1].given_up) == (times + 1 == TRIES)
            clock.shift(timedelta(minutes=6))
    assert len(alarms(caplog)) == 1
    assert name in alarms(caplog)[0]


def test_many_parts_are_one_alarm(intent: PaymentIntent, caplog: pytest.LogCaptureFixture) -> None:
    many = {f"0x{number:064x}": "a trace too long" for number in range(MOST_PARTS + 30)}
    view = LegView(
        seen=None, transfers=(), refund=None, report=BridgeReport.WAITING, unsaid=many, unseen=frozenset(many)
    )
    assert len(look(intent, Client(lambda _: view)).unsaid) == MOST_PARTS
    assert len(alarms(caplog)) == 1


def test_silent_nodes_count_no_try(intent: PaymentIntent, caplog: pytest.LogCaptureFixture) -> None:
    def silent(_: IssuedLeg) -> LegView:
        raise ChainUnavailable("base")

    for _ in range(TRIES + 1):
        assert look(intent, Client(silent)).unsaid == {}
    assert alarms(caplog) == []


def test_what_nobody_can_speak_of_is_not_gone(intent: PaymentIntent) -> None:
    leg = Leg.objects.get()
    Leg.objects.filter(pk=leg.pk).update(status="confirming")
    facts = {"leg": leg, "network": "localnet", "mark": "tag", "block_time": now()}
    counted = credit(intent, 5, tx_hash=HASH, final_at=now(), finalized_at=None, **facts)
    waits = credit(intent, 7, tx_hash=HASH, position="1", final_at=None, finalized_at=None, **facts)
    client = Client(part(HASH))
    look(intent, client)
    for one in (counted, waits):
        one.refresh_from_db()
        assert one.reversed_at is None
    client.says = lambda _: NOTHING
    Leg.objects.update(unsaid={})
    look(intent, client)
    for one in (counted, waits):
        one.refresh_from_db()
        assert one.reversed_at is not None


def spends(times: int) -> Callable[[IssuedLeg], LegView]:
    """Asks so many questions."""
    from chains.clients.allowance import spend_question  # noqa: PLC0415 - a name of its own

    def says(_: IssuedLeg) -> LegView:
        for _again in range(times):
            spend_question()
        return NOTHING

    return says


def test_a_leg_that_takes_too_many_questions_waits_and_the_others_do_not(
    intent: PaymentIntent, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.RATE_LIMIT_SCALE = 1
    monkeypatch.setattr(budgets, "LEG_QUESTIONS_A_MINUTE", Limit(count=10, window_seconds=60))
    greedy = Leg.objects.get()
    modest = paid_leg(intent, sequence=2, status="awaiting_signature", issued={"request": {}})
    client = Client(lambda leg: spends(50 if leg.tag == str(greedy.pk) else 1)(leg))
    record_sightings(intent.pk, look_at_legs(intent, watched(standings(intent), {}), client, {}))
    found: dict[Any, Any] = {leg.pk: leg.unsaid for leg in Leg.objects.all()}
    assert ([*found[greedy.pk]], found[modest.pk]) == ([WHOLE], {})


def test_one_merchants_questions_are_not_anothers(
    intent: PaymentIntent, other_account: NewMerchant, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.RATE_LIMIT_SCALE = 1
    monkeypatch.setattr(budgets, "MERCHANT_QUESTIONS_A_MINUTE", Limit(count=20, window_seconds=60))
    sibling, stranger = paid_intent(intent.merchant), paid_intent(other_account.merchant)
    for one, times in ((intent, 20), (sibling, 1), (stranger, 20)):
        purse = budgets.IntentPurse()
        purse.pay_for(one)
        left = sum(purse.spend() == 0 for _ in range(times))
        assert (one.pk, left) == (one.pk, 0 if one is sibling else times)


@pytest.mark.xdist_group("what a merchant asked")
@pytest.mark.parametrize("turn", [1, 2])
def test_no_test_pays_for_what_another_one_asked(
    turn: int, intent: PaymentIntent, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.RATE_LIMIT_SCALE = 1
    monkeypatch.setattr(budgets, "MERCHANT_QUESTIONS_A_MINUTE", Limit(count=3, window_seconds=60))
    purse = budgets.IntentPurse()
    purse.pay_for(intent)
    assert [purse.spend() for _ in range(3)] == [0, 0, 0]


def test_what_took_long_waits_long(intent: PaymentIntent, monkeypatch: pytest.MonkeyPatch) -> None:
    purse = budgets.IntentPurse()
    purse.pay_for(intent)
    assert (purse.pause, purse.spend()) == (None, 0)
    monkeypatch.setattr(budgets, "FREE_SECONDS", -1)
    monkeypatch.setattr(budgets, "INTENT_SECONDS", -1)
    monkeypatch.setattr(budgets.IntentPurse, "seconds", 100)
    queue(pk=intent.pk)
    assert advance_intent(intent.pk, purse) is False
    due = due_at(intent.pk)
    assert due is not None
    assert due - now() > timedelta(minutes=1)
    assert purse.spend() > 0
