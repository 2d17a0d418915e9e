"""Addresses: form, checksum, one spelling; and the ones that nobody can own."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token.constants import ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from spl.token.instructions import get_associated_token_address

from chains import addresses
from chains.addresses import parse_address, refuse_unpayable
from chains.errors import InvalidAddress, UnpayableAddress
from chains.registry import CHAINS, Chain

BY_NAME = {entry.name: entry for entry in CHAINS}
BASE, SOLANA = BY_NAME["base"], BY_NAME["solana"]
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
USDC_MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
NO_TOKENS: frozenset[str] = frozenset()


def wallet(byte: int) -> str:
    return str(Keypair.from_seed(bytes([byte]) * 32).pubkey())


def refusal(chain: Chain, address: str, known_tokens: frozenset[str] = NO_TOKENS) -> str:
    with pytest.raises(UnpayableAddress) as caught:
        refuse_unpayable(chain, address, known_tokens)
    assert caught.value.details == {"chain_family": chain.family, "reason": caught.value.reason}
    return caught.value.reason


# The examples of EIP-55 itself.
@pytest.mark.parametrize(
    "address",
    [
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0xde709f2102306220921060314715629080e2fb77",
    ],
)
def test_evm_address_has_one_spelling(address: str) -> None:
    upper = "0x" + address[2:].upper()
    assert {parse_address(BASE, text) for text in (address, address.lower(), upper)} == {address}


@pytest.mark.parametrize("position", [3, 4, 41])
def test_mixed_case_must_match_the_checksum(position: int) -> None:
    address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    wrong = address[:position] + address[position].swapcase() + address[position + 1 :]
    with pytest.raises(InvalidAddress) as caught:
        parse_address(BASE, wrong)
    assert caught.value.reason == "checksum"
    assert caught.value.http_status == 400
    assert caught.value.details == {"chain_family": "evm", "reason": "checksum"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0x",
        "833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "0X833589FCD6EDB6E08F4C7C32D4F71B54BDA02913",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda0291",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda029130",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda0291g",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913\n",
        " 0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "0x833589fcd6edb6e08f4c7c32d4f71b54bda0291٣",
        "\ud800",
        USDC_MINT,
        "vitalik.eth",
    ],
)
def test_what_is_no_evm_address(text: str) -> None:
    with pytest.raises(InvalidAddress) as caught:
        parse_address(BASE, text)
    assert caught.value.reason == "format"


@pytest.mark.parametrize("address", [wallet(1), USDC_MINT, "11111111111111111111111111111111"])
def test_solana_address_is_kept_as_it_is(address: str) -> None:
    assert parse_address(SOLANA, address) == address


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "format"),
        (USDC_ON_BASE, "format"),
        (USDC_MINT.replace("E", "0", 1), "format"),
        (USDC_MINT + "\n", "format"),
        ("é" * 40, "format"),
        ("1" * 33, "length"),
        ("1" * 44, "length"),
        ("z" * 44, "length"),
        (USDC_MINT[:-2], "length"),
    ],
)
def test_what_is_no_solana_address(text: str, reason: str) -> None:
    with pytest.raises(InvalidAddress) as caught:
        parse_address(SOLANA, text)
    assert caught.value.reason == reason
    assert caught.value.chain_family == "solana"


@given(st.binary(min_size=20, max_size=20))
def test_every_twenty_bytes_are_an_evm_address_and_parsing_is_stable(raw: bytes) -> None:
    once = parse_address(BASE, "0x" + raw.hex())
    assert once.lower() == "0x" + raw.hex()
    assert parse_address(BASE, once) == once


@given(st.binary(min_size=32, max_size=32))
def test_every_thirty_two_bytes_are_a_solana_address(raw: bytes) -> None:
    text = str(Pubkey.from_bytes(raw))
    assert parse_address(SOLANA, text) == text


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    for chain in (BASE, SOLANA):
        with contextlib.suppress(InvalidAddress):
            parse_address(chain, text)


def test_an_ordinary_wallet_is_payable() -> None:
    refuse_unpayable(BASE, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", frozenset({USDC_ON_BASE}))
    refuse_unpayable(SOLANA, wallet(1), frozenset({USDC_MINT}))


@pytest.mark.spec("Rulings C13.1")
def test_token_contracts_and_mints_are_refused() -> None:
    assert refusal(BASE, USDC_ON_BASE, frozenset({USDC_ON_BASE})) == "token"
    assert refusal(SOLANA, USDC_MINT, frozenset({USDC_MINT})) == "token"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("0x0000000000000000000000000000000000000000", "reserved"),
        ("0x0000000000000000000000000000000000000001", "reserved"),
        ("0x000000000000000000000000000000000000dEaD", "reserved"),
        ("0x0000000000000000000000000000000000001010", "reserved"),
        ("0x4200000000000000000000000000000000000010", "reserved"),
        ("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "contract"),
        ("0xcA11bde05977b3631167028862bE2a173976CA11", "contract"),
        ("0x000000000022D473030F116dDEE9F6B43aC78BA3", "contract"),
        ("0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE", "contract"),
    ],
)
def test_evm_addresses_nobody_owns(address: str, reason: str) -> None:
    assert parse_address(BASE, address) == address
    assert refusal(BASE, address) == reason


@pytest.mark.spec("Rulings C13.1")
@pytest.mark.parametrize(
    "address",
    [
        "11111111111111111111111111111111",
        str(TOKEN_PROGRAM_ID),
        str(TOKEN_2022_PROGRAM_ID),
        str(ASSOCIATED_TOKEN_PROGRAM_ID),
        "Stake11111111111111111111111111111111111111",
        "SysvarRent111111111111111111111111111111111",
    ],
)
def test_solana_programs_are_refused(address: str) -> None:
    assert refusal(SOLANA, address) == "program"


@pytest.mark.spec("Rulings C13.1")
def test_a_solana_token_account_is_refused() -> None:
    account = get_associated_token_address(
        Pubkey.from_string(wallet(1)), Pubkey.from_string(USDC_MINT), TOKEN_PROGRAM_ID
    )
    assert refusal(SOLANA, str(account)) == "off_curve"


def test_every_address_of_the_refusal_lists_is_spelt_as_it_is_stored() -> None:
    evm, programs = addresses._EVM_CONTRACTS, addresses._SOLANA_PROGRAMS
    assert {parse_address(BASE, address) for address in evm} == evm
    assert {parse_address(SOLANA, address) for address in programs} == programs
