"""An approval against a change of the settlement address: what leaves goes where the person was shown, or nowhere."""

from functools import partial

import pytest

from chains.models import SigningAccount
from core.modes import Mode
from core.money import usd
from mcp.errors import ApprovalRequired
from mcp.models import ApprovalRequest
from mcp.services.approvals import approve
from merchants.principal import Principal
from merchants.services import create_merchant
from payments.models import SettlementProfile
from payments.services.credits import network_of
from payouts.models import Payout
from payouts.services import hold_all_moved
from tests.factories.payments import ANNS_EVM, BOBS_EVM, settlement_profile
from tests.factories.refunds import paid_intent
from tests.mcp.charter.stories import ask_payout, connected
from tests.races.lineup import at_once
from tokens.services import load_bundled_tokens

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
ACCOUNT = "0x27b1fdb04752bbc536007a920d24acb045561c26"


def test_an_approval_and_a_change_at_once_never_send_to_what_nobody_was_shown() -> None:
    load_bundled_tokens()
    account = create_merchant("Corner Shop", "owner@shop.example")
    settlement_profile(account.merchant, chain="base", token="USDC")
    SigningAccount.objects.create(
        merchant=account.merchant, mode="live", network=network_of("live"), chain="base", address=ACCOUNT,
        backend="keystore", key_reference="one",
    )  # fmt: skip
    person = Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor=f"user:{account.owner.pk}")
    connection = connected(person, approval_above_usd=usd("10"))
    for number in range(8):
        SettlementProfile.objects.update(address=ANNS_EVM)
        intent = paid_intent(account.merchant, settlement_address=ACCOUNT)
        with pytest.raises(ApprovalRequired):
            ask_payout(connection, {"id": str(intent.pk)}, f"k{number}")
        request = ApprovalRequest.objects.get(idempotency_key=f"k{number}")

        def moves() -> None:
            SettlementProfile.objects.update(address=BOBS_EVM)
            hold_all_moved(account.merchant.pk, "live")

        approval, _ = at_once([partial(approve, person, account.owner, request.pk), moves])
        made = list(Payout.objects.filter(intent=intent).values_list("destination", flat=True))
        if approval.refusal is None:
            assert made == [ANNS_EVM]
        else:
            assert (approval.refusal.code, made) == ("approval_outdated", [])
