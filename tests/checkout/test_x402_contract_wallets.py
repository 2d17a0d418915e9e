"""What a contract signed is read, refused with what is asked for, and begins nothing (docs/x402.md)."""

import pytest

from payments.models import PayerAuthorization, PaymentAttempt
from tests.checkout.programs import Program, read_header
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.payments.world import World, create, read

MARK_OF_ERC_6492 = "6492" * 16


@pytest.mark.parametrize("more", ["00", "00" * 96, MARK_OF_ERC_6492], ids=["a byte", "three words", "not deployed"])
def test_a_contracts_signature_is_read_and_taken_by_nobody(world: World, api: ApiClient, more: str) -> None:
    settles = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
    intent, program = create(api, **settles), Program()
    asked = program.asks(intent)
    payment = program.signs(asked)
    payment["payload"]["signature"] += more
    reply = program.brings(intent, payment)
    assert (reply.status, reply.body["code"]) == (402, "authorization_unsigned")
    again = read_header(reply, "PAYMENT-REQUIRED")
    assert (again["error"], again["accepts"][0]["amount"]) == ("authorization_unsigned", "25000000")
    assert (PaymentAttempt.objects.count(), PayerAuthorization.objects.count()) == (0, 0)
    assert read(api, intent)["status"] == "requires_payment"
    assert program.brings(intent, program.signs(asked)).status == 202
