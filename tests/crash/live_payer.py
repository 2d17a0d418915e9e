"""A payer with a real wallet who keeps at it: does whatever the page's state asks for next, whoever dies meanwhile.

Written from the payer API alone. Signs each transaction it is given once, and never one for the same leg again.
"""

import json
import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from eth_account.signers.local import LocalAccount

from localnet.nodes import DevChain, fresh_wallet
from tests.journeys.http_caller import Caller, Unreachable
from tests.machine import wait_until

CONTEXT = re.compile(rb'<script id="checkout-context" type="application/json">(.*?)</script>', re.DOTALL)
MAY_BE_REFUSED = frozenset({202, 401, 409, 429, 503})
PAUSE_SECONDS = 0.1
OVER = ("failed", "abandoned", "lapsed", "confirmed")


@dataclass
class LivePayer:
    """One payer on the page of one live intent; ``shop`` knows no key."""

    shop: Caller
    intent_id: str
    node: DevChain
    token: str
    wallet: LocalAccount = field(default_factory=fresh_wallet)
    sent: dict[tuple[str, int], str] = field(default_factory=dict)
    _reported: set[str] = field(default_factory=set)
    _token: str = ""

    def pay(self) -> None:
        wait_until(self._is_settled, f"intent {self.intent_id} settled", poll=PAUSE_SECONDS)

    def _is_settled(self) -> bool:
        try:
            state = self._state()
            self._go_on(state)
        except Unreachable:
            self._token = ""
            return False
        return bool(state["status"] == "settled")

    def _go_on(self, state: dict[str, Any]) -> None:
        wallet, attempt = state["wallet"], state["attempt"]
        if wallet is None:
            self._act("wallet", {"family": "evm", "address": self.wallet.address})
        elif wallet["status"] == "ready" and (attempt is None or attempt["status"] in OVER):
            self._act("quote", {"chain": self.node.chain, "token_address": self.token})
        elif attempt is not None and attempt["status"] == "quoted":
            self._act("start", {"attempt_id": attempt["id"]})
        elif attempt is not None:
            self._sign(attempt)

    def _sign(self, attempt: dict[str, Any]) -> None:
        for unsigned in attempt["transactions"]:
            key = attempt["id"], unsigned["leg_sequence"]
            if key not in self.sent:
                for approval in unsigned.get("approvals", []):
                    self.node.send(self.wallet, approval)
                self.sent[key] = self.node.send(self.wallet, unsigned["request"], gas=1_000_000)
        for (attempt_id, sequence), tx_hash in self.sent.items():
            hint = {"attempt_id": attempt_id, "leg_sequence": sequence, "tx_hash": tx_hash}
            if tx_hash not in self._reported and self._act("submitted", hint):
                self._reported.add(tx_hash)

    def _act(self, path: str, body: dict[str, Any]) -> bool:
        """Whether it was accepted. Why a refusal is no fault: the state may have moved on since it was read."""
        door = f"/checkout/{self.intent_id}/{path}"
        answer = self.shop.send("POST", door, body, Checkout_Token=self._pass())
        assert answer.status in MAY_BE_REFUSED, answer.raw
        return answer.status == HTTPStatus.ACCEPTED

    def _state(self) -> dict[str, Any]:
        answer = self.shop.send("GET", f"/checkout/{self.intent_id}/state", Checkout_Token=self._pass())
        if answer.status != HTTPStatus.OK:
            raise Unreachable(str(answer.status))
        state: dict[str, Any] = answer.body
        return state

    def _pass(self) -> str:
        if not self._token:
            page = self.shop.look(f"/checkout/{self.intent_id}").raw
            found = CONTEXT.search(page)
            assert found is not None, page[:500]
            self._token = json.loads(found[1])["checkout_token"]
        return self._token
