"""The whole way on Solana: from the door through a real program runtime to the database, and back to the merchant."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from solders.keypair import Keypair

from chains.clients.registry import SOLANA
from chains.instructions.programs import TOKEN_2022_PROGRAM, TOKEN_PROGRAM, token_account
from chains.instructions.transactions import read_transaction, reference_of
from chains.registry import SOLANA_NATIVE_ADDRESS
from localnet.solana.money import ONE_SOL, USDC, USDT
from localnet.solana.server import DevSolana, running
from payments.models import Credit
from tests.conftest import ApiClient
from tests.live.solana_till import SolanaTill


def test_a_reported_payment_settles_when_it_is_final(solana_till: SolanaTill) -> None:
    till = solana_till
    attempt = till.issue("25")
    [unsigned] = attempt["transactions"]
    assert (unsigned["family"], unsigned["chain"]) == ("solana", "solana")
    leg = till.leg()
    assert leg.issued["reference"] == reference_of(str(leg.pk))
    assert till.node.rpc("getBlockHeight") < leg.issued["last_valid_block_height"]
    signature = till.send(attempt)
    till.report(attempt, signature)
    assert till.sweep()["status"] == "executing"
    till.node.advance(28)
    assert till.sweep()["status"] == "executing"
    assert Credit.objects.get().final_at is None
    till.node.advance(8)
    settled = till.sweep()
    assert (settled["status"], till.held(), till.credited()) == ("settled", 25_000_000, [25_000_000])
    assert till.passed() == ["created", "requires_payment", "quoted", "awaiting_signature", "executing", "settled"]
    assert till.told() == ["created", "quoted", "executing", "settled"]
    [shown] = till.api.get(f"/payment-intents/{till.intent['id']}/transactions").body["data"]
    assert (shown["kind"], shown["provider"], shown["status"]) == ("transfer", "direct", "confirmed")
    assert (shown["tx_hash"], shown["destination_tx_hash"]) == (signature, signature)
    assert (shown["amount"], shown["to_amount"], shown["payer_address"]) == ("25", "25", till.wallet[1])
    landed = till.node.rpc("getTransaction", signature, {"maxSupportedTransactionVersion": 0})
    credit, block = Credit.objects.get(), till.node.rpc("getBlock", landed["slot"])
    assert (credit.network, credit.chain, credit.tx_hash, credit.kind) == ("localnet", "solana", signature, "account")
    assert credit.position == token_account(till.merchant, USDC, TOKEN_PROGRAM)
    assert (credit.sender, credit.recipient, credit.token_address) == (till.wallet[1], till.merchant, USDC)
    assert (credit.block_number, credit.block_hash) == (landed["slot"], block["blockhash"])
    assert int(credit.block_time.timestamp()) == landed["blockTime"]


def test_the_issued_transaction_is_what_the_payer_agreed_to(solana_till: SolanaTill) -> None:
    """One signature; the account opened for the merchant, the note and the transfer, which is the last."""
    unsigned = solana_till.unsigned(solana_till.issue("25"))
    message = read_transaction(unsigned).message
    keys = [str(key) for key in message.account_keys]
    assert (message.header.num_required_signatures, keys[0]) == (1, solana_till.wallet[1])
    programs = [keys[one.program_id_index][:8] for one in message.instructions]
    assert programs == ["ComputeB", "ComputeB", "ATokenGP", "MemoSq4g", "Tokenkeg"]
    *_, note, transfer = message.instructions
    assert bytes(note.data).decode() == str(solana_till.leg().pk)
    assert bytes(transfer.data) == b"\x0c" + (25_000_000).to_bytes(8, "little") + b"\x06"
    assert [keys[place] for place in transfer.accounts] == [
        token_account(solana_till.wallet[1], USDC, TOKEN_PROGRAM),
        USDC,
        token_account(solana_till.merchant, USDC, TOKEN_PROGRAM),
        solana_till.wallet[1],
        reference_of(str(solana_till.leg().pk)),
    ]


@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_the_native_coin_settles(solana_till: SolanaTill, is_reported: bool) -> None:
    solana_till.token, solana_till.symbol = SOLANA_NATIVE_ADDRESS, "SOL"
    attempt = solana_till.issue("25")
    signature = solana_till.send(attempt)
    if is_reported:
        solana_till.report(attempt, signature)
    assert solana_till.finish()["status"] == "settled"
    assert (solana_till.held(), solana_till.credited()) == (ONE_SOL // 100, [ONE_SOL // 100])
    credit = Credit.objects.get()
    assert (credit.kind, credit.position, credit.tx_hash) == ("account", solana_till.merchant, signature)


def test_a_token_of_the_newer_program_settles(live_api: ApiClient, nodes: Callable[..., None], prices: None) -> None:
    with running(ticking=False, seed=b"newer", tokens={USDC: TOKEN_PROGRAM, USDT: TOKEN_2022_PROGRAM}) as node:
        nodes("solana", node.url)
        till = SolanaTill(api=live_api, node=node, token=USDT, symbol="USDT")
        till.endow()
        till.issue_and_pay()
        assert (till.finish()["status"], till.held(), till.credited()) == ("settled", 25_000_000, [25_000_000])
        assert Credit.objects.get().position == token_account(till.merchant, USDT, TOKEN_2022_PROGRAM)


def test_what_the_wallet_holds_is_read_from_the_chain(solana_till: SolanaTill) -> None:
    solana_till.node.mint(USDT, solana_till.wallet[1], 50_000_000, frozen=True)
    tokens = solana_till.open("25").connect()
    held = {token["token_address"]: token for token in tokens}
    assert set(held) == {USDC, SOLANA_NATIVE_ADDRESS}
    assert (held[USDC]["balance"], held[USDC]["sufficient"], held[USDC]["recommended"]) == ("1000.00", True, True)
    assert (held[SOLANA_NATIVE_ADDRESS]["balance"], held[SOLANA_NATIVE_ADDRESS]["sufficient"]) == ("1.00", False)
    solana_till.node.fund(solana_till.wallet[1], 2_000_000)
    [usdc] = [one for one in solana_till.open("25").connect() if one["symbol"] == "USDC"]
    assert usdc["reason"] == "Too little SOL on Solana for the network fee."


@pytest.mark.django_db
def test_both_token_programs_count(solana_node: DevSolana, nodes: Callable[..., None]) -> None:
    nodes("solana", solana_node.url)
    owner, newer, unknown = (str(Keypair().pubkey()) for _ in range(3))
    solana_node.place_token(newer, decimals=9, program=TOKEN_2022_PROGRAM)
    solana_node.mint(USDC, owner, 7)
    solana_node.mint(newer, owner, 11)
    assert SOLANA.balances("solana", owner, [USDC, newer, unknown]) == {
        SOLANA_NATIVE_ADDRESS: 0,
        USDC: 7,
        newer: 11,
        unknown: 0,
    }
    many = [str(Keypair().pubkey()) for _ in range(120)]
    assert SOLANA.balances("solana", owner, [*many, USDC])[USDC] == 7


@pytest.mark.spec("Contract 7.5")
def test_the_fee_has_the_rent_of_an_account_that_must_be_opened(solana_till: SolanaTill) -> None:
    """Signature 5,000, 120,000 units at a thousandth of a lamport, and 2,039,280 for the account; SOL at 2,500."""
    assert Decimal(solana_till.issue("25")["gas_usd"]) == Decimal("5.1110")
    solana_till.node.mint(USDC, solana_till.merchant, 1)
    assert Decimal(solana_till.issue("25")["gas_usd"]) == Decimal("0.0128")


def test_less_than_an_unused_wallet_can_hold_is_not_offered(solana_till: SolanaTill) -> None:
    solana_till.token, solana_till.symbol = SOLANA_NATIVE_ADDRESS, "SOL"
    [coin] = [one for one in solana_till.open("2.22").connect() if one["symbol"] == "SOL"]
    assert (coin["sufficient"], coin["reason"]) == (False, "The amount is too small for it.")
    solana_till.node.fund(solana_till.merchant, 1_000_000)
    solana_till.send(solana_till.issue("2.22"))
    assert solana_till.finish()["status"] == "settled"
