"""A provider for django-payments: ``"causeway": ("causeway_django.provider.CausewayProvider", {})``.

Have the service post to ``payments/process/causeway/``, the last part being the variant's name. It needs none of the
tables of this app: what it must remember stands in the payment's own row.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NoReturn

from causeway_sdk import APIError, CausewayError, ConflictError
from causeway_sdk.webhooks import WebhookVerificationError, unwrap
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from causeway_django import conf, provider_row
from payments import PaymentError, PaymentStatus, RedirectNeeded, get_payment_model
from payments.core import BasicProvider

SERVER_FAILED = 500
NOT_OURS, REFUSED, WRONG_MODE, TOO_EARLY = 200, 401, 403, 409
"""Answers to webhooks. Why 200: another program of the same merchant may have made the payment."""


class CausewayProvider(BasicProvider):
    """Sends the payer to the service's checkout, and believes what it posts, signed.

    Each option is the setting of its name in capitals after ``CAUSEWAY_`` where it is not given.
    """

    def __init__(
        self,
        api_key: str = "",
        base_url: str = "",
        webhook_secret: str | Sequence[str] | None = None,
        *,
        capture: bool = True,
    ) -> None:
        if not capture:
            raise ImproperlyConfigured("Causeway knows no payment that is taken later: leave capture out.")
        super().__init__(capture=capture)
        self._api_key, self._base_url, self._secrets = api_key, base_url, webhook_secret

    def get_form(self, payment: Any, data: Any = None) -> NoReturn:
        """Ask the service for the payment, once, and send the payer there. Raises: RedirectNeeded, PaymentError."""
        if not payment.transaction_id:
            self._ask_for(payment)
        raise RedirectNeeded(payment.attrs.checkout_url)

    def process_data(self, payment: Any, request: HttpRequest) -> HttpResponse:
        """The payer, who comes back, or an event of this payment. Raises: nothing for what does not verify: 401."""
        if request.method != "POST":
            return _welcome(payment, request)
        try:
            event = self._read(request)
        except PaymentError as error:
            return JsonResponse({"error": str(error)}, status=int(error.code or REFUSED))
        if provider_row.intent_of(event) != payment.transaction_id:
            return JsonResponse({"error": "The event is about another payment."}, status=404)
        provider_row.follow(payment, event)
        return HttpResponse(status=204)

    def get_token_from_request(self, payment: Any, request: HttpRequest) -> str:
        """The token of the payment that a signed event is about. Raises: PaymentError with the answer as its code."""
        event = self._read(request)
        stored = get_payment_model()._default_manager
        found = stored.filter(transaction_id=provider_row.intent_of(event) or "none").first()
        if found is not None:
            return str(found.token)
        named = provider_row.token_of(event)
        if named and event.type != "payment_intent.created" and stored.filter(token=named, transaction_id="").exists():
            raise PaymentError("The payment is about to be stored.", code=TOO_EARLY)
        raise PaymentError("The event is about no payment of this shop.", code=NOT_OURS)

    def refund(self, payment: Any, amount: Any = None) -> Decimal:
        """Have money sent back: of the captured amount all, or a part.

        After a lost answer the same amount gets the same refund, and another one is refused. Returns 0: what is
        subtracted was written under the row's lock already. Units: US dollars. Raises: PaymentError.
        """
        wanted, key = provider_row.begin_refund(payment, amount)
        try:
            refund = self._client().refunds.create(
                intent_id=payment.transaction_id, amount_usd=wanted, idempotency_key=key
            )
        except APIError as error:
            if error.status < SERVER_FAILED and error.code != "idempotency_key_in_progress":
                provider_row.forget_refund(payment)
            raise PaymentError(str(error), gateway_message=error.code) from error
        except CausewayError as error:
            raise PaymentError(str(error)) from error
        provider_row.keep_refund(payment, refund)
        payment.refresh_from_db()
        return Decimal(0)

    def cancel(self, payment: Any) -> None:
        """Cancel a payment that nobody has begun to pay. Raises: PaymentError."""
        if not payment.transaction_id:
            return
        try:
            self._client().payment_intents.cancel(payment.transaction_id, idempotency_key=f"{payment.token}-cancel")
        except ConflictError as error:
            if error.details.get("status") != "cancelled":
                raise PaymentError(str(error), gateway_message=error.code) from error
        except CausewayError as error:
            raise PaymentError(str(error)) from error

    def capture(self, payment: Any, amount: Any = None) -> NoReturn:
        """Refuse: a payment is captured when it settles. Raises: PaymentError."""
        raise PaymentError("There is nothing to capture: a Causeway payment is captured when it settles.")

    def release(self, payment: Any) -> NoReturn:
        """Refuse: nothing is ever reserved. Raises: PaymentError."""
        raise PaymentError("There is nothing to release: cancel the payment, or refund it.")

    def _ask_for(self, payment: Any) -> None:
        if payment.currency.upper() != "USD":
            raise PaymentError("Causeway takes US dollars only.")
        try:
            intent = self._client().payment_intents.create(
                amount=Decimal(payment.total),
                reference=payment.token,
                metadata={"payment": payment.token},
                customer_email=payment.billing_email or None,
                return_url=self.get_return_url(payment),
                idempotency_key=f"{payment.token}-payment",
            )
        except CausewayError as error:
            raise PaymentError(str(error)) from error
        payment.transaction_id, payment.attrs.checkout_url = intent.id, intent.checkout_url
        payment.save(update_fields=["transaction_id", "extra_data"])

    def _read(self, request: HttpRequest) -> Any:
        """The event, verified and of our key's mode. Raises: PaymentError."""
        try:
            event = unwrap(request.body, request.headers, conf.webhook_secrets(self._secrets))
        except WebhookVerificationError as error:
            raise PaymentError(error.reason, code=REFUSED) from error
        if conf.mode_of(self._api_key) not in ("", event.mode):
            raise PaymentError("wrong_mode", code=WRONG_MODE)
        return event

    def _client(self) -> Any:
        return conf.client(self._api_key, self._base_url)


def _welcome(payment: Any, request: HttpRequest) -> HttpResponse:
    """The shop's page for a payer who comes back. ``payment_intent`` says that one was paid; that proves nothing."""
    seems_paid = payment.status == PaymentStatus.CONFIRMED or (
        payment.status in {PaymentStatus.WAITING, PaymentStatus.INPUT} and "payment_intent" in request.GET
    )
    return redirect(payment.get_success_url() if seems_paid else payment.get_failure_url())
