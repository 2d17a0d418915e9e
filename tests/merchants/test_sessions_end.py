"""Sessions that ended are forgotten, and with them where people were signed in."""

from datetime import timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client

from core.clock import now
from merchants.services import NewMerchant, forget_ended_sessions

pytestmark = pytest.mark.django_db


def test_ended_sessions_go_and_living_ones_stay(account: NewMerchant) -> None:
    with time_machine.travel("2026-05-04T12:00:00Z", tick=False) as clock:
        gone, alive = Client(), Client()
        for one in (gone, alive):
            one.force_login(account.owner)
            noted = {"user": account.owner, "ip": "127.0.0.1", "user_agent": "test", "created_at": now()}
            UserSession.objects.create(session_key=one.session.session_key, **noted)
        Session.objects.filter(pk=gone.session.session_key).update(expire_date=now() + timedelta(hours=2))
        assert forget_ended_sessions() == 0
        clock.shift(timedelta(hours=2, seconds=1))
        assert forget_ended_sessions(at_once=1) == 1
        kept = [alive.session.session_key]
    assert list(Session.objects.values_list("pk", flat=True)) == kept
    assert list(UserSession.objects.values_list("session_key", flat=True)) == kept
