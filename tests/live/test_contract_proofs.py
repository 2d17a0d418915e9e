"""A settlement address that is a contract is proven by its own word, on its chain, where it takes the chain's coin."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from localnet.nodes import DevChain, fresh_wallet
from merchants.models import Change
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import SettlementChange, SettlementProfile, WalletWord
from payments.services.settlement_effect import put_into_effect
from payments.services.settlement_proof import act_on_proof, proof_text, sweep_contract_proofs
from payments.services.wallet_words import sweep_wallet_words
from tests.conftest import ApiClient
from tests.factories.payments import settlement_profile
from tests.live.vault import YES_TO_EVERYTHING, Vault
from tests.merchants.people import proven as with_second_factor
from tests.merchants.people import send_form, text_of

PAGE = "/dashboard/live/settings/settlement/evm/prove/"


@pytest.fixture
def vault(base_node: DevChain, nodes: Callable[..., None], db: None) -> Vault:
    nodes("base", base_node.url)
    base_node.fund(EVM_NATIVE_ADDRESS)
    made = Vault(node=base_node)
    made.stand()
    return made


@pytest.fixture
def profile(account: NewMerchant, vault: Vault) -> SettlementProfile:
    return settlement_profile(account.merchant, mode="live", chain="base", token="USDC", address=vault.address)


def sign(owner: Client, profile: SettlementProfile, vault: Vault, **fields: Any) -> int:
    """Send the owner's signature under the page's text, as that of a contract."""
    text = "0x" + vault.signed(text=proof_text(profile)).hex()
    return int(send_form(owner, PAGE, **{"signature": text, "by_contract": "on"} | fields).status_code)


def work() -> None:
    """A worker comes round."""
    sweep_wallet_words()
    sweep_contract_proofs()


def proven(profile: SettlementProfile) -> tuple[bool, str]:
    profile.refresh_from_db()
    return profile.proven_at is not None, profile.proven_on


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    return with_second_factor(factor=True)


def coin_settles(api: ApiClient, chain: str = "base") -> tuple[int, str]:
    """Whether a payment may settle in the chain's own coin by the profile."""
    body = {"amount": 25, "settlement_chain": chain, "settlement_token": "ETH"}
    reply = api.post("/payment-intents", body)
    return reply.status, reply.body.get("code", "")


UNPROVEN = (400, "settlement_address_unproven")


@pytest.mark.spec("Rulings C13.2")
def test_a_contract_proves_its_address_on_its_chain(
    owner: Client, profile: SettlementProfile, vault: Vault, live_api: ApiClient
) -> None:
    assert coin_settles(live_api) == UNPROVEN
    vault.node.rpc("anvil_setCode", vault.address, YES_TO_EVERYTHING)
    assert (sign(owner, profile, vault), proven(profile)) == (302, (False, ""))
    assert "is being asked" in text_of(owner.get(PAGE))
    assert sign(owner, profile, vault) == 302
    assert WalletWord.objects.count() == 1
    work()
    assert proven(profile) == (True, "base")
    assert "by its contract on base" in text_of(owner.get(PAGE))
    deeds = [(one.action, one.after) for one in Change.objects.filter(action__startswith="settlement.")]
    told = {"address": vault.address}
    assert deeds == [("settlement.proof_asked", told), ("settlement.proven", told | {"chain": "base"})]
    assert (coin_settles(live_api), coin_settles(live_api, "arbitrum")) == ((201, ""), UNPROVEN)
    act_on_proof(WalletWord.objects.get().pk)
    assert Change.objects.filter(action="settlement.proven").count() == 1


def refused(owner: Client, profile: SettlementProfile, vault: Vault, **fields: Any) -> str:
    """What the page says of a proof that failed."""
    assert sign(owner, profile, vault, **fields) == 302
    work()
    assert proven(profile) == (False, "")
    return text_of(owner.get(PAGE))


def test_what_its_contract_did_not_sign_proves_nothing(owner: Client, profile: SettlementProfile, vault: Vault) -> None:
    forged = "0x" + vault.signed(fresh_wallet(), proof_text(profile)).hex()
    assert "did not take the last signature" in refused(owner, profile, vault, signature=forged)


def test_a_contract_that_takes_no_coin_is_not_proven(owner: Client, profile: SettlementProfile, vault: Vault) -> None:
    """It signed. But proven means that coin may settle there, and every payer's transaction would fail."""
    assert "does not take the chain" in refused(owner, profile, vault)


def test_a_contract_that_is_not_there_yet_is_not_proven(
    owner: Client, profile: SettlementProfile, vault: Vault
) -> None:
    vault.await_its_factory()
    SettlementProfile.objects.update(address=vault.address)
    profile.refresh_from_db()
    wrapped = vault.wrapped(vault.signed(text=proof_text(profile)))
    assert "did not take the last signature" in refused(owner, profile, vault, signature="0x" + wrapped.hex())


def test_an_address_that_was_changed_meanwhile_is_not_proven(
    owner: Client, profile: SettlementProfile, vault: Vault
) -> None:
    vault.node.rpc("anvil_setCode", vault.address, YES_TO_EVERYTHING)
    assert sign(owner, profile, vault) == 302
    SettlementProfile.objects.update(chain="arbitrum")
    work()
    assert proven(profile) == (False, "")
    assert "was changed while the contract was asked" in text_of(owner.get(PAGE))


def test_another_chain_has_another_contract(
    owner: Client, profile: SettlementProfile, vault: Vault, caller: Principal
) -> None:
    SettlementProfile.objects.update(proven_at=now(), proven_on="base")
    put_into_effect(caller, changed_to(profile, "base"))
    assert proven(profile) == (True, "base")
    put_into_effect(caller, changed_to(profile, "arbitrum"))
    assert proven(profile) == (False, "")


def changed_to(profile: SettlementProfile, chain: str) -> SettlementChange:
    """A change of the same address to another chain."""
    after = {"chain": chain, "token": "USDC", "address": profile.address}
    return SettlementChange(part="evm", before={}, after=after)


def test_nobody_is_asked_unless_it_is_said_to_be_a_contract(
    owner: Client, profile: SettlementProfile, vault: Vault
) -> None:
    text = "0x" + vault.signed(text=proof_text(profile)).hex()
    assert send_form(owner, PAGE, signature=text).status_code == 400
    assert send_form(owner, PAGE, signature="nonsense", by_contract="on").status_code == 400
    assert (WalletWord.objects.count(), proven(profile)) == (0, (False, ""))
