"""The payer's two requests behind the claim link: give me the text to sign, here is my signature."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chains.registry import Family
from core.buckets import Limit
from core.caller import client_address
from core.clock import wire_time
from core.fields import check_body
from core.openapi import MOVES_MONEY, component
from core.refusals import errors
from core.throttling import AddressThrottle, address_bucket
from refunds.errors import (
    ClaimContractWallet,
    ClaimExceedsPayment,
    ClaimExpired,
    ClaimNotFinal,
    ClaimNotPayer,
    ClaimSignatureInvalid,
    ClaimUnknown,
    ClaimUsed,
    ClaimWalletSilent,
    RefundDestinationNotNeeded,
)
from refunds.selectors import public_refund
from refunds.serializers import ClaimRefundSerializer, PrepareRefundClaimSerializer
from refunds.services.claim import ClaimRequest, prepare_claim, submit_claim
from refunds.shapes import RefundClaimPendingShape, RefundClaimTextShape, RefundPublicViewShape, public_view

RETRY_AFTER_SECONDS = 4
"""While a wallet's contract is asked. Why so long: below what one network address may ask."""
_TAGS = ["Refunds"]
_REFUSALS = (
    *(ClaimUnknown, ClaimUsed, ClaimExpired, ClaimSignatureInvalid, ClaimContractWallet, ClaimWalletSilent),
    *(ClaimNotPayer, ClaimExceedsPayment, ClaimNotFinal, RefundDestinationNotNeeded),
)


class ClaimThrottle(AddressThrottle):
    """Counts claims and what leads to them per address. Why so few: a payer does this once."""

    limits = (Limit(count=20, window_seconds=60),)
    scope = "refund_claim"


class ClaimNonceView(APIView):
    """The text that a payer signs. The link alone grants nothing."""

    authentication_classes = ()
    throttle_classes = (ClaimThrottle,)

    @extend_schema(
        operation_id="prepareRefundClaim",
        tags=_TAGS,
        auth=[],
        request=PrepareRefundClaimSerializer,
        responses={201: component(RefundClaimTextShape), **errors(404, RefundDestinationNotNeeded)},
    )
    def post(self, request: Request, refund_id: str) -> Response:
        """Have the text written that the wallet which paid is to sign."""
        refund = public_refund(refund_id)
        body = check_body(PrepareRefundClaimSerializer, request.data)
        claim_request = ClaimRequest(
            family=Family(body["family"]),
            wallet=body["wallet"],
            destination=body["destination"],
            asked_from=address_bucket(client_address(request._request)),
        )
        claim = prepare_claim(refund, claim_request)
        answer: RefundClaimTextShape = {
            "nonce": claim.nonce,
            "message": claim.message,
            "expires_at": wire_time(claim.ends_at),
        }
        return Response(answer, status=201, headers={"Cache-Control": "no-store"})


class ClaimView(APIView):
    """A claim."""

    authentication_classes = ()
    throttle_classes = (ClaimThrottle,)

    @extend_schema(
        operation_id="claimRefund",
        tags=_TAGS,
        extensions=MOVES_MONEY,
        auth=[],
        request=ClaimRefundSerializer,
        responses={
            200: component(RefundPublicViewShape),
            202: component(RefundClaimPendingShape),
            **errors(404, *_REFUSALS),
        },
    )
    def post(self, request: Request, refund_id: str) -> Response:
        """Send a waiting refund where the wallet that paid it says, by that wallet's signature."""
        refund = public_refund(refund_id)
        body = check_body(ClaimRefundSerializer, request.data)
        found = submit_claim(refund, body["nonce"], body["signature"], by_contract=body.get("by_contract", False))
        if found is None:
            asked: RefundClaimPendingShape = {"status": "asking_wallet", "retry_after_seconds": RETRY_AFTER_SECONDS}
            return Response(asked, status=202, headers={"Cache-Control": "no-store"})
        return Response(public_view(found))
