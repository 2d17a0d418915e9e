"""The effect of a whole payment, as a node simulates it: each way to cost the payer more, one at a time."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from solders.pubkey import Pubkey
from solders.token.state import TokenAccount, TokenAccountState

from chains.clients.solana_accounts import AccountState
from chains.instructions.accounts import mint_decimals, table_addresses, token_account_of
from chains.instructions.exact_payment import ExactPayment
from chains.instructions.outcome import check_outcome
from chains.instructions.programs import LOOKUP_TABLES, SYSTEM_PROGRAM, TOKEN_PROGRAM, token_account
from chains.instructions.refusal import Refusal, TransactionRefused
from core.money import BaseUnits
from localnet.solana.money import USDC, USDT
from tests.payments.jupiter.shapes import FROM_SOL, MERCHANT, PAID, PAYER, STRANGER, TARGET, TERMS, TO_SOL, key

RENT, FEE = 2_039_280, 5_000
TAG = "0b6c9d3e-6f0a-4b57-9a11-2f6f0c7f1a10"
PAYMENT = ExactPayment(terms=TERMS, merchant=MERCHANT, base_units=BaseUnits(TARGET), tag=TAG)
OTHER = token_account(PAYER, key("another mint"), TOKEN_PROGRAM)
States = dict[str, AccountState | None]


def wallet(lamports: int, program: str = SYSTEM_PROGRAM) -> AccountState:
    """An account that holds nothing but lamports."""
    return AccountState(lamports=lamports, program=program, content=b"")


def tokens(units: int, mint: str = USDC, owner: str = PAYER, delegate: str = "", closer: str = "") -> AccountState:
    """A token account."""
    state = TokenAccount(
        mint=Pubkey.from_string(mint),
        owner=Pubkey.from_string(owner),
        amount=units,
        delegate=Pubkey.from_string(delegate) if delegate else None,
        state=TokenAccountState.Initialized,
        is_native=None,
        delegated_amount=0,
        close_authority=Pubkey.from_string(closer) if closer else None,
    )
    return AccountState(lamports=RENT, program=TOKEN_PROGRAM, content=bytes(state))


BEFORE: States = {
    PAYER: wallet(10**9),
    TERMS.source_account: tokens(10**9, USDT),
    TERMS.destination_account: tokens(7),
    PAYMENT.merchant_account: None,
    OTHER: tokens(500, key("another mint")),
}
AFTER: States = BEFORE | {
    PAYER: wallet(10**9 - RENT - FEE),
    TERMS.source_account: tokens(10**9 - PAID, USDT),
    TERMS.destination_account: tokens(1_007),
    PAYMENT.merchant_account: tokens(TARGET, owner=MERCHANT),
}


def test_what_was_agreed_passes() -> None:
    check_outcome(PAYMENT, BEFORE, AFTER, FEE)


LIES: dict[str, States] = {
    "a-unit-less-arrives": {PAYMENT.merchant_account: tokens(TARGET - 1, owner=MERCHANT)},
    "a-unit-more-arrives": {PAYMENT.merchant_account: tokens(TARGET + 1, owner=MERCHANT)},
    "nothing-arrives": {PAYMENT.merchant_account: None},
    "the-account-is-a-strangers": {PAYMENT.merchant_account: tokens(TARGET, owner=STRANGER)},
    "another-token-arrives": {PAYMENT.merchant_account: tokens(TARGET, USDT, MERCHANT)},
    "a-unit-more-is-paid": {TERMS.source_account: tokens(10**9 - PAID - 1, USDT)},
    "own-settlement-tokens-are-used": {TERMS.destination_account: tokens(6)},
    "another-token-is-taken": {OTHER: tokens(499, key("another mint"))},
    "another-account-is-closed": {OTHER: None},
    "the-source-is-closed": {TERMS.source_account: None},
    "a-delegate-on-the-source": {TERMS.source_account: tokens(10**9 - PAID, USDT, delegate=STRANGER)},
    "a-closer-on-the-source": {TERMS.source_account: tokens(10**9 - PAID, USDT, closer=STRANGER)},
    "the-source-changes-hands": {TERMS.source_account: tokens(10**9 - PAID, USDT, STRANGER)},
    "another-changes-hands": {OTHER: tokens(500, key("another mint"), STRANGER)},
    "a-delegate-on-a-new-account": {
        token_account(PAYER, key("new"), TOKEN_PROGRAM): tokens(0, key("new"), delegate=STRANGER)
    },
    "a-lamport-more": {PAYER: wallet(10**9 - RENT - FEE - 1)},
    "the-wallet-is-assigned": {PAYER: wallet(10**9 - RENT - FEE, program=key("a program"))},
    "the-wallet-is-gone": {PAYER: None},
    "a-strangers-account-is-paid": {PAYER: wallet(10**9 - 2 * RENT - FEE), key("strange"): tokens(0, owner=STRANGER)},
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_each_way_to_cost_more_is_refused(lie: States) -> None:
    with pytest.raises(TransactionRefused, match=Refusal.SIMULATION_DIFFERS):
        check_outcome(PAYMENT, {**dict.fromkeys(lie), **BEFORE}, AFTER | lie, FEE)


def test_sol_pays_its_input_and_no_more() -> None:
    payment = replace(PAYMENT, terms=FROM_SOL)
    before = {name: state for name, state in BEFORE.items() if name != TERMS.source_account}
    after: States = {name: AFTER[name] for name in before} | {PAYER: wallet(10**9 - RENT - FEE - PAID)}
    check_outcome(payment, before, after, FEE)
    with pytest.raises(TransactionRefused):
        check_outcome(payment, before, after | {PAYER: wallet(10**9 - RENT - FEE - PAID - 1)}, FEE)


def test_sol_arrives_to_the_lamport() -> None:
    payment = replace(PAYMENT, terms=TO_SOL)
    before: States = {PAYER: wallet(10**9), MERCHANT: wallet(5), TERMS.source_account: tokens(10**9, USDT)}
    after: States = {
        PAYER: wallet(10**9 - FEE + 3),
        MERCHANT: wallet(5 + TARGET),
        TERMS.source_account: tokens(10**9 - PAID, USDT),
    }
    check_outcome(payment, before, after, FEE)
    for lie in (wallet(5 + TARGET - 1), wallet(5 + TARGET + 1), None):
        with pytest.raises(TransactionRefused):
            check_outcome(payment, before, after | {MERCHANT: lie}, FEE)


def test_own_wrapped_sol_may_be_unwrapped_with_the_rest() -> None:
    payment = replace(PAYMENT, terms=FROM_SOL)
    wrapped = FROM_SOL.wrapped_account
    before = BEFORE | {wrapped: tokens(9, FROM_SOL.source.address)}
    check_outcome(payment, before, AFTER | {TERMS.source_account: tokens(10**9, USDT), wrapped: None}, FEE)


def _table(*names: str, closes_at: int = 2**64 - 1) -> AccountState:
    head = (1).to_bytes(4, "little") + closes_at.to_bytes(8, "little") + bytes(44)
    content = head + b"".join(hashlib.sha256(name.encode()).digest() for name in names)
    return AccountState(lamports=1, program=LOOKUP_TABLES, content=content)


def test_lookup_tables_are_read() -> None:
    assert table_addresses(_table("a", "b")) == (key("a"), key("b"))
    assert table_addresses(_table()) == ()


@pytest.mark.parametrize(
    "broken",
    [
        lambda table: None,
        lambda table: replace(table, program=SYSTEM_PROGRAM),
        lambda table: replace(table, content=table.content[:-1]),
        lambda table: replace(table, content=b"\0" + table.content[1:]),
        lambda table: replace(table, content=table.content[:55]),
        lambda table: _table("a", closes_at=7),
    ],
    ids=["missing", "foreign", "cut", "empty", "short", "closing"],
)
def test_broken_lookup_tables_are_none(broken: Callable[[AccountState], AccountState | None]) -> None:
    assert table_addresses(broken(_table("a"))) is None


def test_accounts_of_other_programs_are_no_tokens() -> None:
    assert token_account_of(replace(tokens(1), program=SYSTEM_PROGRAM)) is None
    assert token_account_of(replace(tokens(1), content=bytes(164))) is None
    assert mint_decimals(replace(tokens(1), content=bytes(81))) is None
    assert mint_decimals(replace(tokens(1), content=bytes(82))) is None
    assert mint_decimals(replace(tokens(1), content=bytes(44) + b"\x09\x01" + bytes(36))) == 9
