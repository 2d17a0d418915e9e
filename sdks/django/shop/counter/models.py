"""Orders, each of which is a payment of django-payments."""

from django.urls import reverse

from payments.models import BasePayment


class Order(BasePayment):
    """One order."""

    def __str__(self) -> str:
        return f"{self.total} {self.status}"

    def get_success_url(self) -> str:
        """Where a payer comes back to who seems to have paid."""
        return reverse("order", args=[self.token])

    def get_failure_url(self) -> str:
        """Where a payer comes back to who has not."""
        return reverse("order", args=[self.token])
