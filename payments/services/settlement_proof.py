"""Proving that a merchant holds the key of its settlement address: it signs a text with it, which is checked offline.

Source: rulings, Settlement addresses (unproven until the merchant signs with them).
"""

from django.db import transaction

from chains.base58 import from_base58
from chains.registry import Family, chain
from chains.signatures import SOLANA_SIGNATURE_BYTES, signed_text
from core.clock import now
from merchants.audit import put_down
from merchants.models import Merchant
from merchants.principal import Principal
from payments.errors import SettlementFamilyUnknown, SettlementSignatureWrong
from payments.models import SettlementProfile

_LONGEST = 256


def proof_text(profile: SettlementProfile) -> str:
    """What is to be signed: it fits one address of one merchant in one mode, and moves nothing."""
    return (
        "Causeway: this address is mine, and payments may settle here.\n"
        f"Address: {profile.address}\n"
        f"Merchant: {profile.merchant_id} ({profile.mode})"
    )


@transaction.atomic
def prove_address(principal: Principal, family: str, signature: str) -> SettlementProfile:
    """Note that the family's address was proven. Contracts that are wallets (EIP-1271) cannot be asked offline.

    Raises: SettlementFamilyUnknown, SettlementSignatureWrong. Locks: the merchant.
    """
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    profile: SettlementProfile | None = SettlementProfile.objects.visible_to(principal).filter(family=family).first()
    known = None if profile is None else chain(profile.chain)
    if profile is None or known is None:
        raise SettlementFamilyUnknown
    given = _read(known.family, signature.strip()[:_LONGEST])
    if not signed_text(known.family, profile.address, proof_text(profile), given):
        raise SettlementSignatureWrong
    if profile.proven_at is None:
        profile.proven_at = now()
        profile.save(update_fields=["proven_at"])
        put_down(principal, "settlement.proven", family, after={"address": profile.address})
    return profile


def _read(family: Family, text: str) -> bytes:
    """A signature as wallets write it: hexadecimal on EVM chains, base58 or hexadecimal on Solana. Empty if neither."""
    try:
        if family is Family.SOLANA and len(text) < 2 * SOLANA_SIGNATURE_BYTES:
            return from_base58(text)
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        return b""
