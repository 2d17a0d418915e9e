"""The claim link: a payer says by its wallet's signature where its refund goes.

The link alone grants nothing: it leads to a text to sign. Source: docs/guides/refunds.md, The claim link.
"""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from chains.addresses import parse_address
from chains.base58 import from_base58
from chains.errors import InvalidAddress
from chains.registry import CHAINS, Family
from chains.signatures import EVM_SIGNATURE_BYTES, signed_text
from core.clock import now, wire_time
from core.errors import InvalidRequest, RateLimited, field_problem
from core.modes import Mode
from core.money import from_base_units, to_decimal_string
from merchants.principal import Principal
from payments.services.transition import locked_intent
from refunds.errors import (
    ClaimContractWallet,
    ClaimExceedsPayment,
    ClaimExpired,
    ClaimNotFinal,
    ClaimNotPayer,
    ClaimSignatureInvalid,
    ClaimUnknown,
    ClaimUsed,
    RefundDestinationNotNeeded,
)
from refunds.models import Refund, RefundClaim
from refunds.services.contract_word import ask_contract, may_be_contract, nonces_asked_about, raise_refusal, word_on
from refunds.services.destination import checked_destination, set_destination
from refunds.services.transition import locked_refund
from refunds.shapes import TAIL_LENGTH
from refunds.shares import share_of
from refunds.simulated_proof import is_simulated_signature
from refunds.states import PUBLIC_STATUS, REFUND_MACHINE, R

GOOD_FOR: Final = timedelta(minutes=10)
"""Source: docs/guides/refunds.md, The claim link."""
MOST_OF_ONE: Final = 20
MOST_OPEN: Final = 2000
"""How many unused texts one refund keeps of one network address, and of all. Why an end: anybody can ask."""
CLAIMED: Final = "claimed"
"""The reason in the refund's history."""
_NONCE_BYTES: Final = 24
_ONE_WORD = re.compile(r"[!-~]+")
_LONGEST_BASE58: Final = 128
"""Longer texts are no signature. Why cut: reading them takes time that grows with their square."""
_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})+")
_CHAIN_OF_FAMILY = {one.family: one for one in CHAINS}


@dataclass(frozen=True, kw_only=True)
class ClaimRequest:
    """What the payer's page asks to have written: the wallet that will sign, and where the money shall go.

    ``asked_from``: the network address that asks, as it is counted by.
    """

    family: Family
    wallet: str
    destination: str
    asked_from: str = ""


@transaction.atomic
def prepare_claim(refund: Refund, request: ClaimRequest) -> RefundClaim:
    """Write the text that the payer is to sign. Says nothing about who paid: that is asked of the signature.

    Raises: RefundDestinationNotNeeded, InvalidRequest, DestinationInvalid, RateLimited where others have asked for all
    the texts there are. Nobody's text ends by what others ask for.
    """
    _refuse_unless_waiting(refund)
    wallet, destination = _wallet(request), _destination(refund, request.destination)
    nonce, ends_at = secrets.token_hex(_NONCE_BYTES), now() + GOOD_FOR
    asked_from = salted_hmac("refund claim", request.asked_from, algorithm="sha256").hexdigest()
    _make_room(refund, asked_from)
    return RefundClaim.objects.create(
        merchant_id=refund.merchant_id,
        mode=refund.mode,
        refund=refund,
        nonce=nonce,
        family=request.family.value,
        wallet=wallet,
        destination=destination,
        asked_from=asked_from,
        ends_at=ends_at,
        message=claim_text(
            refund, origin=settings.BASE_URL, wallet=wallet, destination=destination, nonce=nonce, ends_at=ends_at
        ),
    )


def submit_claim(refund: Refund, nonce: str, signature: str, *, by_contract: bool = False) -> Refund | None:
    """Send a waiting refund where the wallet that paid it says; the refund as it is then.

    With ``by_contract`` a signature that no key made is the wallet's contract's to judge: None while it is asked. The
    same request again says what came of it. Raises: ClaimUnknown, ClaimUsed, ClaimExpired, RefundDestinationNotNeeded,
    ClaimSignatureInvalid, ClaimContractWallet, ClaimWalletSilent, ClaimNotPayer, ClaimExceedsPayment, ClaimNotFinal;
    and then nothing is changed.
    Locks: the intent, the refund, then the claim. Why the signature is judged before: that takes a moment.
    """
    claim = RefundClaim.objects.filter(refund=refund, nonce=nonce).first()
    asked = None if claim is None or not by_contract else word_on(claim)
    if claim is not None and asked is not None:
        found: Refund = Refund.objects.get(pk=refund.pk)
        raise_refusal(asked, found)
        return None if claim.used_at is None else found
    claim = _open_claim(refund, nonce)
    try:
        _refuse_forged(claim, signature)
    except (ClaimSignatureInvalid, ClaimContractWallet):
        if not (by_contract and may_be_contract(claim)):
            raise
        ask_contract(claim, _signature_bytes(Family.EVM, signature))
        return None
    with transaction.atomic():
        return follow_claim(refund, claim.pk, signature)


def follow_claim(refund: Refund, claim_id: int, signature: str) -> Refund:
    """Send the refund where a claim says whose signature was found good; ``signature`` is kept, or what names it.

    Raises: as ``submit_claim``. Locks: the intent, then the refund.
    """
    locked_intent(refund.intent_id)
    waiting = locked_refund(refund.pk)
    claim = RefundClaim.objects.get(pk=claim_id)
    _refuse_unless_open(waiting, claim)
    _refuse_stranger(waiting, claim)
    claim.used_at, claim.signature = now(), signature
    claim.save(update_fields=["used_at", "signature"])
    payer = Principal(
        merchant_id=waiting.merchant_id, mode=Mode(waiting.mode), actor=f"payer:…{claim.wallet[-TAIL_LENGTH:]}"
    )
    return set_destination(payer, waiting, claim.destination, reason=CLAIMED)


def _open_claim(refund: Refund, nonce: str) -> RefundClaim:
    """The open claim under this nonce. Raises: as ``submit_claim``."""
    claim = RefundClaim.objects.filter(refund=refund, nonce=nonce).first()
    if claim is None:
        raise ClaimUnknown
    _refuse_unless_open(refund, claim)
    return claim


def _refuse_unless_open(refund: Refund, claim: RefundClaim) -> None:
    """Why a claim that its contract was asked about does not end meanwhile: it was brought in time."""
    if claim.used_at is not None:
        raise ClaimUsed
    _refuse_unless_waiting(refund)
    if claim.ends_at <= now() and word_on(claim) is None:
        raise ClaimExpired


def _refuse_unless_waiting(refund: Refund) -> None:
    if not REFUND_MACHINE.allows(refund.status, "address"):
        raise RefundDestinationNotNeeded(PUBLIC_STATUS[R(refund.status)])


def _refuse_forged(claim: RefundClaim, text: str) -> None:
    family, signature = Family(claim.family), _signature_bytes(Family(claim.family), text)
    if family is Family.EVM and len(signature) != EVM_SIGNATURE_BYTES:
        raise ClaimContractWallet
    is_play = claim.mode == Mode.TEST and is_simulated_signature(family, claim.wallet, claim.message, signature)
    if not (is_play or signed_text(family, claim.wallet, claim.message, signature)):
        raise ClaimSignatureInvalid


def _signature_bytes(family: Family, text: str) -> bytes:
    """The bytes of a signature: hex from EVM wallets, base58 from Solana's. Raises: ClaimSignatureInvalid."""
    if family is Family.EVM:
        if not _HEX.fullmatch(text):
            raise ClaimSignatureInvalid
        return bytes.fromhex(text[2:])
    try:
        return from_base58(text[:_LONGEST_BASE58])
    except ValueError:
        raise ClaimSignatureInvalid from None


def _refuse_stranger(refund: Refund, claim: RefundClaim) -> None:
    """Refuse a wallet that did not pay as much itself. Locks: the caller holds the intent's lock."""
    share = share_of(refund.intent_id, claim.wallet, apart_from=refund.pk)
    if share is None:
        raise ClaimNotPayer
    if share.seen_units - share.returned_units < refund.base_units:
        raise ClaimExceedsPayment
    if share.final_units - share.returned_units < refund.base_units:
        raise ClaimNotFinal


def _wallet(request: ClaimRequest) -> str:
    try:
        return parse_address(_CHAIN_OF_FAMILY[request.family], request.wallet)
    except InvalidAddress as error:
        raise InvalidRequest(details={"fields": [field_problem("wallet", "format", error.message)]}) from error


def _destination(refund: Refund, text: str) -> str:
    """A destination that stands on one line. Why: on chains that only test mode knows, any text is an address."""
    if not _ONE_WORD.fullmatch(text):
        problem = field_problem("destination", "format", "An address is one word of ordinary letters and digits.")
        raise InvalidRequest(details={"fields": [problem]})
    return checked_destination(refund.chain, text)


def _make_room(refund: Refund, asked_from: str) -> None:
    """Remove unused texts that are too old, and the oldest of the same address where those are too many.

    What a wallet's contract is being asked about was brought in time, and stays until it answered.

    Raises: RateLimited where all addresses together have too many.
    """
    unused = RefundClaim.objects.filter(refund=refund, used_at=None)
    unused.filter(ends_at__lte=now()).exclude(nonce__in=nonces_asked_about()).delete()
    own = list(unused.filter(asked_from=asked_from).order_by("-pk").values_list("pk", flat=True))
    if own[MOST_OF_ONE - 1 :]:
        unused.filter(pk__in=own[MOST_OF_ONE - 1 :]).delete()
    elif unused.count() >= MOST_OPEN:
        wait = int(GOOD_FOR.total_seconds())
        details = {
            "limit": MOST_OPEN,
            "window_seconds": wait,
            "retry_after_seconds": wait,
            "scope": "refund_claim_texts",
        }
        raise RateLimited(details=details, headers={"Retry-After": str(wait)})


FIRST_LINE: Final = "I paid this. Send my refund to the address below."


def claim_text(  # noqa: PLR0913  (each is a fact of its own)
    refund: Refund, *, origin: str, wallet: str, destination: str, nonce: str, ends_at: datetime
) -> str:
    """The text for one claim. Two claims that differ in anything never share one. Source: docs/adr/0033."""
    amount = to_decimal_string(from_base_units(refund.base_units, refund.token_decimals))
    facts = (
        ("Site", origin),
        ("Refund", str(refund.pk)),
        ("Amount", f"{amount} {refund.token}"),
        ("Chain", refund.chain),
        ("Token", refund.token_address or refund.token),
        ("Base units", str(refund.base_units)),
        ("Send to", destination),
        ("Paid from", wallet),
        ("Nonce", nonce),
        ("Use before", wire_time(ends_at)),
    )
    lines = "\n".join(f"{name}: {value}" for name, value in facts)
    return f"{FIRST_LINE}\n\n{lines}\n\nSigning is free, and takes nothing out of this wallet."
