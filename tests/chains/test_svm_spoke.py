"""Across on Solana byte by byte: against another writer of the same layouts, and addresses of the main network."""

from dataclasses import replace

import pytest
from eth_hash.auto import keccak
from solders.pubkey import Pubkey

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.instructions.refusal import TransactionRefused
from chains.instructions.svm_spoke import (
    LOCALNET_DELEGATE,
    DepositKind,
    delegate_of,
    deposit_accounts,
    deposit_data,
    read_deposit,
    unsafe_deposit_id,
)
from localnet.solana import spoke
from tests.payments.lifi.svm import ORDER, PAYER, USDC, SvmAnswer

STATE = "3tzNXZAnJaCVikmENJSnJFAzkAnediKTxH3ot9Hiwnkz"
VAULT = "HYhZwefNFmEm9sXYKkNM4QPMgGQnS9VjC6kgxwrGk3Ru"
"""Of USDC on the main network. Source: across-protocol/contracts, recovery of the Solana residual (2026-07-22)."""
KINDS = list(DepositKind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_read_as_it_was_written_and_nothing_shorter_or_longer(kind: DepositKind) -> None:
    answer = SvmAnswer(kind=kind, order={**ORDER, "message": b"hello", "relayer": b"\3" * 32, "exclusivity": 9})
    whole, order = answer.data(), answer.order
    read = read_deposit(whole)
    assert deposit_data(read) == whole
    assert (read.depositor, read.input_token) == (str(PAYER), str(USDC))
    assert (read.recipient, read.output_token) == (order["recipient"], order["output_token"])
    assert (read.input_amount, read.output_amount) == (order["input_amount"], order["output_amount"])
    assert (read.destination_chain_id, read.exclusive_relayer) == (8453, b"\3" * 32)
    assert (read.fill_deadline, read.exclusivity, read.message) == (order["deadline"], 9, b"hello")
    assert read.quote_timestamp == (0 if kind is DepositKind.DEPOSIT_NOW else order["quoted"])
    assert read.nonce == (77 if kind is DepositKind.UNSAFE_DEPOSIT else 0)
    for wrong in [*(whole[:size] for size in range(len(whole))), whole + b"\0"]:
        with pytest.raises(TransactionRefused):
            read_deposit(wrong)


OTHERWISE = {
    **dict.fromkeys(("recipient", "output_token"), bytes(32)),
    **dict.fromkeys(("input_amount", "output_amount", "destination_chain_id", "fill_deadline", "exclusivity"), 1),
    **{"exclusive_relayer": b"\1" * 32, "message": b"1"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_accounts_are_those_of_the_main_network(kind: DepositKind) -> None:
    """The delegate follows from all but the number."""
    answer = SvmAnswer(kind=kind)
    deposit = read_deposit(answer.data())
    own = delegate_of(deposit, "mainnet")
    found = deposit_accounts(deposit, own)
    assert found == [str(meta.pubkey) for meta in answer.calls["deposit"].accounts]
    assert (found[1], found[4]) == (STATE, VAULT) == (STATE, token_account(STATE, str(USDC), TOKEN_PROGRAM))
    assert delegate_of(replace(deposit, nonce=5), "mainnet") == own
    for name, value in OTHERWISE.items():
        assert delegate_of(replace(deposit, **{name: value}), "mainnet") != own, name  # type: ignore[arg-type]  # one field after the other


def test_the_id_is_the_programs() -> None:
    """keccak of signer, depositor and number, as ``get_unsafe_deposit_id`` has it."""
    deposit = read_deposit(SvmAnswer().data())
    assert unsafe_deposit_id(deposit) == int.from_bytes(keccak(bytes(PAYER) * 2 + (77).to_bytes(8, "little")))
    assert unsafe_deposit_id(replace(deposit, nonce=78)) != unsafe_deposit_id(deposit)


def test_the_local_network_has_the_same_program() -> None:
    assert Pubkey.from_string(LOCALNET_DELEGATE) == spoke.DELEGATE.pubkey()
    assert (str(spoke.STATE), str(spoke.account_of(spoke.STATE, USDC))) == (STATE, VAULT)
    assert delegate_of(read_deposit(SvmAnswer().data()), "localnet") == LOCALNET_DELEGATE
    assert len(spoke.program()) == 296
    assert spoke.program()[64:80].hex() == "b7000000000000009500000000000000"
