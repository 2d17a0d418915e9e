"""The chains that are known, and look-ups by name, alias and form of hash. Each chain's facts: ``chains.networks``.

A name that is not there may still be used in test mode, so look-ups answer None and the caller decides.
"""

import re
from urllib.parse import quote

from chains.base58 import from_base58
from chains.chain import EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS, USUAL_GAS_USD, Chain, DataFee, Family
from chains.networks import CHAINS

__all__ = [
    "CHAINS",
    "EVM_NATIVE_ADDRESS",
    "SOLANA_NATIVE_ADDRESS",
    "USUAL_GAS_USD",
    "Chain",
    "DataFee",
    "Family",
    "chain",
]

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
