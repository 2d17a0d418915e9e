"""Keys in this process: what they sign is what the chains' own libraries sign, and recovers to their address."""

from dataclasses import replace

import pytest
from eth_account import Account
from eth_keys.datatypes import PrivateKey
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from chains.registry import Family
from chains.signers.base import EvmTransaction, SignerUnavailable
from chains.signers.evm import CURVE_ORDER, LocalEvmSigner, digest_of, put_together
from chains.signers.keys import read_plain, signer_for
from chains.signers.solana import LocalSolanaSigner, verified
from core.secrets import Sealed
from tests.chains.signers.rows import EVM_ADDRESS, EVM_KEY, RECIPIENT, SOLANA_ADDRESS, SOLANA_KEY, coin_payment

TRANSACTION = coin_payment(3, data=b"\x01\x02", gas_limit=65_000, max_fee=2_000_000_000, priority_fee=1_000_000)
PAIR = Keypair.from_seed(SOLANA_KEY)


def by_library(transaction: EvmTransaction) -> tuple[str, str]:
    facts = {"type": 2, "chainId": transaction.chain_id, "nonce": transaction.nonce, "to": transaction.to}
    facts |= {"value": transaction.value, "data": transaction.data, "gas": transaction.gas_limit}
    fees = {"maxFeePerGas": transaction.max_fee, "maxPriorityFeePerGas": transaction.priority_fee}
    signed = Account.from_key(EVM_KEY).sign_transaction(facts | fees)
    return "0x" + bytes(signed.raw_transaction).hex(), "0x" + bytes(signed.hash).hex()


def halves(transaction: EvmTransaction) -> tuple[int, int, int]:
    signature = PrivateKey(EVM_KEY).sign_msg_hash(digest_of(transaction))
    return signature.v, signature.r, signature.s


def test_what_is_signed_is_what_the_library_signs_and_each_family_signs_its_own_only() -> None:
    evm, solana = LocalEvmSigner(Sealed(EVM_KEY)), LocalSolanaSigner(Sealed(SOLANA_KEY))
    signed, signature = evm.sign_evm(TRANSACTION), solana.sign_solana(b"a message")
    assert (signed.raw, signed.tx_hash) == by_library(TRANSACTION)
    assert signed.raw.startswith("0x02")
    assert evm.address == Account.recover_transaction(signed.raw) == EVM_ADDRESS
    assert signature == bytes(PAIR.sign_message(b"a message"))
    assert solana.address == SOLANA_ADDRESS
    assert Signature.from_bytes(signature).verify(Pubkey.from_string(SOLANA_ADDRESS), b"a message")
    with pytest.raises(SignerUnavailable, match="does not sign messages of Solana"):
        evm.sign_solana(b"a message")
    with pytest.raises(SignerUnavailable, match="does not sign transactions of EVM"):
        solana.sign_evm(TRANSACTION)
    with pytest.raises(SignerUnavailable, match="could not be signed"):
        evm.sign_evm(replace(TRANSACTION, to="nowhere"))


def test_a_signature_of_another_place_is_put_together() -> None:
    """With either parity, and in either half: what is sent is always the lower one."""
    candidates = [replace(TRANSACTION, nonce=nonce) for nonce in range(40)]
    for parity in (0, 1):
        transaction = next(one for one in candidates if halves(one)[0] == parity)
        _, r, low = halves(transaction)
        for s in (low, CURVE_ORDER - low):
            made = put_together(transaction, r, s, EVM_ADDRESS)
            assert (made.raw, made.tx_hash) == by_library(transaction)
            assert int.from_bytes(bytes.fromhex(made.raw[-64:])) <= CURVE_ORDER // 2


def test_what_is_no_signature_of_ours_is_refused() -> None:
    _, right, low = halves(TRANSACTION)
    numbers = [(0, 1), (1, 0), (CURVE_ORDER, 1), (1, CURVE_ORDER), (5, 5), (2**256, 1)]
    for r, s, address in [*((r, s, EVM_ADDRESS) for r, s in numbers), (right, low, RECIPIENT)]:
        with pytest.raises(ValueError, match="another key"):
            put_together(TRANSACTION, r, s, address)
    with pytest.raises(ValueError, match="another key"):
        verified(bytes(Keypair().sign_message(b"a message")), b"a message", SOLANA_ADDRESS)


FOREIGN, NO_BYTES = str([*SOLANA_KEY, *bytes(32)]), str([300] * 64)
WRITTEN: tuple[tuple[Family, bytes | None, tuple[str, ...]], ...] = (
    (Family.EVM, EVM_KEY, (EVM_KEY.hex(), "0x" + EVM_KEY.hex().upper(), f" 0x{EVM_KEY.hex()}\n")),
    (Family.SOLANA, SOLANA_KEY, (str(list(bytes(PAIR))), str(PAIR))),
    (Family.EVM, None, ("", EVM_KEY.hex()[:-1], EVM_KEY.hex() + "00", "g" * 64, "é" * 32)),
    (Family.SOLANA, None, ("[1, 2]", FOREIGN, NO_BYTES, SOLANA_KEY.hex(), "[" * 5000)),
)
"""Keys as people write them, and what is none."""


def test_what_is_written_is_the_key_or_none() -> None:
    for family, key, ways in WRITTEN:
        for written in ways:
            read = read_plain(family, Sealed(written.encode()))
            assert (read and read.reveal()) == key, written
    for off_the_curve in (bytes(32), CURVE_ORDER.to_bytes(32), b"\xff" * 32, b"short"):
        assert signer_for(Family.EVM, Sealed(off_the_curve)) is None
