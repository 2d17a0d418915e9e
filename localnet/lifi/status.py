"""What LI.FI says of a transfer. Source: npm @lifi/types 18.4.0 (StatusResponse); docs.li.fi, status tracking."""

from collections.abc import Mapping
from typing import Any

from web3.exceptions import TransactionNotFound

from localnet.addresses import DIAMOND, LIFI_IDS, NATIVE
from localnet.devchain import DevChain
from localnet.lifi.calldata import contract, word
from localnet.lifi.orders import BRIDGE, EXCHANGE, SOLANA, chain_named
from localnet.lifi.plans import Plan
from localnet.lifi.refusals import invalid
from localnet.lifi.steps import fee_costs, token_json
from localnet.market import Asset, Market
from localnet.relayer import Delivery, Relayer

HASH_LENGTH = 66
PENDING, DONE, FAILED, NOT_FOUND = "PENDING", "DONE", "FAILED", "NOT_FOUND"
MESSAGES = {
    "COMPLETED": "The transfer is complete.",
    "REFUNDED": "The transfer was not successful and the sent token has been refunded",
    "WAIT_SOURCE_CONFIRMATIONS": "The bridge is waiting for additional confirmations",
    "WAIT_DESTINATION_TRANSACTION": "The bridge off-chain logic is being executed",
    "UNKNOWN_FAILED_ERROR": "The transfer failed.",
}


class StatusBook:
    """Looks transfers up on the nodes, with the relayer's knowledge of the other side."""

    def __init__(self, nodes: Mapping[str, DevChain], relayer: Relayer, market: Market) -> None:
        self.nodes, self.relayer, self.market = nodes, relayer, market
        self.plans: dict[str, Plan] = {}
        self.solana_plans: list[Plan] = []

    def answer(self, query: Mapping[str, str]) -> dict[str, Any]:
        """The answer to ``GET /status``. Raises: Refusal."""
        if chain_named(query.get("fromChain") or "1") == SOLANA:
            return self._of_signature(query.get("txHash", ""))
        wanted = query.get("txHash", "").lower()
        if len(wanted) != HASH_LENGTH or not wanted.startswith("0x"):
            raise invalid("Not an EVM or Solana transaction hash")
        chains = [chain_named(query["fromChain"])] if query.get("fromChain") else list(self.nodes)
        for chain in chains:
            receipt = self._receipt(chain, wanted)
            if receipt is not None:
                return self._of_receipt(chain, wanted, receipt)
        return _base(wanted, chains[0], NOT_FOUND) | {"tool": query.get("bridge", "")}

    def _of_signature(self, signature: str) -> dict[str, Any]:
        """What became of a deposit on Solana: by the relayer's book, since it tells of every one."""
        delivery, told = self.relayer.of(signature), _base(signature, SOLANA, NOT_FOUND) | {"tool": BRIDGE}
        made = None if delivery is None else next((one for one in self.solana_plans if _is_of(one, delivery)), None)
        return told if made is None else told | self._crossing(made, delivery)

    def _receipt(self, chain: str, tx_hash: str) -> Any:
        try:
            return self.nodes[chain].web3.eth.get_transaction_receipt(tx_hash)  # type: ignore[arg-type]  # a hash
        except (KeyError, TransactionNotFound):
            return None

    def _of_receipt(self, chain: str, tx_hash: str, receipt: Any) -> dict[str, Any]:
        if receipt["to"] != DIAMOND:
            return _base(tx_hash, chain, NOT_FOUND)
        transaction_id = self._transaction_id(chain, tx_hash)
        plan = self.plans.get(transaction_id)
        if receipt["status"] != 1 or plan is None:
            return _base(tx_hash, chain, FAILED, "UNKNOWN_FAILED_ERROR")
        delivery = self.relayer.of(tx_hash)
        told = self._full(plan, transaction_id, receipt, tx_hash)
        if plan.order.is_swap:
            return told | _said(DONE, "COMPLETED") | {"receiving": self._swapped(plan, tx_hash, receipt)}
        return told | self._crossing(plan, delivery)

    def _transaction_id(self, chain: str, tx_hash: str) -> str:
        data = self.nodes[chain].web3.eth.get_transaction(tx_hash)["input"]  # type: ignore[arg-type]  # a hash
        try:
            _, arguments = contract("Diamond").decode_function_input(data)
        except ValueError:
            return ""
        own = arguments.get("bridgeData", arguments)["transactionId"]
        return "0x" + bytes(own).hex()

    def _full(self, plan: Plan, transaction_id: str, receipt: Any, tx_hash: str) -> dict[str, Any]:
        order, coin = plan.order, self.market.find(plan.order.taken.chain, NATIVE)
        assert coin is not None
        spent = receipt["gasUsed"] * receipt["effectiveGasPrice"]
        sending = self._side(order.taken, tx_hash, plan.amount) | {
            "gasPrice": str(receipt["effectiveGasPrice"]),
            "gasUsed": str(receipt["gasUsed"]),
            "gasToken": token_json(coin, self.market),
            "gasAmount": str(spent),
            "gasAmountUSD": self.market.usd_of(coin, spent),
            "includedSteps": [],
        }
        return {
            "transactionId": transaction_id,
            "sending": sending,
            "feeCosts": fee_costs(plan, self.market),
            "lifiExplorerLink": f"https://scan.li.fi/tx/{tx_hash}",
            "fromAddress": order.payer,
            "toAddress": order.receiver,
            "tool": EXCHANGE if order.is_swap else BRIDGE,
            "metadata": {"integrator": order.integrator},
        }

    def _swapped(self, plan: Plan, tx_hash: str, receipt: Any) -> dict[str, Any]:
        logs = self.nodes[plan.order.wanted.chain].contract("Diamond", DIAMOND).events
        [completed] = [
            logs.LiFiGenericSwapCompleted().process_log(log)
            for log in receipt["logs"]
            if log["address"] == DIAMOND and len(log["topics"]) > 1
        ]
        return self._side(plan.order.wanted, tx_hash, completed["args"]["toAmount"])

    def _crossing(self, plan: Plan, delivery: Delivery | None) -> dict[str, Any]:
        waiting = {"receiving": {"chainId": plan.order.wanted.chain_id}}
        if delivery is None:
            return waiting | _said(PENDING, "WAIT_SOURCE_CONFIRMATIONS")
        if delivery.refund_hash:
            refunded = self._side(plan.carried, delivery.refund_hash, delivery.deposit["inputAmount"])
            return {"receiving": refunded} | _said(DONE, "REFUNDED")
        if delivery.fill_hash:
            filled = self._side(plan.order.wanted, delivery.fill_hash, delivery.paid_units)
            return {"receiving": filled} | _said(DONE, "COMPLETED")
        return waiting | _said(PENDING, "WAIT_DESTINATION_TRANSACTION")

    def _side(self, asset: Asset, tx_hash: str, units: int) -> dict[str, Any]:
        return {
            "txHash": tx_hash,
            "txLink": "",
            "amount": str(units),
            "token": token_json(asset, self.market),
            "chainId": asset.chain_id,
            "amountUSD": self.market.usd_of(asset, units),
            "timestamp": self.nodes[asset.chain].now(),
        }


def _is_of(made: Plan, delivery: Delivery) -> bool:
    figures = (made.amount, made.delivered_least, word(made.order.receiver))
    return figures == tuple(delivery.deposit[name] for name in ("inputAmount", "outputAmount", "recipient"))


def _said(status: str, substatus: str) -> dict[str, str]:
    return {"status": status, "substatus": substatus, "substatusMessage": MESSAGES[substatus]}


def _base(tx_hash: str, chain: str, status: str, substatus: str = "") -> dict[str, Any]:
    chain_id = LIFI_IDS[chain]
    told: dict[str, Any] = {"sending": {"txHash": tx_hash, "chainId": chain_id, "txLink": ""}, "tool": ""}
    told |= {"receiving": {"chainId": chain_id}, "status": status}
    return told | (_said(status, substatus) if substatus else {})
