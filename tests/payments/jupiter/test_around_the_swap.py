"""What stands around a swap: only the payer's own accounts may be made, filled and closed."""

import pytest

from chains.instructions.exchange import Exchange, check_exchange
from chains.instructions.given import GivenInstruction, instruction
from chains.instructions.programs import (
    COMPUTE_BUDGET_PROGRAM,
    JUPITER_V6,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    WRAPPED_SOL,
    token_account,
)
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import MOST_PRICE_MICRO_LAMPORTS, check_cleanup, check_setup, unit_price
from chains.instructions.terms import ExchangeTerms
from localnet.solana.money import USDC, USDT
from tests.payments.jupiter.shapes import (
    FROM_SOL,
    PAID,
    PAYER,
    STRANGER,
    TARGET,
    TERMS,
    TO_SOL,
    close,
    create_account,
    given,
    key,
    route_v2,
    sync,
    wrap,
)

MINE = TERMS.source_account
THEIRS = token_account(STRANGER, USDT, TOKEN_PROGRAM)
CREATE_MINE = create_account(PAYER, USDC)


@pytest.mark.parametrize(
    ("setup", "terms"),
    [
        ([], TERMS),
        ([CREATE_MINE], TERMS),
        ([create_account(PAYER, USDC, b"")], TERMS),
        ([create_account(PAYER, WRAPPED_SOL), wrap(), sync(), CREATE_MINE], FROM_SOL),
        ([create_account(PAYER, WRAPPED_SOL)], TO_SOL),
    ],
    ids=["nothing", "an-account", "an-account-in-the-old-way", "wrapping", "an-account-for-sol"],
)
def test_an_honest_setup_passes(setup: list[GivenInstruction], terms: ExchangeTerms) -> None:
    check_setup(setup, terms)


def token_call(content: bytes, *accounts: tuple[str, bool, bool]) -> GivenInstruction:
    """A call of the token program."""
    return given(TOKEN_PROGRAM, content, list(accounts))


AMOUNT = (1).to_bytes(8, "little")
MOVES = {
    "approve": token_call(b"\x04" + AMOUNT, (MINE, False, True), (STRANGER, False, False), (PAYER, True, False)),
    "approve-checked": token_call(
        b"\x0d" + AMOUNT + b"\x06",
        (MINE, False, True),
        (USDT, False, False),
        (STRANGER, False, False),
        (PAYER, True, False),
    ),
    "set-authority": token_call(b"\x06\x02\x01" + bytes(32), (MINE, False, True), (PAYER, True, False)),
    "transfer": token_call(b"\x03" + AMOUNT, (MINE, False, True), (THEIRS, False, True), (PAYER, True, False)),
    "transfer-checked": token_call(
        b"\x0c" + AMOUNT + b"\x06",
        (MINE, False, True),
        (USDT, False, False),
        (THEIRS, False, True),
        (PAYER, True, False),
    ),
    "burn": token_call(b"\x08" + AMOUNT, (MINE, False, True), (USDT, False, True), (PAYER, True, False)),
    "close": close(),
    "sync-of-another": sync(THEIRS),
    "sync-without-wrapping": sync(),
    "sol-to-a-stranger": wrap(to=STRANGER),
    "account-for-a-stranger": create_account(STRANGER, USDC),
    "nested-recovery": create_account(PAYER, USDC, b"\x02"),
    "system-create": given(SYSTEM_PROGRAM, bytes(52), [(PAYER, True, True), (STRANGER, True, True)]),
    "system-assign": given(SYSTEM_PROGRAM, b"\x01\0\0\0" + bytes(32), [(PAYER, True, True)]),
    "foreign-program": given(key("a program"), b"", [(PAYER, True, True)]),
    "the-swap-program": instruction(route_v2()),
    "a-foreign-signer": given(
        TOKEN_PROGRAM, b"\x11", [(FROM_SOL.wrapped_account, False, True), (STRANGER, True, False)]
    ),
}


@pytest.mark.parametrize("terms", [TERMS, FROM_SOL, TO_SOL], ids=["tokens", "from-sol", "to-sol"])
@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES.keys())
def test_nothing_else_may_be_prepared(move: GivenInstruction, terms: ExchangeTerms) -> None:
    honest = [wrap(), sync()] if terms is FROM_SOL else []
    for setup in ([move, *honest], [*honest, move]):
        with pytest.raises(TransactionRefused):
            check_setup(setup, terms)


@pytest.mark.parametrize(
    "setup",
    [
        [],
        [wrap(PAID + 1), sync()],
        [wrap(PAID - 1), sync()],
        [wrap(), wrap(), sync()],
        [wrap()],
        [wrap(), sync(), sync()],
    ],
    ids=["unwrapped", "more", "less", "twice", "unsynced", "synced-twice"],
)
def test_exactly_the_input_is_wrapped(setup: list[GivenInstruction]) -> None:
    with pytest.raises(TransactionRefused):
        check_setup(setup, FROM_SOL)


def test_only_a_few_accounts_are_made() -> None:
    with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
        check_setup([CREATE_MINE] * 5, TERMS)


@pytest.mark.parametrize("terms", [FROM_SOL, TO_SOL], ids=["from-sol", "to-sol"])
def test_sol_is_unwrapped_to_the_payer(terms: ExchangeTerms) -> None:
    check_cleanup(close(), terms)
    for lie in (None, close(to=STRANGER), close(MINE), close(THEIRS), *MOVES.values()):
        if lie == close():
            continue
        with pytest.raises(TransactionRefused):
            check_cleanup(lie, terms)


def test_tokens_need_no_cleanup() -> None:
    check_cleanup(None, TERMS)
    with pytest.raises(TransactionRefused):
        check_cleanup(close(), TERMS)


def test_the_price_of_a_place_in_a_block() -> None:
    def asked(price: int) -> GivenInstruction:
        return given(COMPUTE_BUDGET_PROGRAM, b"\x03" + price.to_bytes(8, "little"), [])

    assert unit_price(()) == 0
    assert unit_price((asked(658_858),)) == 658_858
    with pytest.raises(TransactionRefused, match=Refusal.NETWORK_FEE_TOO_HIGH):
        unit_price((asked(MOST_PRICE_MICRO_LAMPORTS + 1),))
    for lie in (
        (asked(1), asked(1)),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x02" + bytes(4), []),),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x03" + bytes(7), []),),
        (given(COMPUTE_BUDGET_PROGRAM, b"\x03" + bytes(8), [(PAYER, True, True)]),),
        (given(SYSTEM_PROGRAM, b"\x03" + bytes(8), []),),
    ):
        with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
            unit_price(lie)


def exchange(swap: GivenInstruction, *others: GivenInstruction) -> Exchange:
    """A whole one, without anything around it."""
    return Exchange(
        compute_budget=(), setup=(), swap=swap, others=others, cleanup=None, lookup_tables={}, last_valid_block_height=1
    )


@pytest.mark.parametrize("profile", ["mainnet", "localnet", "simulated"])
def test_only_jupiters_program_exchanges(profile: str) -> None:
    assert check_exchange(exchange(instruction(route_v2())), TERMS, profile) >= TARGET
    for stranger in (key("a program"), SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM):
        with pytest.raises(TransactionRefused, match=Refusal.FOREIGN_PROGRAM):
            check_exchange(exchange(instruction(route_v2() | {"programId": stranger})), TERMS, profile)


def test_nothing_stands_beside_jupiters_swap() -> None:
    with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
        check_exchange(exchange(instruction(route_v2()), CREATE_MINE), TERMS, "localnet")


@pytest.mark.parametrize("profile", ["mainnet", "simulated", "", "LOCALNET"])
def test_two_transfers_are_an_exchange_on_localnet_alone(profile: str) -> None:
    maker_in, maker_out = key("maker's in"), key("maker's out")
    paid = b"\x0c" + PAID.to_bytes(8, "little") + b"\x06"
    got = b"\x0c" + TARGET.to_bytes(8, "little") + b"\x06"
    swap = token_call(paid, (MINE, False, True), (USDT, False, False), (maker_in, False, True), (PAYER, True, False))
    back = token_call(
        got,
        (maker_out, False, True),
        (USDC, False, False),
        (TERMS.destination_account, False, True),
        (PAYER, True, False),
    )
    assert check_exchange(exchange(swap, back), TERMS, "localnet") == TARGET
    with pytest.raises(TransactionRefused, match=Refusal.FOREIGN_PROGRAM):
        check_exchange(exchange(swap, back), TERMS, profile)
    assert JUPITER_V6 != TOKEN_PROGRAM
