"""The scoreboard of routes: counted from payments, shown without anybody's, learned from after a replay."""

from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from core.clock import now
from core.modes import Mode
from core.money import usd
from merchants.models import Merchant
from merchants.services import NewMerchant
from payments.models import Leg, PaymentAttempt, PaymentIntent, RouteCandidate, RouteFigures, RouteRisks
from payments.routing.risks import current_risks, forget_risks
from payments.scoreboard.count import count_day, forget_old
from payments.states import LegStatus
from payments.tasks import count_routes
from tests.conftest import ApiClient
from tests.factories.refunds import paid_intent
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay

pytestmark = [pytest.mark.usefixtures("db"), pytest.mark.slow]


@pytest.fixture(autouse=True)
def _nothing_in_memory() -> None:
    forget_risks()


def board_of(client: Client, mode: str = "test") -> dict[str, Any]:
    answer = client.get("/routes/test/data.json" if mode == "test" else "/routes/data.json")
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")
    body: dict[str, Any] = answer.json()
    return body


def show_all(settings: Settings) -> None:
    settings.SCOREBOARD_LEAST_PAYMENTS = settings.SCOREBOARD_LEAST_MERCHANTS = 1


def sent(intent: PaymentIntent, status: str = LegStatus.CONFIRMED, took: int = 30, **figures: Any) -> Leg:
    """A leg over 100 units that was to take 20 seconds, and ended."""
    begun = figures.pop("submitted_at", now() - timedelta(hours=1))
    row = {
        **{"kind": "swap", "provider": "atlas", "chain": "base", "to_chain": "base", "token": "USDT"},
        **{"to_token": "USDC", "token_decimals": 6, "to_token_decimals": 6, "amount_usd": Decimal(25)},
        **{"typical_seconds": 20, "input_base_units": 110, "min_output_base_units": 100, "submitted_at": begun},
        **{"output_base_units": 100, "confirmed_at": begun + timedelta(seconds=took), "status": status, **figures},
    }
    number = intent.legs.count() + 1
    leg = Leg(merchant=intent.merchant, mode=intent.mode, intent=intent, sequence=number, **row)
    leg.save(force_insert=True)
    return leg


def weighed(intent: PaymentIntent, leg: Leg, costs: tuple[str, str], **others: Any) -> None:
    """The leg's route was chosen for an attempt, and another one would have worked."""
    attempt = PaymentAttempt.objects.create(
        merchant=intent.merchant, mode=intent.mode, intent=intent, number=intent.payment_attempts.count() + 1,
        family="evm", payer_address="0x1", status="failed",
    )  # fmt: skip
    Leg.objects.filter(pk=leg.pk).update(attempt=attempt)
    for provider, cost, score in (("atlas", costs[0], "97"), ("meridian", costs[1], "96")):
        RouteCandidate.objects.create(
            merchant=intent.merchant, mode=intent.mode, intent=intent, attempt=attempt, provider=provider,
            chosen=provider == "atlas", ai_pick=False, score=Decimal(score), duration_sec=20,
            to_amount_usd=usd("25"), fee_usd=usd(cost), gas_usd=usd("0"),
            **{"from_chain": "base", "to_chain": "base", "from_token": "USDT", "to_token": "USDC", **others},
        )  # fmt: skip


def test_what_payers_were_shown_and_what_came_of_it(client: Client, merchant: Merchant, settings: Settings) -> None:
    show_all(settings)
    intent = paid_intent(merchant, mode=Mode.TEST)
    Leg.objects.all().delete()
    sent(intent, took=20, output_base_units=101)
    sent(intent, took=40)
    sent(intent, took=41, output_base_units=99)
    weighed(intent, sent(intent, LegStatus.FAILED, output_base_units=None, confirmed_at=None), ("0.05", "0.25"))
    sent(intent, typical_seconds=600, took=900, token="DAI", provider="meridian")
    sent(intent, LegStatus.SUBMITTED)
    assert count_day(Mode.TEST, (now() - timedelta(hours=1)).date()) == 5
    body = board_of(client)
    [atlas, meridian] = body["routes"]
    assert atlas["route"] == {
        **{"provider": "atlas", "kind": "swap", "chain": "base", "to_chain": "base"},
        **{"token": "USDT", "to_token": "USDC"},
    }
    assert {name: atlas[name] for name in atlas if name != "route"} == {
        **{"payments": 4, "arrived": "75.0", "in_time": "33.3", "in_twice_the_time": "66.7"},
        **{"shown_seconds": "20.0", "took_seconds": "33.7", "below_guaranteed": 1, "above_guaranteed": "0.33"},
        **{"compared": 1, "cost_usd": "0.05", "saved_usd": "0.20"},
    }
    assert (meridian["payments"], meridian["compared"], meridian["cost_usd"]) == (1, 0, None)
    calibration = [(line["route"]["shown_within"], line["payments"], line["in_time"]) for line in body["calibration"]]
    assert calibration == [("30", 4, "33.3"), ("0", 1, "0.0")]
    page = client.get("/routes/test/").content.decode()
    assert "5 transactions were sent, and 80.0 % of them arrived" in " ".join(page.split())
    assert board_of(client, "live")["routes"] == []


def test_a_day_that_is_counted_again_is_counted_once(client: Client, merchant: Merchant, settings: Settings) -> None:
    show_all(settings)
    intent = paid_intent(merchant, mode=Mode.TEST)
    Leg.objects.all().delete()
    sent(intent)
    for _ in range(3):
        count_routes()
    assert [line["payments"] for line in board_of(client)["routes"]] == [1]
    RouteFigures.objects.update(day=now().date() - timedelta(days=401))
    assert (forget_old(), RouteFigures.objects.count()) == (1, 0)


def test_nobodys_sales_are_shown(client: Client, merchant: Merchant, other_account: NewMerchant) -> None:
    intents = [paid_intent(one, mode=Mode.TEST) for one in (merchant, other_account.merchant)]
    Leg.objects.all().delete()
    for number in range(40):
        sent(intents[number % 2])
    count_routes()
    assert RouteFigures.objects.get().merchants == 2
    body = board_of(client)
    assert (body["whole"], body["routes"], body["calibration"]) == (None, [], [])
    RouteFigures.objects.update(merchants=3)
    assert [line["payments"] for line in board_of(client)["routes"]] == [40]
    RouteFigures.objects.update(confirmed=19)
    assert board_of(client)["routes"] == []


def history(merchant: Merchant, *, failing: str) -> None:
    """Two hundred payments of a month, each with a choice; every second one of a provider's fails."""
    intent = paid_intent(merchant, mode=Mode.TEST)
    Leg.objects.all().delete()
    for number in range(200):
        begun = now() - timedelta(days=28) + timedelta(hours=3 * number)
        fails = number % 2 == 0
        fate: dict[str, Any] = {"status": LegStatus.FAILED, "output_base_units": None} if fails else {}
        leg = sent(intent, submitted_at=begun, **(fate if failing == "atlas" else {}))
        weighed(intent, leg, ("0.01", "0.05"))
        sent(intent, submitted_at=begun, provider="meridian", **(fate if failing == "meridian" else {}))
        RouteCandidate.objects.filter(attempt=leg.intent.payment_attempts.order_by("-number")[0]).update(
            created_at=begun
        )


def learn(*arguments: str) -> str:
    out = StringIO()
    call_command("learn_routes", "--mode", "test", *arguments, stdout=out)
    return out.getvalue()


def test_what_was_learned_counts_only_after_a_replay_found_it_better(merchant: Merchant) -> None:
    history(merchant, failing="atlas")
    printed = learn()
    assert "Nothing was adopted." in printed
    forget_risks()
    assert current_risks(Mode.TEST) == {}
    [risks] = RouteRisks.objects.all()
    judged = risks.replay["judged"]
    assert judged > 50
    assert (risks.replay["changed"], risks.replay["loss_now_usd"]) == (judged, "0.5109")
    assert risks.replay["loss_then_usd"] == "0.0600"


def test_the_score_counts_with_what_was_adopted_until_it_is_ended(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("payments.scoreboard.replay.LEAST_JUDGED", 50)
    history(merchant, failing="atlas")
    assert "Adopted." in learn("--adopt")
    adopted = current_risks(Mode.TEST)
    assert adopted["atlas", "base", "base"] > Decimal("0.3")
    assert adopted["meridian", "base", "base"] < Decimal("0.01")
    assert current_risks(Mode.LIVE) == {}
    assert "1 ended" in learn("--end")
    assert current_risks(Mode.TEST) == {}


def test_what_is_no_better_is_not_adopted(merchant: Merchant) -> None:
    history(merchant, failing="meridian")
    with pytest.raises(CommandError, match="that is no better"):
        learn("--adopt")
    assert not RouteRisks.objects.filter(adopted_at__isnull=False).exists()
    assert current_risks(Mode.TEST) == {}


def test_a_quote_avoids_what_was_found_to_fail(world: World, api: ApiClient) -> None:
    first = chosen(world, api)
    RouteRisks.objects.create(
        mode="test",
        shares=[{"provider": first, "chain": chain, "to_chain": "base", "share": "0.9"} for chain in ("base", "bnb")],
        adopted_at=now(),
    )
    forget_risks()
    assert chosen(world, api) != first


def chosen(world: World, api: ApiClient) -> str:
    """By whom a payment in another token goes."""
    intent = create(api)
    payer = Payer.of(intent)
    token = next(one for one in payer.connect() if one["symbol"] == "ETH" and one["chain"] == "base")
    payer.choose(token)
    world.run(2)
    rows = api.get(f"/payment-intents/{intent['id']}/routing").body["data"]
    [provider] = [row["provider"] for row in rows if row["chosen"]]
    return str(provider)


def test_simulated_payments_are_counted_too(client: Client, world: World, api: ApiClient, settings: Settings) -> None:
    show_all(settings)
    for _ in range(3):
        pay(api, create(api))
    world.run(30)
    count_routes()
    body = board_of(client)
    assert sum(line["payments"] for line in body["routes"]) == 3
    assert body["whole"]["arrived"] == "100.0"
