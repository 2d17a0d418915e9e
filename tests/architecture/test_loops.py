"""Every loop over what is foreign has a budget: nodes, providers, receivers, documents, mail, wallets.

A function asks outside when it names one of ``OUTSIDE``, or another function that does. A loop over such questions
stands in ``BUDGETS`` with the constant that ends it; a new one without a budget fails here.
"""

import ast
from collections.abc import Iterable, Iterator

from tests.architecture.source import Module, app_modules, imports, parse

OUTSIDE = frozenset(
    {
        *("chains.clients.registry.EVM", "chains.clients.registry.SOLANA", "chains.clients.registry.WALLETS"),
        *(
            "chains.clients.registry.client_for",
            "chains.rails.base.rail_named",
            "chains.clients.endpoints.Endpoint",
        ),
        *("chains.clients.evm_endpoint.Node", "chains.clients.solana_endpoint.SolanaNode"),
        *("core.outbound.client.GuardedClient", "core.outbound.providers.ProviderSession"),
        *("core.sweeps.Sweep", "django.core.mail.get_connection"),
    }
)
_QUESTIONS, _QUESTION = "payments.services.budgets.INTENT_QUESTIONS_A_MINUTE", "chains.clients.pool.MOST_SECONDS"
"""Of all that is asked for one payment in a minute; and of one question with all its tries."""
BUDGETS = {
    "chains.authorized_calls.advance_call": "chains.authorized_calls.MOST_STEPS",
    "chains.gas_accounts.read_gas_accounts": "config.settings.RPC_URLS",
    "payments.services.authorization_sending.send_on": "payments.services.authorization_sending.MOST_OF_AN_INTENT",
    "chains.clients.evm_bridges._deposit_to_follow": _QUESTIONS,
    "chains.clients.evm_bridges._filled": _QUESTIONS,
    "chains.clients.evm_bridges.arrival_at": _QUESTIONS,
    "chains.clients.evm_bridges.departure_of": _QUESTIONS,
    "chains.clients.evm_past._quiet_until": "chains.clients.evm_past.MOST_STRIDES",
    "chains.clients.evm_past._searched": "chains.clients.evm_past.MOST_STRIDES",
    "chains.clients.evm_scan._log_ranges": "chains.clients.evm_scan.MOST_CANDIDATES",
    "chains.clients.evm_scan.search_logs": "chains.clients.evm_scan.MOST_RANGES",
    "chains.clients.evm_observation._landing": _QUESTION,
    "chains.clients.evm_transfers._examine": _QUESTIONS,
    "chains.clients.evm_transfers._moved": _QUESTIONS,
    "chains.clients.evm_transfers._stray_coins": "chains.clients.base.MOST_STRAYS",
    "chains.clients.evm_transfers._stray_tokens": "chains.clients.base.MOST_STRAYS",
    "chains.clients.evm_transfers.look_at": _QUESTIONS,
    "chains.clients.pool.NodeChains._pool": "config.settings.RPC_URLS",
    "chains.clients.pool.Pool.ask_every": "config.settings.RPC_URLS",
    "chains.clients.pool.Pool.ask_one": _QUESTION,
    "chains.clients.solana_departure.departure_of": _QUESTIONS,
    "chains.clients.solana_look.look_at": "chains.clients.solana_look.MOST_CANDIDATES",
    "chains.clients.solana_look.mentioning": "chains.clients.solana_look.MOST_MENTIONS",
    "chains.rails.merchant_wallet.authorizations._taken": _QUESTION,
    "chains.rails.solana.past.read_past": "chains.rails.solana.past.MOST_OPENED",
    "chains.rails.solana.observation.read_observation": "chains.rails.solana.observation.MOST_SIGNATURES",
    "chains.reader.evm._by_blocks": "chains.reader.evm.MOST_BLOCKS",
    "chains.reader.evm._by_logs": "chains.reader.evm.MOST_RANGES",
    "chains.reader.evm._open": "chains.reader.evm.MOST_OPENED",
    "chains.reader.rounds.Round.final": "config.settings.RPC_URLS",
    "chains.reader.solana._list_account": "chains.reader.solana.MOST_FINAL_PAGES",
    "chains.reader.solana.list_final": "payments.services.reading_accounts.MOST_ACCOUNTS",
    "chains.reader.solana._opened_each": "chains.reader.solana.MOST_OPENED",
    "chains.reader.solana.read_account": "chains.reader.solana.MOST_PAGES",
    "chains.reader.solana.read_new": "payments.services.reading_accounts.MOST_ACCOUNTS",
    "chains.transfers.advance_transfer": "chains.transfers.MOST_STEPS",
    # An operator's command, for as long as he waits.
    "operations.invariants.on_chain._compared": _QUESTION,
    "operations.invariants.on_chain.chains_agree": _QUESTION,
    "chains.reader.afresh._landed": "chains.reader.afresh.BLOCKS_A_QUESTION",
    "chains.reader.solana_afresh._accounts": _QUESTION,
    "chains.reader.solana_afresh._landed": _QUESTION,
    "chains.reader.solana_afresh._listed": "chains.reader.solana_afresh.MOST_PAGES",
    "payments.services.reconcile._compared": _QUESTION,
    "payments.services.reconcile._in_transaction": _QUESTION,
    "payments.services.reconcile.differences": "payments.services.reconcile.MOST_BLOCKS",
    "mcp.oauth.documents.read_documents": "mcp.oauth.documents.READ_SECONDS",
    "payments.routing.lifi.provider.LifiProvider.offers": "payments.routing.registry.PATIENCE_SECONDS",
    "payments.routing.lifi.provider._firm_quote": "payments.routing.lifi.provider.MOST_TRIES",
    "payments.routing.live_balances.look_on_chain": "payments.routing.live_balances.PATIENCE_SECONDS",
    "payments.services.advance._take_steps": "payments.services.advance.MOST_STEPS",
    "payments.services.advance._take_step": "payments.services.advance.TRIES_A_STEP",
    "payments.services.reading.sweep_chains": "payments.services.reading.SWEEP_SECONDS",
    "payments.services.reading_accounts._by_account": "payments.services.reading_accounts.MOST_A_ROUND",
    "payments.services.reading_accounts._read_final": "payments.services.reading_accounts.MOST_ACCOUNTS",
    "payments.services.reading_accounts._read_new": "payments.services.reading_accounts.MOST_ACCOUNTS",
    "payments.services.reading_accounts.read_accounts": "payments.services.reading_accounts.ROUND_SECONDS",
    "payments.services.broadcast.broadcast_signed": _QUESTIONS,
    "payments.services.wallet_words.answer_word": "payments.services.budgets.WALLET_QUESTIONS_A_MINUTE",
    "theatre.play._Play._look": "theatre.play.MOST_SECONDS",
    "theatre.play._Play.run": "theatre.scenario.MOST_STEPS",
    "tokens.sources.jupiter.prices": "tokens.sources.jupiter.MOST_MINTS",
    "tokens.sources.lifi.listing": "tokens.sources.lifi.LIST_SECONDS",
    "webhooks.delivery.session.Session._each": "core.outbound.pool.MOST_RESTING",
    "webhooks.delivery.certifying._run_all": "webhooks.delivery.certifying.AT_ONCE",
    "webhooks.delivery.rounds._Drain._attempt": "webhooks.delivery.rounds.MOST_HELD",
    "webhooks.delivery.rounds._Drain._round": "webhooks.delivery.rounds.DRAIN_SECONDS",
    "webhooks.delivery.rounds._Drain._start": "webhooks.delivery.rounds.MOST_HELD",
}
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Names:
    """What a module's names stand for: its imports, its own functions, and the methods of one of its classes."""

    def __init__(self, module: Module) -> None:
        self._imported = {full.rpartition(".")[2]: full for _, full in imports(module)}
        self.functions = dict(_functions(module))

    def in_(self, name: str, nodes: Iterable[ast.AST]) -> set[str]:
        """The dotted names that these parts of a function speak of."""
        owner = name.rpartition(".")[0]
        found = set()
        for node in (inner for outer in nodes for inner in ast.walk(outer)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(f"{owner}.{node.attr}")
            word = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None
            if isinstance(word, str):
                found |= {self._imported.get(word, ""), f"{owner}.{word}", f"{owner.rpartition('.')[0]}.{word}"}
        return found


def _functions(module: Module) -> Iterator[tuple[str, Function]]:
    for node in module.tree.body:
        if isinstance(node, Function):
            yield f"{module.dotted}.{node.name}", node
        elif isinstance(node, ast.ClassDef):
            own = (inner for inner in node.body if isinstance(inner, Function))
            yield from ((f"{module.dotted}.{node.name}.{inner.name}", inner) for inner in own)


def loops_over_questions(modules: Iterable[Module]) -> set[str]:
    """Every function in which a loop asks outside."""
    places = {name: (names, node) for names in map(Names, modules) for name, node in names.functions.items()}
    spoken = {name: names.in_(name, [node]) for name, (names, node) in places.items()}
    asking, before = set(OUTSIDE), 0
    while len(asking) != before:
        before = len(asking)
        asking |= {name for name, words in spoken.items() if words & asking}
    return {
        name
        for name, (names, node) in places.items()
        if spoken[name] & asking
        and any(names.in_(name, _inside(loop)) & asking for loop in ast.walk(node) if isinstance(loop, _LOOPS))
    }


def _inside(loop: ast.AST) -> list[ast.AST]:
    """What is done again and again."""
    return list(loop.body) if isinstance(loop, ast.For | ast.AsyncFor | ast.While) else [loop]


def test_every_loop_over_what_is_foreign_has_a_budget() -> None:
    modules = app_modules()
    assert sorted(loops_over_questions(modules)) == sorted(BUDGETS)
    named = {f"{module.dotted}.{name}" for module in modules for name in _assigned(module)}
    assert sorted(set(BUDGETS.values()) - named) == []


def _assigned(module: Module) -> Iterator[str]:
    for node in module.tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            yield from (inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name))


def test_a_new_loop_is_noticed() -> None:
    text = (
        "from chains.clients.registry import EVM\n"
        "def one(leg): return EVM.head(leg)\n"
        "def each(legs): return [one(leg) for leg in legs]\n"
        "def counted(legs): return [leg for leg in legs]\n"
        "class Sweep:\n"
        "    def run(self):\n        while True:\n            self.step()\n"
        "    def step(self): one(1)\n"
    )
    assert loops_over_questions([parse("payments/planted.py", text)]) == {
        "payments.planted.each",
        "payments.planted.Sweep.run",
    }
