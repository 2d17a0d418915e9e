"""The public x402 package for Python pays at a payment's address, and reads every answer of it."""

from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
import requests
from django.conf import settings
from django.test import Client
from eth_account import Account
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from x402 import x402ClientSync
from x402.http import x402HTTPClientSync
from x402.http.clients.requests import x402HTTPAdapter
from x402.http.utils import decode_payment_required_header, decode_payment_response_header
from x402.mechanisms.evm.eip712 import hash_eip3009_authorization
from x402.mechanisms.evm.exact import register_exact_evm_client
from x402.mechanisms.evm.types import ExactEIP3009Authorization

from chains.calldata.eip3009 import Authorization
from chains.models import SimulatedTransaction
from core.money import BaseUnits
from payments.models import Credit, PayerAuthorization
from scripts.served import AsServed
from tests.checkout.programs import KEY
from tests.checkout.test_x402 import bought
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.payments.world import World, events, pay, read


class OverTheHandler(HTTPAdapter):
    """Sends to the service in this process."""

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        asked = urlsplit(str(request.url))
        client = Client(headers={name: str(value) for name, value in request.headers.items()})
        client.handler = AsServed()
        answer = client.get(f"{asked.path}?{asked.query}")
        response = requests.Response()
        response.status_code, response._content, response.url = answer.status_code, answer.content, str(request.url)
        response.headers = CaseInsensitiveDict(answer.headers)
        response.request = request
        return response


class Paying(x402HTTPAdapter, OverTheHandler):
    """The package's own adapter, over that."""


def buyer() -> x402ClientSync:
    """Why with a limit: unless one is set, the package pays a dollar at most."""
    client = register_exact_evm_client(x402ClientSync(), Account.from_key(KEY))
    return client.set_spend_controls({"max_amount_per_payment": "$100"})


def session(client: x402ClientSync | None = None) -> requests.Session:
    made = requests.Session()
    made.headers["Accept"] = "application/json"
    made.mount(settings.BASE_URL, OverTheHandler() if client is None else Paying(client))
    return made


def header_for(client: x402ClientSync, intent: dict[str, Any]) -> dict[str, str]:
    """What the package signs for what is asked now; not brought yet."""
    asked = session().get(intent["checkout_url"])
    required = decode_payment_required_header(asked.headers["PAYMENT-REQUIRED"])
    payload = client.create_payment_payload(required)
    written: dict[str, str] = x402HTTPClientSync(client).encode_payment_signature_header(payload)
    return written


def test_the_public_client_pays_three_payments_one_settles_and_two_are_refused(world: World, api: ApiClient) -> None:
    """Exact, expired, already paid: settled, refused, refused, and nothing lost."""
    client = buyer()
    exact, expired, paid = bought(api), bought(api, expires_in_seconds=60), bought(api)
    late, second = header_for(client, expired), header_for(client, paid)

    taken = session(client).get(exact["checkout_url"])
    assert (taken.status_code, taken.json()["status"]) == (202, "quoted")
    pay(api, paid)
    world.run(20)
    again = taken.request.headers["PAYMENT-SIGNATURE"]
    made = session().get(exact["checkout_url"], headers={"PAYMENT-SIGNATURE": again})
    told = decode_payment_response_header(made.headers["PAYMENT-RESPONSE"])
    [credit] = Credit.objects.filter(intent=exact["id"])
    assert (made.status_code, told.success, told.transaction) == (200, True, credit.tx_hash)
    assert (told.network, told.amount, told.payer) == ("eip155:8453", "25000000", Account.from_key(KEY).address)

    world.wait(60)
    world.run(2)
    for intent, header, status in ((expired, late, "expired"), (paid, second, "settled")):
        refused = session().get(intent["checkout_url"], headers=header)
        assert (refused.status_code, refused.json()["code"]) == (409, "intent_not_payable")
        assert refused.json()["details"] == {"status": status}
        assert session(client).get(intent["checkout_url"]).status_code == 409  # nor is anything asked for

    assert [read(api, intent)["status"] for intent in (exact, expired, paid)] == ["settled", "expired", "settled"]
    assert events(exact)[-1] == "settled"
    assert (PayerAuthorization.objects.count(), SimulatedTransaction.objects.count()) == (1, 2)
    assert violations() == []


@pytest.mark.parametrize("name", ["Causeway test money", "USD Coin"])
def test_both_sign_the_same_bytes(name: str) -> None:
    token, holder, recipient = (Account.from_key(f"0x{number:064x}").address for number in (7, 8, 9))
    given = Authorization(
        chain_id=8453, token=token, holder=holder, recipient=recipient, base_units=BaseUnits(2**200 + 1),
        valid_after=5, valid_before=2**40, nonce="0x" + uuid4().hex * 2, domain_name=name,
    )  # fmt: skip
    theirs = ExactEIP3009Authorization(
        from_address=holder,
        to=recipient,
        value=str(given.base_units),
        valid_after="5",
        valid_before=str(2**40),
        nonce=given.nonce,
    )
    assert given.digest() == hash_eip3009_authorization(theirs, 8453, token, name, "2")
