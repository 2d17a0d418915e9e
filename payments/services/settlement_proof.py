"""Proving that a settlement address is the merchant's: it signs a text with its key, which is checked offline.

A wallet that is a contract is asked on its chain by a worker. What proven is good for: a chain's own coin may settle
there. Source: docs/adr/0035; docs/adr/0062.
"""

import logging
import secrets
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from chains.base58 import from_base58
from chains.clients.evm_wallets import WalletWord as Word
from chains.registry import Family, chain
from chains.signatures import SOLANA_SIGNATURE_BYTES, signed_text
from core.clock import now
from core.modes import Mode
from merchants.audit import record_audit
from merchants.models import Merchant
from merchants.principal import Principal
from payments.errors import SettlementFamilyUnknown, SettlementSignatureWrong
from payments.models import SettlementProfile, WalletWord
from payments.services.transition import WORKER
from payments.services.wallet_words import Asked, answered_word_ids, ask_wallet, finish

_LONGEST = 10_000
PURPOSE: Final = "settlement_address"
ASKED_FOR: Final = timedelta(minutes=10)
BATCH: Final = 50
"""In one sweep."""
MOVED: Final = "moved"
"""The outcome where another address, or another chain, was set meanwhile."""
logger = logging.getLogger("causeway.payments")


def proof_text(profile: SettlementProfile) -> str:
    """What is to be signed: it fits one address of one merchant in one mode, and moves nothing."""
    return (
        "Causeway: this address is mine, and payments may settle here.\n"
        f"Address: {profile.address}\n"
        f"Merchant: {profile.merchant_id} ({profile.mode})"
    )


@transaction.atomic
def prove_address(
    principal: Principal, family: str, signature: str, *, by_contract: bool = False
) -> SettlementProfile | None:
    """Note that the family's address was proven. With ``by_contract`` a live EVM address may be a contract: None while
    that is asked, one question at a time.

    Raises: SettlementFamilyUnknown, SettlementSignatureWrong. Locks: the merchant.
    """
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    profile: SettlementProfile | None = SettlementProfile.objects.visible_to(principal).filter(family=family).first()
    known = None if profile is None else chain(profile.chain)
    if profile is None or known is None:
        raise SettlementFamilyUnknown
    given = _read(known.family, signature.strip()[:_LONGEST])
    if signed_text(known.family, profile.address, proof_text(profile), given):
        _note_proven(principal, profile)
        return profile
    if not (by_contract and given and known.family is Family.EVM and profile.mode == Mode.LIVE):
        raise SettlementSignatureWrong
    _ask(principal, profile, given)
    return None


def last_question(profile: SettlementProfile) -> WalletWord | None:
    """The newest question to the profile's address as a contract, answered or not."""
    found: WalletWord | None = _questions(profile).order_by("-pk").first()
    return found


def sweep_contract_proofs() -> int:
    """Act on what contracts said of the addresses where payments settle; returns how many words."""
    word_ids = answered_word_ids(PURPOSE, BATCH)
    for word_id in word_ids:
        try:
            act_on_proof(word_id)
        except Exception:
            logger.exception("could not act on the word %s of a settlement address", word_id)
    return len(word_ids)


@transaction.atomic
def act_on_proof(word_id: int) -> None:
    """Note the proof where the contract said yes and the profile still names it on that chain; else why not.

    Safe to repeat. Locks: the merchant, then the question.
    """
    merchant_id = WalletWord.objects.values_list("merchant_id", flat=True).get(pk=word_id)
    Merchant.objects.select_for_update(no_key=True).get(pk=merchant_id)
    row = WalletWord.objects.select_for_update().get(pk=word_id)
    if row.done_at is not None:
        return
    profile = SettlementProfile.objects.filter(pk=row.subject.partition(":")[0]).first()
    if profile is None or (profile.address, [profile.chain]) != (row.wallet, row.chains):
        finish(row, MOVED)
        return
    if row.word == Word.YES:
        worker = Principal(merchant_id=row.merchant_id, mode=Mode(row.mode), actor=WORKER)
        _note_proven(worker, profile, profile.chain)
    finish(row, "" if row.word == Word.YES else row.word)


def _note_proven(principal: Principal, profile: SettlementProfile, proven_on: str = "") -> None:
    """Locks: the caller holds the merchant's. Why a key's proof stays: it holds on more chains."""
    if profile.proven_at is not None and profile.proven_on in {"", proven_on}:
        return
    profile.proven_at, profile.proven_on = now(), proven_on
    profile.save(update_fields=["proven_at", "proven_on"])
    shown = {"address": profile.address} | ({"chain": proven_on} if proven_on else {})
    record_audit(principal, "settlement.proven", profile.family, after=shown)


def _ask(principal: Principal, profile: SettlementProfile, signature: bytes) -> None:
    """Put the question, unless one waits. Locks: as ``_note_proven``."""
    if _questions(profile).filter(done_at=None).exists():
        return
    asked = Asked(
        purpose=PURPOSE,
        subject=f"{profile.pk}:{secrets.token_hex(8)}",
        wallet=profile.address,
        chains=[profile.chain],
        message=proof_text(profile),
        signature=signature,
        ends_at=now() + ASKED_FOR,
        with_coin=True,
    )
    ask_wallet(profile.merchant_id, profile.mode, asked)
    record_audit(principal, "settlement.proof_asked", profile.family, after={"address": profile.address})


def _questions(profile: SettlementProfile) -> "QuerySet[WalletWord]":
    found: QuerySet[WalletWord] = WalletWord.objects.filter(purpose=PURPOSE, subject__startswith=f"{profile.pk}:")
    return found


def _read(family: Family, text: str) -> bytes:
    """A signature as wallets write it: hexadecimal on EVM chains, base58 or hexadecimal on Solana. Empty if neither."""
    try:
        if family is Family.SOLANA and len(text) < 2 * SOLANA_SIGNATURE_BYTES:
            return from_base58(text)
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        return b""
