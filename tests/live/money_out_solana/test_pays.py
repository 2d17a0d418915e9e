"""Money sent on Solana lands once, to the base unit, and counts when it is final."""

from collections.abc import Callable

import pytest
from pytest_django import Settings

from chains.clients.solana_transactions import read_transaction
from chains.instructions.programs import TOKEN_2022_PROGRAM, TOKEN_PROGRAM, token_account
from chains.models import TransferAttempt
from chains.registry import SOLANA_NATIVE_ADDRESS
from localnet.solana.money import ONE_SOL, USDC, USDT
from localnet.solana.server import running
from merchants.models import Merchant
from tests.live.money_out_solana.treasury import Treasury

FEE, RENT = 5_000, 2_039_280


def test_it_pays_once_and_says_so_when_it_is_final(treasury: Treasury) -> None:
    treasury.node.mint(USDC, treasury.recipient, 1)
    treasury.order()
    assert treasury.advance() == "mined"
    assert treasury.node.held(USDC, treasury.recipient) == 25_000_001
    treasury.node.advance(20)
    assert treasury.advance() == "mined"
    treasury.node.finalize()
    assert treasury.advance() == "paid"
    assert treasury.path() == ["new", "signed", "broadcast", "mined", "paid"]
    [landed] = treasury.landed()
    assert (treasury.transfer.tx_hash, treasury.transfer.block_number) == (landed.signature, landed.slot)
    assert treasury.transfer.paid_at is not None
    assert treasury.node.held(USDC, treasury.recipient) == 25_000_001
    assert treasury.advance() == "paid"
    assert len(treasury.landed()) == 1


def test_a_recipient_without_a_token_account_gets_one(treasury: Treasury) -> None:
    treasury.order()
    before = treasury.node.lamports(treasury.address)
    assert treasury.finish() == "paid"
    assert treasury.paid_times() == 1
    spent = before - treasury.node.lamports(treasury.address)
    assert RENT + FEE <= spent < RENT + FEE + 200


def test_what_is_signed_is_what_was_ordered(treasury: Treasury) -> None:
    transfer = treasury.order()
    treasury.finish()
    [attempt] = TransferAttempt.objects.all()
    message = read_transaction(attempt.raw).message
    keys = [str(key) for key in message.account_keys]
    assert (message.header.num_required_signatures, keys[0]) == (1, treasury.address)
    programs = [keys[one.program_id_index][:8] for one in message.instructions]
    assert programs == ["ComputeB", "ComputeB", "ATokenGP", "MemoSq4g", "Tokenkeg"]
    limit, _, _, note, moved = message.instructions
    assert bytes(note.data).decode() == str(transfer.pk)
    assert bytes(moved.data) == b"\x0c" + (25_000_000).to_bytes(8, "little") + b"\x06"
    assert keys[moved.accounts[2]] == token_account(treasury.recipient, USDC, TOKEN_PROGRAM)
    [landed] = treasury.landed()
    used, allowed = landed.outcome.compute_units_consumed(), int.from_bytes(bytes(limit.data)[1:], "little")
    assert allowed == -(-used * 120 // 100)
    assert (attempt.tx_hash, attempt.blockhash) == (landed.signature, str(message.recent_blockhash))
    assert attempt.last_valid_height == landed.slot - 21_000_000 - 1 + 150


def test_the_native_coin_is_sent(treasury: Treasury) -> None:
    treasury.token, treasury.decimals, treasury.units = SOLANA_NATIVE_ADDRESS, 9, ONE_SOL // 4
    treasury.order()
    assert treasury.finish() == "paid"
    assert treasury.paid_times() == 1
    assert ONE_SOL * 3 // 4 - treasury.node.lamports(treasury.address) < FEE + 200


def test_a_token_of_the_newer_program_is_sent(
    merchant: Merchant, nodes: Callable[..., None], settings: Settings, impatient: None
) -> None:
    with running(ticking=False, seed=b"newer", tokens={USDC: TOKEN_PROGRAM, USDT: TOKEN_2022_PROGRAM}) as node:
        nodes("solana", node.url)
        treasury = Treasury(node=node, merchant=merchant, settings=settings, token=USDT)
        treasury.endow()
        treasury.order()
        assert treasury.finish() == "paid"
        assert treasury.paid_times() == 1


@pytest.mark.parametrize("usd", ["25", "5000"])
def test_two_nodes_that_agree_are_enough(treasury: Treasury, other: object, usd: str) -> None:
    treasury.order(usd)
    assert treasury.finish() == "paid"
    assert treasury.paid_times() == 1
