"""LI.FI's HTTP interface over the local network's nodes. Source: chains, LI.FI REST."""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from localnet.addresses import CHAIN_IDS, DIAMOND, LIFI_IDS
from localnet.devchain import DevChain
from localnet.http_server import HttpQuestion, HttpReply, Respond, listening
from localnet.lifi.calldata import Moment, encoded
from localnet.lifi.faults import Answer, Fault
from localnet.lifi.orders import SOLANA, chain_named, read_amount, read_order
from localnet.lifi.plans import Plan, Terms, check_limits, plan, plan_to
from localnet.lifi.refusals import FAILED_TO_BUILD, NOT_FOUND, SERVER, Refusal, invalid
from localnet.lifi.solana import quote as quote_on_solana
from localnet.lifi.solana import terms_for
from localnet.lifi.status import StatusBook
from localnet.lifi.steps import GAS_LIMIT, chain_json, step_json, token_json
from localnet.market import Market
from localnet.relayer import Relayer, working
from localnet.solana.server import DevSolana
from localnet.solana.spoke import SvmSpoke

PREFIX = "/v1"
MOST_AHEAD_SECONDS = 3000
"""Why: Across takes no quote that is older than an hour, and a chain's time may be before the clock's."""
HEADERS = {"ratelimit-limit": "200", "ratelimit-remaining": "199", "ratelimit-reset": "60"}


@dataclass(frozen=True)
class Asked:
    """One question that came in."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


class Lifi:
    """What is quoted and said; a test changes ``terms``, ``market``, ``relayer`` and ``faults`` as it goes."""

    def __init__(
        self, nodes: Mapping[str, DevChain], market: Market | None = None, solana: DevSolana | None = None
    ) -> None:
        self.nodes, self.market, self.solana = nodes, market or Market(), solana
        self.url = ""
        self.terms = Terms()
        self.relayer = Relayer(nodes, None if solana is None else SvmSpoke(solana))
        self.statuses = StatusBook(nodes, self.relayer, self.market)
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []

    def lie(self, on: str = "", **fault: Any) -> Fault:
        """Let the next answer be wrong; see ``Fault``."""
        made = Fault(on, **fault)
        self.faults.append(made)
        return made

    def honest(self) -> None:
        """Nothing is wrong any more."""
        self.faults.clear()

    def answer(self, asked: Asked) -> Answer | None:
        """What goes out; None where the connection just ends."""
        self.asked.append(asked)
        answer: Answer | None = self._truth(asked)
        for fault in [one for one in self.faults if one.concerns(asked.path)]:
            answer = fault.spoil(answer) if answer is not None else None
        return answer

    def _truth(self, asked: Asked) -> Answer:
        answers = {
            "/quote": self._quote,
            "/quote/toAmount": self._quote_to,
            "/status": self.statuses.answer,
            "/tokens": self._tokens,
            "/token": self._token,
            "/chains": self._chains,
        }
        try:
            if asked.path not in answers:
                raise Refusal(NOT_FOUND, "Not found")
            return Answer(200, answers[asked.path](asked.query), dict(HEADERS))
        except Refusal as refusal:
            return Answer(refusal.status, refusal.body, HEADERS | refusal.headers)

    def _quote(self, query: Mapping[str, str]) -> dict[str, Any]:
        order = read_order(query, self.market)
        made = plan(order, read_amount(query, "fromAmount"), self.market, terms_for(order, self.terms))
        return self._firm(made, query)

    def _quote_to(self, query: Mapping[str, str]) -> dict[str, Any]:
        if query.get("slippageScope"):
            raise invalid("slippageScope is not supported on /quote/toAmount")
        order = read_order(query, self.market)
        made = plan_to(order, read_amount(query, "toAmount"), self.market, terms_for(order, self.terms))
        return self._firm(made, query)

    def _firm(self, made: Plan, query: Mapping[str, str]) -> dict[str, Any]:
        check_limits(made, self.market, self.terms)
        if made.order.taken.chain == SOLANA and self.solana is not None and made.order.wanted.chain in self.nodes:
            self.statuses.solana_plans.append(made)
            return quote_on_solana(made, self.solana, self.market, self.terms, str(uuid.uuid4()))
        order, node = made.order, self.nodes.get(made.order.taken.chain)
        if node is None or order.wanted.chain not in self.nodes:
            raise invalid("This chain has no node here")
        held = node.balance(order.taken.address, order.payer)
        if self.terms.checks_balances and query.get("skipSimulation") != "true" and held < made.amount:
            raise Refusal(FAILED_TO_BUILD, "None of the available routes could successfully generate a tx")
        transaction_id = "0x" + token_hex(32)
        self.statuses.plans[transaction_id] = made
        request = {
            "value": hex(made.amount if order.taken.is_native else 0),
            "to": DIAMOND,
            "data": encoded(made, Moment(transaction_id=transaction_id, now=_moment_on(node))),
            "from": order.payer,
            "chainId": order.taken.chain_id,
            "gasPrice": hex(node.web3.eth.gas_price),
            "gasLimit": hex(GAS_LIMIT),
        }
        transaction = {"transactionId": transaction_id, "transactionRequest": request}
        return step_json(made, self.market, str(uuid.uuid4()), transaction)

    def _tokens(self, query: Mapping[str, str]) -> dict[str, Any]:
        wanted = [chain_named(one) for one in query.get("chains", "").split(",") if one] or list(CHAIN_IDS)
        return {
            "tokens": {
                str(LIFI_IDS[chain]): [token_json(one, self.market) for one in self.market.assets if one.chain == chain]
                for chain in wanted
            }
        }

    def _token(self, query: Mapping[str, str]) -> dict[str, Any]:
        chain, token = chain_named(query.get("chain", "")), query.get("token", "")
        found = self.market.find(chain, token) or self.market.named(chain, token)
        if found is None:
            raise Refusal(NOT_FOUND, f"Could not find token {token} on chain {query['chain']}")
        return token_json(found, self.market)

    def _chains(self, _query: Mapping[str, str]) -> dict[str, Any]:
        return {"chains": [chain_json(name, self.market) for name in CHAIN_IDS]}


def _moment_on(node: DevChain) -> int:
    """Now, in a form that Across takes: no later than the newest block, unless that is old, and not long ago."""
    last, coming = (int(node.web3.eth.get_block(name)["timestamp"]) for name in ("latest", "pending"))
    known = last if coming - last < MOST_AHEAD_SECONDS else coming
    return min(known, max(int(time.time()), coming - MOST_AHEAD_SECONDS))


@contextmanager
def serving(
    nodes: Mapping[str, DevChain],
    *,
    port: int = 0,
    market: Market | None = None,
    relays: bool = True,
    solana: DevSolana | None = None,
) -> Iterator[Lifi]:
    """LI.FI on a port of its own. Without ``relays`` nothing is filled until a test calls ``relayer.work``."""
    lifi = Lifi(nodes, market, solana)
    with ExitStack() as stack:
        lifi.url = stack.enter_context(listening(_respond_as(lifi), port)) + PREFIX
        if relays:
            stack.enter_context(working(lifi.relayer))
        yield lifi


def _respond_as(lifi: Lifi) -> Respond:
    def respond(question: HttpQuestion) -> HttpReply | None:
        asked = Asked(question.path.removeprefix(PREFIX), question.query, question.headers)
        try:
            answer = lifi.answer(asked)
        except Exception as error:  # noqa: BLE001  Why: a mistake in here must be seen, not look like an outage.
            answer = Answer(500, {"message": f"localnet itself failed: {error!r}", "code": SERVER})
        return None if answer is None else HttpReply(status=answer.status, body=answer.text(), headers=answer.headers)

    return respond
