"""What is compiled once is answered, and saved, as the framework would, whatever comes next."""

import uuid
from datetime import datetime
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from core.clock import now
from core.compiled import MOST_VALUES, compiled_once, save_columns
from merchants.services import NewMerchant
from payments.models import IntentTransition, PaymentIntent
from tests.conftest import ApiClient

pytestmark = pytest.mark.postgres


def _intents(merchant_id: int, statuses: list[str], until: datetime) -> QuerySet[PaymentIntent]:
    rows = PaymentIntent.objects.filter(merchant_id=merchant_id, status__in=statuses, created_at__lte=until)
    return rows.select_related("merchant").exclude(reference="void").order_by("-created_at", "-pk")


ask_intents = compiled_once(_intents)


def _three(api: ApiClient) -> list[PaymentIntent]:
    for reference in ("A", "B", "void"):
        api.post("/payment-intents", {"amount": 25, "metadata": {"of": reference}, "reference": reference})
    return list(PaymentIntent.objects.exclude(reference="void").order_by("-created_at", "-pk"))


def test_rows_are_those_of_the_queryset_to_every_column(api: ApiClient, account: NewMerchant) -> None:
    """Of a row with text, money, times and exact metadata in it, whose merchant is read with it."""
    wanted = _three(api)
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            found = ask_intents(account.merchant.pk, ["created", "settled"], now())
            assert [one.merchant.pk for one in found] == [account.merchant.pk] * 2
        assert len(asked) == 1
        assert found == wanted
        for mine, theirs in zip(found, wanted, strict=True):
            for field in PaymentIntent._meta.concrete_fields:
                pair = getattr(mine, field.attname), getattr(theirs, field.attname)
                assert (pair[0], type(pair[0])) == (pair[1], type(pair[1])), field.attname


def test_each_question_has_its_own_values(api: ApiClient, account: NewMerchant) -> None:
    [newest, oldest] = _three(api)
    statuses = ["created"]
    assert ask_intents(account.merchant.pk, statuses, newest.created_at) == [newest, oldest]
    assert ask_intents(account.merchant.pk, statuses, oldest.created_at) == [oldest]
    assert ask_intents(account.merchant.pk + 1, statuses, newest.created_at) == []
    assert ask_intents(account.merchant.pk, ["settled"], newest.created_at) == []
    assert ask_intents(account.merchant.pk, [], newest.created_at) == []
    assert ask_intents(account.merchant.pk, ["settled", *statuses], newest.created_at) == [newest, oldest]
    assert ask_intents(account.merchant.pk, ["settled", "expired"], newest.created_at) == []
    many = [*statuses, *("settled" for _ in range(MOST_VALUES))]
    assert ask_intents(account.merchant.pk, many, newest.created_at) == [newest, oldest]


def test_values_come_as_they_are_asked_for(api: ApiClient) -> None:
    [newest, _] = _three(api)

    def lines(intent_id: uuid.UUID) -> QuerySet[IntentTransition, tuple[str, datetime]]:
        rows = IntentTransition.objects.filter(subject_id=intent_id).order_by("pk")
        return rows.values_list("to_status", "created_at")

    ask = compiled_once(lines)
    assert [ask(newest.pk), len(ask(newest.pk)), ask(newest.pk)[0][0]] == [list(lines(newest.pk)), 1, "created"]
    assert ask(uuid.uuid4()) == []


def test_a_lock_needs_its_transaction(api: ApiClient) -> None:
    """Also where the SQL is known: without one the lock would be gone before the answer is read."""
    [newest, _] = _three(api)
    ask = compiled_once(lambda key: PaymentIntent.objects.select_for_update().filter(pk=key))
    assert ask(newest.pk) == [newest]
    connection.in_atomic_block, before = False, connection.in_atomic_block
    try:
        with pytest.raises(TransactionManagementError):
            ask(newest.pk)
    finally:
        connection.in_atomic_block = before


def test_columns_are_saved_and_no_others(api: ApiClient) -> None:
    [newest, oldest] = _three(api)
    before = {name: value for name, value in vars(oldest).items() if name != "_state"}
    oldest.reference, oldest.amount, oldest.metadata = "B-2", Decimal("7.25"), {"a": [1, None]}
    oldest.customer_email = "left@out.example"
    save_columns(oldest, ["reference", "amount", "metadata"])
    found = PaymentIntent.objects.get(pk=oldest.pk)
    news = {"reference": "B-2", "amount": Decimal("7.25"), "metadata": {"a": [1, None]}}
    assert {name: value for name, value in vars(found).items() if name != "_state"} == before | news
    assert PaymentIntent.objects.get(pk=newest.pk).reference == newest.reference


def test_what_is_gone_is_not_saved(api: ApiClient) -> None:
    """Nor is what the row does not have, or its key."""
    [newest, _] = _three(api)
    for names in (["reference", "nonsense"], ["id"]):
        with pytest.raises(ValueError, match="has not all of these columns"):
            save_columns(newest, names)
    newest.pk = uuid.uuid4()
    with pytest.raises(DatabaseError, match="is gone"):
        save_columns(newest, ["reference"])


@pytest.mark.parametrize("argument", [None, True, 1.5, {"a": 1}])
def test_what_could_change_the_question_is_no_argument(argument: object) -> None:
    ask = compiled_once(lambda value: PaymentIntent.objects.filter(reference=value))
    with pytest.raises(TypeError):
        ask(argument)


def test_an_argument_that_does_not_reach_the_database_is_refused() -> None:
    """One that chose between two questions would get the first one's answer for ever."""
    ask = compiled_once(lambda status: PaymentIntent.objects.filter(status="settled" if status else "cancelled"))
    with pytest.raises(TypeError, match="does not reach the database"):
        ask("settled")
