"""Keys in this process: what they sign is what the chains' own libraries sign, and recovers to their address."""

import pytest
from eth_account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from chains.registry import Family
from chains.signers.base import EvmTransaction, SignerUnavailable
from chains.signers.evm import CURVE_ORDER, LocalEvmSigner, digest_of, put_together
from chains.signers.keys import read_plain, signer_for
from chains.signers.solana import LocalSolanaSigner, verified
from core.secrets import Sealed
from tests.chains.signers.rows import EVM_ADDRESS, EVM_KEY, RECIPIENT, SOLANA_ADDRESS, SOLANA_KEY

TRANSACTION = EvmTransaction(
    chain_id=8453,
    nonce=3,
    to=RECIPIENT,
    value=10**18,
    data=b"\x01\x02",
    gas_limit=65_000,
    max_fee=2_000_000_000,
    priority_fee=1_000_000,
)


def by_library(transaction: EvmTransaction) -> tuple[str, str]:
    """The same transaction as eth-account signs it."""
    signed = Account.from_key(EVM_KEY).sign_transaction(
        {
            "type": 2,
            "chainId": transaction.chain_id,
            "nonce": transaction.nonce,
            "to": transaction.to,
            "value": transaction.value,
            "data": transaction.data,
            "gas": transaction.gas_limit,
            "maxFeePerGas": transaction.max_fee,
            "maxPriorityFeePerGas": transaction.priority_fee,
        }
    )
    return "0x" + bytes(signed.raw_transaction).hex(), "0x" + bytes(signed.hash).hex()


def test_an_evm_transaction_is_what_the_library_signs() -> None:
    signer = LocalEvmSigner(Sealed(EVM_KEY))
    signed = signer.sign_evm(TRANSACTION)
    assert (signed.raw, signed.tx_hash) == by_library(TRANSACTION)
    assert signed.raw.startswith("0x02")
    assert signer.address == Account.recover_transaction(signed.raw) == EVM_ADDRESS


def test_a_message_of_solana_is_what_the_library_signs() -> None:
    signer = LocalSolanaSigner(Sealed(SOLANA_KEY))
    signature = signer.sign_solana(b"a message")
    assert signature == bytes(Keypair.from_seed(SOLANA_KEY).sign_message(b"a message"))
    assert signer.address == SOLANA_ADDRESS
    assert Signature.from_bytes(signature).verify(Pubkey.from_string(SOLANA_ADDRESS), b"a message")


def halves(transaction: EvmTransaction) -> tuple[int, int, int]:
    """Parity, r and s of the library's signature."""
    from eth_keys.datatypes import PrivateKey  # noqa: PLC0415  (it has no types of its own at the top)

    signature = PrivateKey(EVM_KEY).sign_msg_hash(digest_of(transaction))
    return signature.v, signature.r, signature.s


@pytest.mark.parametrize("parity", [0, 1])
@pytest.mark.parametrize("is_high", [False, True])
def test_a_signature_of_another_place_is_put_together(parity: int, is_high: bool) -> None:
    """With either parity, and in either half: what is sent is always the lower one."""
    nonces = range(40)
    found = [EvmTransaction(**{**vars(TRANSACTION), "nonce": nonce}) for nonce in nonces]
    transaction = next(one for one in found if halves(one)[0] == parity)
    _, r, s = halves(transaction)
    made = put_together(transaction, r, CURVE_ORDER - s if is_high else s, EVM_ADDRESS)
    assert (made.raw, made.tx_hash) == by_library(transaction)
    assert int.from_bytes(bytes.fromhex(made.raw[-64:])) <= CURVE_ORDER // 2


@pytest.mark.parametrize(("r", "s"), [(0, 1), (1, 0), (CURVE_ORDER, 1), (1, CURVE_ORDER), (5, 5), (2**256, 1)])
def test_numbers_that_are_no_signature_of_ours_are_refused(r: int, s: int) -> None:
    with pytest.raises(ValueError, match="another key"):
        put_together(TRANSACTION, r, s, EVM_ADDRESS)


def test_a_signature_by_another_key_is_refused() -> None:
    _, r, s = halves(TRANSACTION)
    with pytest.raises(ValueError, match="another key"):
        put_together(TRANSACTION, r, s, RECIPIENT)
    with pytest.raises(ValueError, match="another key"):
        verified(bytes(Keypair().sign_message(b"a message")), b"a message", SOLANA_ADDRESS)


@pytest.mark.parametrize(
    ("family", "written"),
    [
        (Family.EVM, EVM_KEY.hex()),
        (Family.EVM, "0x" + EVM_KEY.hex().upper()),
        (Family.EVM, f" 0x{EVM_KEY.hex()}\n"),
        (Family.SOLANA, str(list(bytes(Keypair.from_seed(SOLANA_KEY))))),
        (Family.SOLANA, str(Keypair.from_seed(SOLANA_KEY))),
    ],
    ids=["hex", "hex_with_0x", "hex_with_space", "numbers", "base58"],
)
def test_keys_as_people_write_them(family: Family, written: str) -> None:
    key = read_plain(family, Sealed(written.encode()))
    assert key is not None
    assert key.reveal() == (EVM_KEY if family is Family.EVM else SOLANA_KEY)


@pytest.mark.parametrize(
    ("family", "written"),
    [
        (Family.EVM, ""),
        (Family.EVM, EVM_KEY.hex()[:-1]),
        (Family.EVM, EVM_KEY.hex() + "00"),
        (Family.EVM, "g" * 64),
        (Family.EVM, "é" * 32),
        (Family.SOLANA, "[1, 2]"),
        (Family.SOLANA, str([*SOLANA_KEY, *bytes(32)])),
        (Family.SOLANA, str([300] * 64)),
        (Family.SOLANA, SOLANA_KEY.hex()),
        (Family.SOLANA, "[" * 5000),
    ],
    ids=["empty", "short", "long", "letters", "no_ascii", "few", "foreign_public", "no_bytes", "hex", "deep"],
)
def test_what_is_no_key_is_none(family: Family, written: str) -> None:
    assert read_plain(family, Sealed(written.encode())) is None


@pytest.mark.parametrize("key", [bytes(32), CURVE_ORDER.to_bytes(32), b"\xff" * 32, b"short"])
def test_numbers_off_the_curve_are_no_keys(key: bytes) -> None:
    assert signer_for(Family.EVM, Sealed(key)) is None


def test_each_family_signs_its_own_only() -> None:
    with pytest.raises(SignerUnavailable, match="does not sign messages of Solana"):
        LocalEvmSigner(Sealed(EVM_KEY)).sign_solana(b"a message")
    with pytest.raises(SignerUnavailable, match="does not sign transactions of EVM"):
        LocalSolanaSigner(Sealed(SOLANA_KEY)).sign_evm(TRANSACTION)


def test_a_transaction_that_cannot_be_signed_is_said_so() -> None:
    odd = EvmTransaction(**{**vars(TRANSACTION), "to": "nowhere"})
    with pytest.raises(SignerUnavailable, match="could not be signed"):
        LocalEvmSigner(Sealed(EVM_KEY)).sign_evm(odd)
