"""The effect of a whole payment, as a node simulates it: each way to cost the payer more, one at a time."""

import hashlib
from dataclasses import replace

from solders.pubkey import Pubkey
from solders.token.state import TokenAccount, TokenAccountState

from chains.instructions.accounts import AccountState, mint_decimals, table_addresses, token_account_of
from chains.instructions.exact_payment import ExactPayment
from chains.instructions.outcome import check_outcome
from chains.instructions.programs import LOOKUP_TABLES, SYSTEM_PROGRAM, TOKEN_PROGRAM, token_account
from chains.instructions.refusal import Refusal, TransactionRefused
from core.money import BaseUnits
from localnet.solana.money import USDC, USDT
from tests.payments.jupiter.shapes import FROM_SOL, MERCHANT, PAID, PAYER, STRANGER, TARGET, TERMS, TO_SOL, key

RENT, FEE, DIFFERS = 2_039_280, 5_000, Refusal.SIMULATION_DIFFERS
TAG = "0b6c9d3e-6f0a-4b57-9a11-2f6f0c7f1a10"
PAYMENT = ExactPayment(terms=TERMS, merchant=MERCHANT, base_units=BaseUnits(TARGET), tag=TAG)
NEW = token_account(PAYER, key("new"), TOKEN_PROGRAM)
OTHER = token_account(PAYER, key("another mint"), TOKEN_PROGRAM)
States = dict[str, AccountState | None]


def wallet(lamports: int, program: str = SYSTEM_PROGRAM) -> AccountState:
    return AccountState(lamports=lamports, program=program, content=b"")


def tokens(units: int, mint: str = USDC, owner: str = PAYER, delegate: str = "", closer: str = "") -> AccountState:
    names = (Pubkey.from_string(one) if one else None for one in (mint, owner, delegate, closer))
    minted, held_by, lent_to, closed_by = names
    state = TokenAccount(minted, held_by, units, lent_to, TokenAccountState.Initialized, None, 0, closed_by)  # type: ignore[arg-type]  # mint and owner are given
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
    "a-delegate-on-a-new-account": {NEW: tokens(0, key("new"), delegate=STRANGER)},
    "a-lamport-more": {PAYER: wallet(10**9 - RENT - FEE - 1)},
    "the-wallet-is-assigned": {PAYER: wallet(10**9 - RENT - FEE, program=key("a program"))},
    "the-wallet-is-gone": {PAYER: None},
    "a-strangers-account-is-paid": {PAYER: wallet(10**9 - 2 * RENT - FEE), key("strange"): tokens(0, owner=STRANGER)},
}


def refusal(payment: ExactPayment, before: States, after: States) -> Refusal | None:
    try:
        check_outcome(payment, before, after, FEE)
    except TransactionRefused as refused:
        return refused.code
    return None


def test_each_way_to_cost_more_is_refused() -> None:
    assert refusal(PAYMENT, BEFORE, AFTER) is None
    for name, lie in LIES.items():
        assert refusal(PAYMENT, {**dict.fromkeys(lie), **BEFORE}, AFTER | lie) is DIFFERS, name


def test_sol_pays_its_input_and_no_more_and_own_wrapped_sol_is_unwrapped_with_it() -> None:
    payment = replace(PAYMENT, terms=FROM_SOL)
    before = {name: state for name, state in BEFORE.items() if name != TERMS.source_account}
    for more in (0, 1):
        after = {name: AFTER[name] for name in before} | {PAYER: wallet(10**9 - RENT - FEE - PAID - more)}
        assert refusal(payment, before, after) is (DIFFERS if more else None)
    wrapped = FROM_SOL.wrapped_account
    unwrapped = AFTER | {TERMS.source_account: tokens(10**9, USDT), wrapped: None}
    assert refusal(payment, BEFORE | {wrapped: tokens(9, FROM_SOL.source.address)}, unwrapped) is None


def test_sol_arrives_to_the_lamport() -> None:
    payment = replace(PAYMENT, terms=TO_SOL)
    before: States = {PAYER: wallet(10**9), MERCHANT: wallet(5), TERMS.source_account: tokens(10**9, USDT)}
    after: States = {PAYER: wallet(10**9 - FEE + 3), TERMS.source_account: tokens(10**9 - PAID, USDT)}
    assert refusal(payment, before, after | {MERCHANT: wallet(5 + TARGET)}) is None
    for lie in (wallet(5 + TARGET - 1), wallet(5 + TARGET + 1), None):
        assert refusal(payment, before, after | {MERCHANT: lie}) is DIFFERS, lie


def _table(*names: str, closes_at: int = 2**64 - 1) -> AccountState:
    head = (1).to_bytes(4, "little") + closes_at.to_bytes(8, "little") + bytes(44)
    content = head + b"".join(hashlib.sha256(name.encode()).digest() for name in names)
    return AccountState(lamports=1, program=LOOKUP_TABLES, content=content)


def test_lookup_tables_are_read_or_none() -> None:
    """None where they are missing, foreign, cut, empty, short or closing."""
    honest = _table("a")
    assert table_addresses(_table("a", "b")) == (key("a"), key("b"))
    assert table_addresses(_table()) == ()
    contents = (honest.content[:-1], b"\0" + honest.content[1:], honest.content[:55])
    broken = [replace(honest, program=SYSTEM_PROGRAM), *(replace(honest, content=content) for content in contents)]
    for table in (None, *broken, _table("a", closes_at=7)):
        assert table_addresses(table) is None, table


def test_accounts_of_other_programs_are_no_tokens() -> None:
    assert token_account_of(replace(tokens(1), program=SYSTEM_PROGRAM)) is None
    assert token_account_of(replace(tokens(1), content=bytes(164))) is None
    assert mint_decimals(replace(tokens(1), content=bytes(81))) is None
    assert mint_decimals(replace(tokens(1), content=bytes(82))) is None
    assert mint_decimals(replace(tokens(1), content=bytes(44) + b"\x09\x01" + bytes(36))) == 9
