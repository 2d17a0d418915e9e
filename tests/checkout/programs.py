"""A program that pays by x402: reads what is asked for, signs it with a wallet's key, and brings it."""

import base64
import copy
import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django.test import Client
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount

from chains.calldata.eip3009 import Authorization
from core.clock import now
from core.money import BaseUnits
from core.renderers import to_json
from scripts.served import AsServed
from tests.conftest import Reply, read_reply

KEY = "0x" + "5e" * 32
"""Of a wallet that holds nothing anywhere."""


@dataclass
class Program:
    """A client with a wallet. ``more`` goes out with each request."""

    wallet: LocalAccount = field(default_factory=lambda: Account.from_key(KEY))
    more: dict[str, Any] = field(default_factory=dict)

    def asks(self, intent: dict[str, Any], query: str = "", **headers: str) -> Reply:
        """GET the payment's address; as JSON unless the headers say otherwise."""
        client = Client(headers={"Accept": "application/json"} | headers)
        client.handler = AsServed()
        return read_reply(client.get(f"/checkout/{intent['id']}{query}", **self.more))

    def brings(self, intent: dict[str, Any], payment: dict[str, Any] | str, query: str = "") -> Reply:
        header = payment if isinstance(payment, str) else written(payment)
        return self.asks(intent, query, **{"PAYMENT-SIGNATURE": header})

    def signs(self, asked: Reply, nonce: str = "", **changes: Any) -> dict[str, Any]:
        """What a client makes of an answer; ``changes`` to what is signed, by the names of ``Authorization``."""
        required = read_header(asked, "PAYMENT-REQUIRED")
        accepted = required["accepts"][0]
        seconds = accepted["maxTimeoutSeconds"]
        terms = {
            "chain_id": int(accepted["network"].partition(":")[2]),
            "token": accepted["asset"],
            "holder": self.wallet.address,
            "recipient": accepted["payTo"],
            "base_units": BaseUnits(int(accepted["amount"])),
            "valid_before": int(now().timestamp()) + seconds,
            "nonce": nonce or "0x" + uuid4().hex * 2,
            "domain_name": accepted["extra"]["name"],
        }
        return self.payload(required, Authorization(**(terms | changes)))

    def payload(self, required: dict[str, Any], given: Authorization) -> dict[str, Any]:
        typed = given.typed_data()
        numbers = {name: int(typed["message"][name]) for name in ("value", "validAfter", "validBefore")}
        message = encode_typed_data(full_message={**typed, "message": {**typed["message"], **numbers}})
        signature = Account.sign_message(message, self.wallet.key).signature
        accepted = copy.deepcopy(required["accepts"][0])
        accepted |= {
            "amount": str(given.base_units),
            "payTo": given.recipient,
            "asset": given.token,
            "network": f"eip155:{given.chain_id}",
        }
        return {
            "x402Version": 2,
            "resource": required["resource"],
            "accepted": accepted,
            "payload": {"signature": "0x" + bytes(signature).hex(), "authorization": typed["message"]},
        }


def written(payment: dict[str, Any]) -> str:
    return base64.b64encode(to_json(payment)).decode()


def read_header(reply: Reply, name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(base64.b64decode(reply.headers[name], validate=True))
    return read
