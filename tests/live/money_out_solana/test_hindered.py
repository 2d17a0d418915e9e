"""What keeps a transfer from being signed: too little money, wrong destinations, odd tokens, the account's rules."""

from collections.abc import Callable
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.instructions.programs import TOKEN_2022_PROGRAM, TOKEN_PROGRAM, token_account
from chains.models import SigningAccount, Transfer
from chains.rails.solana import writing
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.clock import now
from core.pauses import Paused, pause, resume
from localnet.solana import money
from localnet.solana.money import ONE_SOL, USDC
from tests.live.money_out_solana.treasury import Treasury

FEE_AND_RENT = 5_200 + 2_039_280 + 890_880
"""The highest fee, the recipient's token account, and what the account itself must hold."""


def _nothing_was_signed(treasury: Treasury) -> None:
    assert (treasury.paid_times(), treasury.signatures()) == (0, [])


def test_too_little_of_the_token_waits_until_there_is_enough(treasury: Treasury) -> None:
    treasury.key = Keypair()
    treasury.endow(24_999_999)
    treasury.order()
    assert (treasury.advance(), treasury.transfer.blocked_times) == ("new:insufficient_funds", 1)
    _nothing_was_signed(treasury)
    treasury.node.mint(USDC, treasury.address, 1)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def test_too_few_coins_for_the_fee_and_the_rent_wait_until_there_are_enough(treasury: Treasury) -> None:
    treasury.node.fund(treasury.address, FEE_AND_RENT - 1)
    treasury.order()
    assert treasury.advance() == "new:insufficient_gas"
    _nothing_was_signed(treasury)
    treasury.node.fund(treasury.address, FEE_AND_RENT)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def test_without_rent_to_pay_less_is_enough(treasury: Treasury) -> None:
    treasury.node.mint(USDC, treasury.recipient, 0)
    treasury.node.fund(treasury.address, FEE_AND_RENT - 2_039_280)
    treasury.order()
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


@pytest.mark.parametrize(
    ("lamports", "expected"),
    [(ONE_SOL // 4 - 1, "new:insufficient_funds"), (ONE_SOL // 4 + 5_000, "new:insufficient_gas")],
)
def test_too_few_coins_to_send_wait(treasury: Treasury, lamports: int, expected: str) -> None:
    treasury.token, treasury.decimals, treasury.units = SOLANA_NATIVE_ADDRESS, 9, ONE_SOL // 4
    treasury.node.fund(treasury.address, lamports)
    treasury.order()
    assert treasury.advance() == expected
    _nothing_was_signed(treasury)
    treasury.node.fund(treasury.address)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def test_fewer_coins_than_an_unused_wallet_can_hold_are_refused(treasury: Treasury) -> None:
    treasury.token, treasury.decimals, treasury.units = SOLANA_NATIVE_ADDRESS, 9, 890_879
    treasury.order()
    assert treasury.advance() == "failed:chain_rejected"
    _nothing_was_signed(treasury)


def _own_token_account(treasury: Treasury) -> str:
    return treasury.node.mint(USDC, str(Keypair().pubkey()), 1)


def _other_token_account(treasury: Treasury) -> str:
    """On the curve, since anybody may make a token account at a key of his own."""
    account = treasury.node.mint(USDC, str(Keypair().pubkey()), 1)
    state = treasury.node.ledger.svm.get_account(Pubkey.from_string(account))
    assert state is not None
    made = Keypair().pubkey()
    treasury.node.ledger.svm.set_account(made, state)
    return str(made)


def _fresh_token(treasury: Treasury) -> str:
    made = str(Keypair().pubkey())
    treasury.node.place_token(made)
    return made


DESTINATIONS: dict[str, Callable[[Treasury], str]] = {
    "associated-token-account": _own_token_account, "other-token-account": _other_token_account,
    "mint": _fresh_token, "own-mint": lambda treasury: treasury.token, "program": lambda _: TOKEN_PROGRAM,
    "not-an-address": lambda _: "0x0000000000000000000000000000000000000001",
}  # fmt: skip


def test_only_a_wallet_is_paid(treasury: Treasury) -> None:
    for name, destination in DESTINATIONS.items():
        treasury.recipient = destination(treasury)
        treasury.order()
        assert (name, treasury.advance(), treasury.signatures()) == (name, "failed:invalid_destination", [])


def test_a_token_account_that_was_given_away_is_not_paid(treasury: Treasury) -> None:
    """It stands at the recipient's associated address, and belongs to somebody else."""
    treasury.node.mint(USDC, treasury.recipient, 1)
    ledger, account = treasury.node.ledger, token_account(treasury.recipient, USDC, TOKEN_PROGRAM)
    state = ledger.svm.get_account(Pubkey.from_string(account))
    assert state is not None
    given = state.data[:32] + bytes(Keypair().pubkey()) + state.data[64:]
    money._write(ledger, account, given, TOKEN_PROGRAM)  # noqa: SLF001 - as the token program's SetAuthority would
    treasury.order()
    assert (treasury.advance(), treasury.signatures()) == ("failed:invalid_destination", [])


def test_a_frozen_recipient_is_blocked(treasury: Treasury) -> None:
    treasury.node.mint(USDC, treasury.recipient, 0, frozen=True)
    treasury.order()
    assert treasury.advance() == "failed:destination_blocked"
    _nothing_was_signed(treasury)


def test_other_decimals_than_were_ordered_are_refused(treasury: Treasury) -> None:
    treasury.decimals = 9
    treasury.order()
    assert treasury.advance() == "failed:chain_rejected"
    _nothing_was_signed(treasury)


def _extension(kind: int, content: bytes) -> bytes:
    return kind.to_bytes(2, "little") + len(content).to_bytes(2, "little") + content


def _fee(rate: int) -> bytes:
    part = bytes(8) + (10**9).to_bytes(8, "little") + rate.to_bytes(2, "little")
    return _extension(1, bytes(72) + part + part)


SOMEBODY = b"\x05" * 32
HAZARDS = {
    "fee": _fee(1), "frozen-by-default": _extension(6, b"\x02"), "not-transferable": _extension(9, b""),
    "permanent-delegate": _extension(12, SOMEBODY), "hook": _extension(14, SOMEBODY + SOMEBODY),
    "pause": _extension(26, SOMEBODY + b"\x00"), "unknown": _extension(999, b"\x01"),
    "cut-short": _extension(18, bytes(64))[:-1],
    "behind-a-harmless-one": _extension(3, SOMEBODY) + _extension(12, SOMEBODY),
}  # fmt: skip
HARMLESS = {
    "none": b"",
    "no-fee": _fee(0),
    "no-hook": _extension(14, SOMEBODY + bytes(32)),
    "close": _extension(3, SOMEBODY),
}


def _newer(treasury: Treasury, extensions: bytes) -> None:
    """A token of Token-2022 whose mint has these extensions."""
    treasury.token = str(Keypair().pubkey())
    treasury.node.place_token(treasury.token, program=TOKEN_2022_PROGRAM)
    ledger = treasury.node.ledger
    state = ledger.svm.get_account(Pubkey.from_string(treasury.token))
    assert state is not None
    content = (state.data + bytes(83) + b"\x01" + extensions) if extensions else state.data
    money._write(ledger, treasury.token, content, TOKEN_2022_PROGRAM)  # noqa: SLF001 - no instruction makes it whole
    treasury.endow()


def test_a_token_that_would_not_simply_arrive_is_refused(treasury: Treasury) -> None:
    for name, extensions in HAZARDS.items():
        _newer(treasury, extensions)
        treasury.order()
        assert (name, treasury.advance()) == (name, "failed:chain_rejected")
        _nothing_was_signed(treasury)


def test_a_token_that_simply_arrives_is_sent(treasury: Treasury) -> None:
    for name, extensions in HARMLESS.items():
        _newer(treasury, extensions)
        treasury.order()
        assert (name, treasury.finish(), treasury.paid_times()) == (name, "paid", 1)


def test_what_is_paused_capped_or_of_another_network_is_not_signed(treasury: Treasury) -> None:
    treasury.order()
    SigningAccount.objects.update(paused_at=now())
    assert treasury.advance() == "new:signer_paused"
    SigningAccount.objects.update(paused_at=None)
    Transfer.objects.update(network="mainnet")
    assert treasury.advance() == "new:chain_unavailable"
    Transfer.objects.update(network="localnet")
    SigningAccount.objects.update(cap_per_transfer_usd=24)
    assert treasury.advance() == "failed:cap_exceeded"
    _nothing_was_signed(treasury)


def test_in_a_pause_of_all_signing_nothing_is_signed_or_sent(
    treasury: Treasury, monkeypatch: pytest.MonkeyPatch
) -> None:
    treasury.order()
    pause(Paused.SIGNING, reason="a key may have leaked", by="root")
    assert (treasury.advance(), treasury.advance()) == ("new:signing_paused",) * 2
    _nothing_was_signed(treasury)
    resume(Paused.SIGNING, by="root")
    store = writing.store_signed

    def store_and_pause(*facts: Any, **more: Any) -> bool:
        is_stored = store(*facts, **more)
        pause(Paused.SIGNING, reason="a key may have leaked", by="root")
        return is_stored

    monkeypatch.setattr(writing, "store_signed", store_and_pause)
    assert (treasury.advance(), treasury.advance(), treasury.paid_times()) == ("signed", "signed", 0)
    assert len(treasury.signatures()) == 1
    resume(Paused.SIGNING, by="root")
    assert (treasury.finish(), treasury.paid_times(), len(treasury.signatures())) == ("paid", 1, 1)


def test_so_many_transfers_are_under_way_at_once_and_no_more(treasury: Treasury) -> None:
    treasury.node.drop_next(10**6)
    for _ in range(16):
        treasury.order()
        assert treasury.advance() == "broadcast"
    treasury.recipient = str(Keypair().pubkey())
    treasury.order()
    assert treasury.advance() == "new:signer_busy"
    _nothing_was_signed(treasury)
    treasury.node.drop_next(0)
    Transfer.objects.exclude(pk=treasury.transfer.pk).update(status="failed")
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)
