"""The table of chains: names, ids, native coins, block times, confirmations, explorers.

Facts only, no network and no database. A name that is not here may still be used in test mode, so
look-ups answer None and the caller decides.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from urllib.parse import quote

from chains.base58 import from_base58

EVM_NATIVE_ADDRESS = "0x0000000000000000000000000000000000000000"
SOLANA_NATIVE_ADDRESS = "11111111111111111111111111111111"


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
    """What the service knows about one chain without asking it.

    Units: ``block_seconds`` between blocks (slots on Solana); ``confirmations_required`` blocks, under the
    standard policy. Where ``settles_at_finalized``, the chain's own word of finality decides, not the count;
    elsewhere it does so for larger amounts. ``safe_seconds`` and ``finalized_seconds`` are how long these words
    usually take; where the first is 0, no two nodes mean the same by safe. ``data_fee``: who says what bytes cost.
    """

    name: str
    display_name: str
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

    @property
    def has_safe_blocks(self) -> bool:
        """Whether ``safe`` means one thing: that the block's batch is on the chain below."""
        return self.safe_seconds > 0

    @property
    def native_address(self) -> str:
        """What stands for the native coin in token tables. Source: https://docs.li.fi, tokens and Solana."""
        return EVM_NATIVE_ADDRESS if self.family is Family.EVM else SOLANA_NATIVE_ADDRESS


CHAINS: tuple[Chain, ...] = (
    Chain(
        name="ethereum",
        display_name="Ethereum",
        family=Family.EVM,
        chain_id=1,
        native_symbol="ETH",
        native_decimals=18,
        block_seconds=Decimal("12"),
        confirmations_required=12,
        explorer_tx_template="https://etherscan.io/tx/{}",
        explorer_address_template="https://etherscan.io/address/{}",
        aliases=frozenset({"eth", "ethereum-mainnet"}),
        finalized_seconds=780,
    ),
    Chain(
        name="base",
        display_name="Base",
        family=Family.EVM,
        chain_id=8453,
        native_symbol="ETH",
        native_decimals=18,
        block_seconds=Decimal("2"),
        confirmations_required=5,
        explorer_tx_template="https://basescan.org/tx/{}",
        explorer_address_template="https://basescan.org/address/{}",
        aliases=frozenset({"base-mainnet"}),
        safe_seconds=120,
        finalized_seconds=1200,
        data_fee=DataFee.OP_STACK,
    ),
    Chain(
        name="arbitrum",
        display_name="Arbitrum One",
        family=Family.EVM,
        chain_id=42161,
        native_symbol="ETH",
        native_decimals=18,
        block_seconds=Decimal("0.25"),
        confirmations_required=40,
        explorer_tx_template="https://arbiscan.io/tx/{}",
        explorer_address_template="https://arbiscan.io/address/{}",
        aliases=frozenset({"arb", "arbitrum-one"}),
        safe_seconds=300,
        finalized_seconds=1200,
        data_fee=DataFee.ARBITRUM,
    ),
    Chain(
        name="optimism",
        display_name="OP Mainnet",
        family=Family.EVM,
        chain_id=10,
        native_symbol="ETH",
        native_decimals=18,
        block_seconds=Decimal("2"),
        confirmations_required=5,
        explorer_tx_template="https://optimistic.etherscan.io/tx/{}",
        explorer_address_template="https://optimistic.etherscan.io/address/{}",
        aliases=frozenset({"op", "op-mainnet"}),
        safe_seconds=120,
        finalized_seconds=1800,
        data_fee=DataFee.OP_STACK,
    ),
    Chain(
        name="polygon",
        display_name="Polygon PoS",
        family=Family.EVM,
        chain_id=137,
        native_symbol="POL",
        native_decimals=18,
        block_seconds=Decimal("2"),
        confirmations_required=3,
        explorer_tx_template="https://polygonscan.com/tx/{}",
        explorer_address_template="https://polygonscan.com/address/{}",
        aliases=frozenset({"matic", "polygon-pos"}),
        settles_at_finalized=True,
    ),
    Chain(
        name="bnb",
        display_name="BNB Chain",
        family=Family.EVM,
        chain_id=56,
        native_symbol="BNB",
        native_decimals=18,
        block_seconds=Decimal("0.45"),
        confirmations_required=3,
        explorer_tx_template="https://bscscan.com/tx/{}",
        explorer_address_template="https://bscscan.com/address/{}",
        aliases=frozenset({"bsc", "binance", "bnb-chain", "bnb-smart-chain"}),
        settles_at_finalized=True,
    ),
    Chain(
        name="solana",
        display_name="Solana",
        family=Family.SOLANA,
        chain_id=None,
        native_symbol="SOL",
        native_decimals=9,
        block_seconds=Decimal("0.4"),
        confirmations_required=32,
        explorer_tx_template="https://solscan.io/tx/{}",
        explorer_address_template="https://solscan.io/account/{}",
        aliases=frozenset({"sol", "solana-mainnet"}),
        settles_at_finalized=True,
    ),
)

_TX_HASH = re.compile(r"0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,90}")
_EVM_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_BASE58 = re.compile(r"[1-9A-HJ-NP-Za-km-z]{64,88}")
_SIGNATURE_BYTES = 64
_BY_WORD = {word: entry for entry in CHAINS for word in (entry.name, *entry.aliases)}


def chain(name_or_alias: str) -> Chain | None:
    """The chain of this name or alias, in any letter case; None where nobody knows it."""
    return _BY_WORD.get(name_or_alias.strip().lower())


def canonical_chain_name(text: str) -> str:
    """The lower-case name a chain is stored and shown under; an unknown name is only lower-cased."""
    known = chain(text)
    return text.strip().lower() if known is None else known.name


def explorer_tx_url(chain_name: str, tx_hash: str) -> str | None:
    """Where a person can look this transaction up; None for a chain without an explorer."""
    known = chain(chain_name)
    return None if known is None else known.explorer_tx_template.format(quote(tx_hash, safe=""))


def explorer_address_url(chain_name: str, address: str) -> str | None:
    """Where a person can look this address up; None for a chain without an explorer."""
    known = chain(chain_name)
    return None if known is None else known.explorer_address_template.format(quote(address, safe=""))


def is_tx_hash(text: str) -> bool:
    """Whether a text has the form of a transaction hash or signature of some chain."""
    return _TX_HASH.fullmatch(text) is not None


def is_signature(text: str) -> bool:
    """Whether a text is the signature of a Solana transaction: 64 bytes in base58, as nodes ask for them."""
    if not _BASE58.fullmatch(text):
        return False
    return len(from_base58(text)) == _SIGNATURE_BYTES


def is_tx_hash_of(chain_name: str, text: str) -> bool:
    """Whether a text has the form of a transaction's name on this chain; of any where nobody knows the chain."""
    known = chain(chain_name)
    if known is None:
        return is_tx_hash(text)
    return is_signature(text) if known.family is Family.SOLANA else _EVM_HASH.fullmatch(text) is not None


def confirmations_required(chain_name: str) -> int:
    """How deep something must stand on a chain before it counts; one block where only test mode knows the chain."""
    known = chain(chain_name)
    return 1 if known is None else known.confirmations_required
