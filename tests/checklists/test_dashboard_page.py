"""Adding a dashboard page is a view, a template and a line; every rule for pages holds for it by itself."""

import pytest

from tests.checklists.copies import Copy

pytestmark = pytest.mark.slow

VIEW = '''"""The largest payments that settled, from an amount on."""

from django import forms
from django.http import HttpRequest, HttpResponse

from dashboard.page import draw
from dashboard.visit import Visit
from payments.models import PaymentIntent

SHOWN = 20


class FromAmount(forms.Form):
    """From which amount on, in dollars."""

    at_least = forms.DecimalField(min_value=0, max_digits=15, decimal_places=6, required=False)


def show_largest(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The largest ones first."""
    form = FromAmount(request.GET)
    settled = PaymentIntent.objects.visible_to(visit.principal).filter(settled_at__isnull=False)
    if form.is_valid() and form.cleaned_data["at_least"] is not None:
        settled = settled.filter(amount__gte=form.cleaned_data["at_least"])
    found = settled.order_by("-amount", "-id")[:SHOWN]
    return draw(request, visit, "dashboard/payments/largest.html", {"form": form, "payments": found})
'''
TEMPLATE = """{% extends "dashboard/base.html" %}
{% block head_title %}Largest payments{% endblock %}
{% block content %}
  <h1>Largest payments</h1>
  <form method="get">{{ form }}<button class="button">Show</button></form>
  <ul>
    {% for payment in payments %}
      <li><a href="{% url 'admin:payment' payment.pk %}">{{ payment.amount }} dollars</a></li>
    {% endfor %}
  </ul>
{% endblock %}
"""
LINE = """    Page(
        path="payments/largest/",
        name="largest_payments",
        view=largest.show_largest,
        menu=Menu("Largest payments", rank=15),
    ),
"""
OWN_TEST = '''"""The largest payments."""

from core.modes import Mode
from merchants.services import NewMerchant
from tests.factories.refunds import paid_intent
from tests.merchants.people import OWNER, sign_in, text_of

PATH = "/dashboard/test/payments/largest/"


def test_the_largest_are_shown_from_an_amount_on(account: NewMerchant) -> None:
    paid_intent(account.merchant, mode=Mode.TEST)
    paid_intent(account.merchant, mode=Mode.LIVE)
    owner = sign_in(OWNER)
    counts = [text_of(owner.get(PATH, {"at_least": least})).count("dollars</a>") for least in ("", "25", "25.01", "x")]
    assert counts == [1, 1, 0, 1]
    assert "Largest payments" in text_of(owner.get("/dashboard/test/"))
'''


def test_a_page_is_a_view_a_template_and_a_line(copy: Copy) -> None:
    copy.add("dashboard/payments/largest.py", VIEW)
    copy.add("templates/dashboard/payments/largest.html", TEMPLATE)
    copy.put_before("dashboard/urls.py", "    Page(path=_PAYMENT, name=", LINE)
    imported = "from dashboard.payments import largest\n"
    copy.put_before("dashboard/urls.py", "from dashboard.payments import export as", imported)
    copy.put_before("tests/dashboard/who.py", "payments payment record download_record search", "largest_payments ")
    copy.add("tests/dashboard/test_largest.py", OWN_TEST)
    every = ("tests/dashboard/test_every_page.py", "tests/architecture/test_doors.py")
    assert copy.passed("tests/dashboard/test_largest.py", *every, "-k", "largest or act_that or doors") > len(every)
