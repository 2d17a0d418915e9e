"""What LI.FI is asked for a payer on Solana, and what its answer becomes."""

from typing import Any

from pytest_django import Settings

from core.clock import now
from payments.routing.base import LegKind
from payments.routing.lifi.provider import LIFI
from payments.routing.lifi.status import status
from tests.payments.lifi.desk import Desk
from tests.payments.lifi.honest import BASE_USDC, MERCHANT
from tests.payments.lifi.svm import ORDER, PAID, PAYER, REQUEST, USDC, SvmAnswer


def fresh(**fields: Any) -> dict[str, Any]:
    """An honest answer of this moment, with something else in its order."""
    moment = int(now().timestamp())
    return SvmAnswer(order={**ORDER, "quoted": moment, "deadline": moment + 3600, **fields}).body()


def test_the_question_and_the_offer(desk: Desk, settings: Settings) -> None:
    """No fee is asked for: it would be a transfer beside the deposit."""
    settings.PLATFORM_FEE_BPS = 30
    desk.answer(200, fresh())
    [offer] = LIFI.offers(REQUEST)
    assert (offer.error, offer.kind, offer.raw["tool"]) == (None, LegKind.BRIDGE, "across")
    assert (offer.input_base_units, offer.min_output_base_units) == (-(-PAID * 10_050 // 10_000), 25_000_000)
    assert (str(offer.gas_usd), offer.native_fee_base_units) == ("0.020000", 0)
    [asked] = desk.asked
    assert asked == {
        "fromChain": "1151111081099710",
        "toChain": "8453",
        "fromToken": str(USDC),
        "toToken": BASE_USDC.address,
        "fromAddress": str(PAYER),
        "toAddress": MERCHANT,
        "toAmount": "25000000",
        "slippage": "0.0050",
        "order": "CHEAPEST",
        "allowDestinationCall": "false",
        "allowBridges": "across",
        "integrator": "causeway",
    }


def test_a_lie_is_a_refused_offer(desk: Desk) -> None:
    desk.answer(200, fresh(output_amount=24_999_999))
    [offer] = LIFI.offers(REQUEST)
    assert (offer.error, offer.input_base_units) == ("OUTPUT_BELOW_TARGET", 0)


def test_a_payment_is_asked_after_by_its_signature(desk: Desk) -> None:
    desk.answer(200, {"status": "PENDING"})
    assert status("5" * 88, "across", "solana", "base").report == "waiting"
    assert desk.asked == [{"txHash": "5" * 88, "fromChain": "1151111081099710", "toChain": "8453", "bridge": "across"}]
