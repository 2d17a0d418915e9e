"""What the service knows about one chain without asking it: the shape that each module of ``chains.networks`` fills.

Facts only, no network and no database.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

EVM_NATIVE_ADDRESS = "0x0000000000000000000000000000000000000000"
SOLANA_NATIVE_ADDRESS = "11111111111111111111111111111111"
GWEI = 10**9
"""In wei."""
USUAL_FEE_CAP, USUAL_LEAST_TIP, USUAL_GAS_USD = 10 * GWEI, GWEI // 1_000, Decimal("0.01")
"""Of a chain whose module says nothing else, and of one that only test mode knows."""


class Family(StrEnum):
    """Chains of one family share address form, wallets and transaction rules."""

    EVM = "evm"
    SOLANA = "solana"


class DataFee(StrEnum):
    """Who is asked what a chain takes for a transaction's bytes, beside its gas: it pays them to the chain below."""

    OP_STACK = "op_stack"
    ARBITRUM = "arbitrum"


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """Every fact of one chain.

    ``rank``: its place in lists. ``short_name``: on the payer's page.
    Units: ``block_seconds`` between blocks (slots on Solana); ``confirmations_required`` blocks, under the
    standard policy. Where ``settles_at_finalized``, the chain's own word of finality decides, not the count;
    elsewhere it does so for larger amounts. ``safe_seconds`` and ``finalized_seconds`` are how long these words
    usually take; where the first is 0, no two nodes mean the same by safe. ``data_fee``: who says what bytes cost.
    ``usual_gas_usd``: the network fee of a plain transfer in test mode.

    Of EVM chains: ``native_spellings`` are other ways in which aggregators write the native coin, in lower case.
    ``fee_cap``, in wei for a unit of gas, is the most that we ever offer: there a token transfer costs some dollars on
    Ethereum, and below one elsewhere. Below ``least_tip`` its nodes take nothing, or nobody hurries.
    ``wrapped_coin``: the native coin as a token. ``lifi_contract``: LI.FI's own, the only one that a payer is asked to
    call or approve; without it no route begins or ends here but a plain transfer. ``across_pool``: Across's.
    ``circle_usdc``: Circle's own USDC, whose EIP-712 domain has that name and version; it takes EIP-3009
    authorizations. ``resetting_tokens`` refuse to change an allowance which is not zero. ``wallet_name`` and
    ``public_node`` are what a wallet is told that has yet to add the chain.
    """

    rank: int
    name: str
    display_name: str
    short_name: str
    family: Family
    chain_id: int | None
    native_symbol: str
    native_decimals: int
    block_seconds: Decimal
    confirmations_required: int
    explorer_tx_template: str
    explorer_address_template: str
    aliases: frozenset[str] = field(default=frozenset())
    settles_at_finalized: bool = False
    safe_seconds: int = 0
    finalized_seconds: int = 0
    data_fee: DataFee | None = None
    usual_gas_usd: Decimal = USUAL_GAS_USD
    native_spellings: frozenset[str] = field(default=frozenset())
    fee_cap: int = USUAL_FEE_CAP
    least_tip: int = USUAL_LEAST_TIP
    wrapped_coin: str = ""
    lifi_contract: str = ""
    across_pool: str = ""
    circle_usdc: str = ""
    resetting_tokens: frozenset[str] = field(default=frozenset())
    wallet_name: str = ""
    public_node: str = ""

    @property
    def has_safe_blocks(self) -> bool:
        """Whether ``safe`` means one thing: that the block's batch is on the chain below."""
        return self.safe_seconds > 0

    @property
    def native_address(self) -> str:
        """What stands for the native coin in token tables. Source: https://docs.li.fi, tokens and Solana."""
        return EVM_NATIVE_ADDRESS if self.family is Family.EVM else SOLANA_NATIVE_ADDRESS
