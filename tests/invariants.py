"""What the tests ask after each race and crash: the product's own checker, and what only tests can know."""

from collections.abc import Iterator

from django.db.models import Count

from operations.invariants import violations as of_the_product
from payments.models import PaymentIntent


def each_reference_has_one_intent() -> Iterator[str]:
    """I8 from the caller's side: tests write the key they send into ``reference``."""
    sent = PaymentIntent.objects.exclude(reference="").values_list("merchant_id", "mode", "reference")
    twice = sent.annotate(times=Count("id")).filter(times__gt=1).order_by()
    yield from (f"I8 reference {reference} has {times} intents" for _, _, reference, times in twice)


def violations() -> list[str]:
    """Everything in the database that can not be true; empty when all is well."""
    return [*of_the_product(), *each_reference_has_one_intent()]
