"""What is thrown away, and what is kept."""

from datetime import timedelta

from core.clock import now
from mcp.models import AccessToken, Application, Grant, RefreshToken, UsedCode
from mcp.oauth import upkeep
from tests.mcp.oauth.flow import Agent, new_application


def _aged(application: Application, days: int) -> Application:
    Application.objects.filter(pk=application.pk).update(created=now() - timedelta(days=days))
    return application


def test_clients_that_nobody_said_yes_to_are_forgotten_after_a_week(agent: Agent) -> None:
    kept = {
        _aged(agent.application, 30).pk,
        _aged(new_application(), 6).pk,
        _aged(new_application(registration_source="manual"), 30).pk,
    }
    _aged(new_application(), 8)
    _aged(new_application(registration_source="cimd"), 8)
    upkeep.purge()
    assert set(Application.objects.values_list("pk", flat=True)) == kept


def test_what_is_over_is_deleted_and_what_shows_reuse_is_kept(agent: Agent) -> None:
    pair = agent.signed_in()
    agent.refresh(pair["refresh_token"])
    agent.consent()
    Grant.objects.update(expires=now() - timedelta(minutes=1))
    upkeep.purge()
    assert (Grant.objects.count(), UsedCode.objects.count(), RefreshToken.objects.count()) == (0, 1, 2)
    UsedCode.objects.update(used_at=now() - timedelta(days=31))
    AccessToken.objects.update(expires=now() - timedelta(days=31))
    upkeep.purge()
    assert (AccessToken.objects.count(), UsedCode.objects.count()) == (0, 0)
    assert RefreshToken.objects.filter(revoked__isnull=True).count() == 0
