"""What stands around a swap: only the payer's own accounts may be made, filled and closed."""

from itertools import product
from typing import Any

import pytest

from chains.instructions.exchange import Exchange, check_exchange
from chains.instructions.given import GivenInstruction, instruction
from chains.instructions.programs import (
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    WRAPPED_SOL,
    token_account,
)
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import MOST_PRICE_MICRO_LAMPORTS, check_cleanup, check_setup, unit_price
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


def test_an_honest_setup_passes() -> None:
    """Nothing, an account, one in the old way, wrapping, an account for SOL; and no more accounts than a few."""
    for setup in ([], [CREATE_MINE], [create_account(PAYER, USDC, b"")]):
        check_setup(setup, TERMS)
    check_setup([create_account(PAYER, WRAPPED_SOL), wrap(), sync(), CREATE_MINE], FROM_SOL)
    check_setup([create_account(PAYER, WRAPPED_SOL)], TO_SOL)
    with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
        check_setup([CREATE_MINE] * 5, TERMS)


def token_call(content: bytes, *accounts: tuple[str, bool, bool]) -> GivenInstruction:
    """A call of the token program."""
    return given(TOKEN_PROGRAM, content, list(accounts))


AMOUNT = (1).to_bytes(8, "little")
READ_ONLY = ((USDT, False, False), (STRANGER, False, False))
MOVES = {
    "approve": token_call(b"\x04" + AMOUNT, (MINE, False, True), (STRANGER, False, False), (PAYER, True, False)),
    "approve-checked": token_call(b"\x0d" + AMOUNT + b"\x06", (MINE, False, True), *READ_ONLY, (PAYER, True, False)),
    "set-authority": token_call(b"\x06\x02\x01" + bytes(32), (MINE, False, True), (PAYER, True, False)),
    "transfer": token_call(b"\x03" + AMOUNT, (MINE, False, True), (THEIRS, False, True), (PAYER, True, False)),
    "transfer-checked": token_call(
        b"\x0c" + AMOUNT + b"\x06", (MINE, False, True), READ_ONLY[0], (THEIRS, False, True), (PAYER, True, False)
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


def test_nothing_else_may_be_prepared() -> None:
    for (name, move), terms in product(MOVES.items(), (TERMS, FROM_SOL, TO_SOL)):
        honest = [wrap(), sync()] if terms is FROM_SOL else []
        for setup in ([move, *honest], [*honest, move]):
            with pytest.raises(TransactionRefused):
                assert check_setup(setup, terms) == name


def test_exactly_the_input_is_wrapped() -> None:
    """Neither nothing, nor more, less or twice; and it is told to the token program once."""
    for setup in (
        *([], [wrap(PAID + 1), sync()], [wrap(PAID - 1), sync()], [wrap(), wrap(), sync()]),
        *([wrap()], [wrap(), sync(), sync()]),
    ):
        with pytest.raises(TransactionRefused):
            check_setup(setup, FROM_SOL)


def test_sol_is_unwrapped_to_the_payer() -> None:
    """Tokens need no cleanup."""
    for terms in (FROM_SOL, TO_SOL):
        check_cleanup(close(), terms)
        lies = [move for move in MOVES.values() if move != close()]
        for lie in (None, close(to=STRANGER), close(MINE), close(THEIRS), *lies):
            with pytest.raises(TransactionRefused):
                check_cleanup(lie, terms)
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
    around: dict[str, Any] = {"compute_budget": (), "setup": (), "cleanup": None, "lookup_tables": {}}
    return Exchange(swap=swap, others=others, last_valid_block_height=1, **around)


def test_only_jupiters_program_exchanges_and_nothing_stands_beside_it() -> None:
    honest = route_v2()
    for profile in ("mainnet", "localnet", "simulated"):
        assert check_exchange(exchange(instruction(honest)), TERMS, profile) >= TARGET
        for stranger in (key("a program"), SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM):
            with pytest.raises(TransactionRefused, match=Refusal.FOREIGN_PROGRAM):
                check_exchange(exchange(instruction(honest | {"programId": stranger})), TERMS, profile)
    with pytest.raises(TransactionRefused, match=Refusal.UNKNOWN_INSTRUCTION):
        check_exchange(exchange(instruction(honest), CREATE_MINE), TERMS, "localnet")


def test_two_transfers_are_an_exchange_on_localnet_alone() -> None:
    paid, got = (b"\x0c" + units.to_bytes(8, "little") + b"\x06" for units in (PAID, TARGET))
    maker_in, maker_out, mine = key("maker's in"), key("maker's out"), TERMS.destination_account
    swap = token_call(paid, (MINE, False, True), (USDT, False, False), (maker_in, False, True), (PAYER, True, False))
    back = token_call(got, (maker_out, False, True), (USDC, False, False), (mine, False, True), (PAYER, True, False))
    assert check_exchange(exchange(swap, back), TERMS, "localnet") == TARGET
    for profile in ("mainnet", "simulated", "", "LOCALNET"):
        with pytest.raises(TransactionRefused, match=Refusal.FOREIGN_PROGRAM):
            check_exchange(exchange(swap, back), TERMS, profile)
