"""Giving back what was not asked for, by a button: from the form of refunds, once, and only where it can go."""

from django.test import Client

from core.money import ZERO_USD
from merchants.models import Merchant
from payments.models import PaymentIntent, stray_id_of
from refunds.models import Refund
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.merchants.people import send_form, text_of
from tests.payments.world import World
from tests.refunds.claiming import PAYER, paid_by
from tests.refunds.stories import NOWHERE, PAYEE
from tests.refunds.test_strays import stray_of

ADVICE = "send it from your wallet"


def page_of(intent: PaymentIntent) -> str:
    return f"/dashboard/test/payments/{intent.pk}/strays/"


def test_one_button_gives_it_back_once(world: World, merchant: Merchant, owner: Client) -> None:
    intent = paid_intent(merchant, mode="test")
    paid_by(intent, PAYER.address)
    refund_form = f"/dashboard/test/payments/{intent.pk}/refund/"
    assert page_of(intent) not in text_of(owner.get(refund_form))
    stray = stray_of(intent)
    wanted = str(stray_id_of(intent.pk, stray.pk))
    assert f'href="{page_of(intent)}"' in text_of(owner.get(refund_form))
    shown = text_of(owner.get(page_of(intent)))
    for words in ("0.003 WETH on Base", PAYER.address, stray.tx_hash, "Give it back</button>", wanted):
        assert words in shown
    made_at = send_form(owner, page_of(intent), stray_id=wanted)
    [made] = Refund.objects.all()
    assert (made.stray_id, made.destination, made.amount_usd) == (stray.pk, PAYER.address, ZERO_USD)
    assert made_at.headers["Location"] == f"/dashboard/test/refunds/{made.pk}/"
    assert "0.003 WETH back to the payer" in text_of(owner.get(made_at.headers["Location"]))
    own_pages = (
        "/dashboard/test/refunds/",
        f"/dashboard/test/payments/{intent.pk}/",
        f"/dashboard/test/refunds/{made.pk}/",
    )
    assert [path for path in own_pages if "$0.00 back" in text_of(owner.get(path))] == []
    assert "until the refund is sent" not in text_of(owner.get(f"/dashboard/test/payments/{intent.pk}/"))
    claim = text_of(Client().get(f"/claim/{made.pk}"))
    assert ("0.003 WETH" in claim, "$0.00" in claim) == (True, False)
    before = all_rows()
    again = send_form(owner, page_of(intent), stray_id=wanted)
    assert (again.status_code, all_rows() == before) == (400, True)
    assert "Give it back</button>" not in text_of(again)


def test_what_failed_leads_there_again(world: World, merchant: Merchant, owner: Client) -> None:
    intent = paid_intent(merchant, mode="test")
    stray = stray_of(intent)
    send_form(owner, page_of(intent), stray_id=str(stray_id_of(intent.pk, stray.pk)))
    Refund.objects.update(status="failed")
    shown = text_of(owner.get(f"/dashboard/test/refunds/{Refund.objects.get().pk}/"))
    assert f'href="{page_of(intent)}">Give it back again' in shown
    assert "Create it again" not in shown
    assert "Give it back</button>" in text_of(owner.get(page_of(intent)))


def test_what_cannot_go_back_says_so(merchant: Merchant, owner: Client) -> None:
    """Nobody's; on no list; another payment's; and nothing at all."""
    intent = paid_intent(merchant, mode="test")
    assert "Nothing came with this payment" in text_of(owner.get(page_of(intent)))
    stray_of(intent, payer="", payer_proof="")
    unknown = stray_of(intent, token_address=PAYEE, position="7")
    shown = text_of(owner.get(page_of(intent)))
    assert ("Nothing proves which wallet sent it" in shown, ADVICE in shown) == (True, True)
    assert "A token that is on no list on Base" in shown
    before = all_rows()
    refused = send_form(owner, page_of(intent), stray_id=str(stray_id_of(intent.pk, unknown.pk)))
    assert (refused.status_code, 'data-testid="refusal"' in text_of(refused)) == (400, True)
    assert send_form(owner, page_of(intent), stray_id=NOWHERE).status_code == 400
    assert send_form(owner, page_of(intent), stray_id="nonsense").status_code == 404
    assert all_rows() == before
