"""An order is placed, and then its payer is sent to Causeway."""

from causeway_django.payments import AmountDiffersError, open_payment
from causeway_sdk import CausewayError
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.generic import View
from oscar.apps.checkout import views as oscars
from oscar.core.loading import get_model

Order = get_model("order", "Order")


class PaymentDetailsView(oscars.PaymentDetailsView):
    """Oscar's, which takes no card: what is paid with is chosen at the checkout."""

    def get_success_url(self) -> str:
        """Where whoever placed an order goes next."""
        return reverse("checkout:pay")


class PayView(View):
    """Leads whoever placed an order to its payment, as often as it is asked: an order has one that can be paid."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """To the checkout; back to the order where it is paid, or where the service cannot be reached."""
        order = Order.objects.filter(pk=request.session.get("checkout_order_id")).first()
        if order is None:
            return redirect("catalogue:index")
        thanks = request.build_absolute_uri(reverse("checkout:thank-you"))
        try:
            payment = open_payment(reference=order.number, amount=order.total_incl_tax, return_url=thanks)
        except (CausewayError, AmountDiffersError):
            messages.error(request, "We cannot take payments now. Your order is kept: try again in a minute.")
            return redirect(thanks)
        return redirect(thanks if payment.is_paid else payment.checkout_url)
