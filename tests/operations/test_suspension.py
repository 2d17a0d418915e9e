"""A merchant that an operator stops: nothing new begins, nothing is paid out, and what was begun goes on."""

from io import StringIO
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client

from chains.models import TransferAttempt
from mcp.calls import call_tool
from mcp.tools.payouts import CREATE_PAYOUT
from merchants.errors import MerchantSuspended
from merchants.models import Change, Merchant
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import Credit, Leg
from payments.selectors import public_intent
from payments.services.attempts import refuse_unpayable
from payouts.models import Payout
from payouts.services import sweep_due as sweep_payouts
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.mcp.charter.stories import caller_of, connected
from tests.merchants.people import OWNER, confirm_identity, send_form, sign_in, text_of
from tests.payments.world import World, create, pay, read
from tests.payouts.stories import asked
from tests.refunds.stories import PAYEE, refund, settled, shown, work
from webhooks.models import Event

WHY = "a court order"


def run(name: str, merchant: Merchant) -> str:
    out = StringIO()
    call_command(name, "--merchant", str(merchant.pk), "--reason", WHY, stdout=out)
    return out.getvalue()


def suspend(account: NewMerchant) -> None:
    assert run("suspend_merchant", account.merchant) == f"Merchant {account.merchant.pk} is suspended.\n"


def test_keys_read_and_begin_nothing(world: World, api: ApiClient, account: NewMerchant) -> None:
    before = create(api)
    suspend(account)
    for path, body in (
        ("/payment-intents", {"amount": 25}),
        (f"/payment-intents/{before['id']}/cancel", {}),
        ("/refunds", {"intent_id": before["id"], "amount_usd": 1}),
        ("/webhook-endpoints", {"url": "https://shop.example/hook", "events": ["*"]}),
    ):
        reply = api.post(path, body)
        assert (reply.status, reply.body["code"]) == (403, "merchant_suspended"), path
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="again").status == 403
    assert read(api, before)["status"] == "created"
    assert api.get("/payment-intents").status == 200
    run("resume_merchant", account.merchant)
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="again").status == 201


def test_a_payer_reads_a_plain_page_and_what_was_begun_settles(
    world: World, api: ApiClient, account: NewMerchant, client: Client
) -> None:
    unpaid, begun, quoted = create(api), create(api), create(api)
    assert pay(api, begun, "settle").status == 200
    world.run(1)
    assert read(api, begun)["status"] == "executing"
    assert pay(api, quoted, "settle").status == 200
    suspend(account)
    page = client.get(f"/checkout/{unpaid['id']}")
    assert page.status_code == 403
    for words in ("This business takes no payments now.", "Nothing was taken from your wallet."):
        assert words in text_of(page)
    german = text_of(client.get(f"/checkout/{unpaid['id']}", headers={"accept-language": "de"}))
    assert "Dieses Unternehmen nimmt derzeit keine Zahlungen an." in german
    work(world)
    assert read(api, begun)["status"] == "settled"
    work(world, 70)
    assert (
        read(api, quoted)["status"],
        Leg.objects.filter(attempt__intent_id=quoted["id"], tx_hash__gt="").count(),
    ) == (
        "requires_payment",
        0,
    )
    assert Event.objects.filter(resource_id=begun["id"], type="payment_intent.settled").count() == 1
    assert client.get(f"/checkout/{begun['id']}").status_code == 200


def test_nobody_begins_to_pay_by_any_way(world: World, api: ApiClient, account: NewMerchant) -> None:
    intent = public_intent(create(api)["id"])
    refuse_unpayable(intent)
    suspend(account)
    with pytest.raises(MerchantSuspended):
        refuse_unpayable(intent)


def test_payouts_wait_and_refunds_go_to_who_paid_and_nowhere_else(
    world: World, api: ApiClient, account: NewMerchant, principal: Principal
) -> None:
    out, back, elsewhere = settled(world, api), settled(world, api), settled(world, api)
    payer = Credit.objects.get(intent_id=back["id"]).payer
    assert payer not in {"", PAYEE}
    payout = asked(principal, out)
    owed, strange = refund(api, back, destination=payer), refund(api, elsewhere, destination=PAYEE)
    suspend(account)
    work(world, 30)
    sweep_payouts()
    payout.refresh_from_db()
    assert (payout.status, payout.failure_reason) == ("paused", "merchant_suspended")
    assert (shown(api, owed)["status"], shown(api, strange)["status"]) == ("paid", "pending")
    assert shown(api, strange)["failure_reason"] == "merchant_suspended"
    assert TransferAttempt.objects.count() == 1
    run("resume_merchant", account.merchant)
    for _ in range(4):
        world.wait(61)
        work(world, 4)
        sweep_payouts()
    payout.refresh_from_db()
    assert (shown(api, strange)["status"], payout.status) == ("paid", "paid")
    assert violations() == []


def test_an_agent_begins_nothing(world: World, api: ApiClient, account: NewMerchant, principal: Principal) -> None:
    intent, connection = settled(world, api), connected(principal)
    suspend(account)
    answer = call_tool(caller_of(connection), CREATE_PAYOUT, {"intent_id": intent["id"], "idempotency_key": "k"})
    assert (answer.is_error, answer.code) == (True, "merchant_suspended")
    assert Payout.objects.count() == 0


def test_the_dashboard_shows_everything_and_changes_nothing(world: World, api: ApiClient, account: NewMerchant) -> None:
    intent = create(api)
    theirs = sign_in(OWNER)
    confirm_identity(theirs)
    assert "suspended-band" not in text_of(theirs.get("/dashboard/test/"))
    suspend(account)
    assert "suspended-band" in text_of(theirs.get("/dashboard/test/"))
    answer = send_form(
        theirs, f"/dashboard/test/payments/{intent['id']}/cancel/", at=f"/dashboard/test/payments/{intent['id']}/"
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, "/dashboard/test/")
    assert MerchantSuspended.message in text_of(theirs.get("/dashboard/test/"))
    assert read(api, intent)["status"] == "created"


def test_it_is_audited_and_the_owners_are_written_to_once(account: NewMerchant) -> None:
    suspend(account)
    suspend(account)
    run("resume_merchant", account.merchant)
    found = Change.objects.filter(merchant_id=account.merchant.pk).order_by("pk")
    assert list(found.values_list("actor", "action", "after")) == [
        ("operator:terminal", "merchant.suspended", {"reason": WHY}),
        ("operator:terminal", "merchant.suspension_ended", {"reason": WHY}),
    ]
    sent: list[Any] = [(one.to, str(one.subject)) for one in mail.outbox]
    name = account.merchant.name
    assert sent == [
        ([OWNER], f"{name}: suspended by the operator"),
        ([OWNER], f"{name}: no longer suspended"),
    ]
