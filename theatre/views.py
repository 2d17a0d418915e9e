"""The REST door to scenarios and replays."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from core.errors import NotFound
from core.fields import check_body
from core.modes import Mode
from core.openapi import COMMAND_ONLY, component, idempotency_header
from core.refusals import errors
from core.snapshot import one_moment
from merchants.authentication import principal_of
from merchants.idempotency import Answer, act_once
from merchants.principal import Principal
from merchants.scopes import KeyScope
from payments.selectors import intent_id_from, visible_intent
from theatre.errors import ScenarioTooLarge, TooManyReplays
from theatre.selectors import find_replay
from theatre.serializers import ReplayScenarioSerializer
from theatre.services import ask_replay, scenario_file
from theatre.shapes import ReplayShape, ScenarioFileShape, replay_body


class ScenarioFileViewSet(ViewSet):
    """Scenarios of the key's merchant and mode."""

    key_scopes = {"retrieve": KeyScope.READ_INTENTS}

    @extend_schema(
        operation_id="getPaymentIntentScenario",
        tags=["Payment intents"],
        extensions=COMMAND_ONLY,
        responses={200: component(ScenarioFileShape), **errors(401, 404, 429)},
    )
    def retrieve(self, request: Request, intent_id: str) -> Response:
        """Export what happened to an intent."""
        principal, key = principal_of(request), intent_id_from(intent_id)
        with one_moment():
            return Response(scenario_file(visible_intent(principal, key)))


def _test_principal(request: Request) -> Principal:
    """The caller, if it is in test mode. Raises: NotFound, so that replays do not exist for live keys."""
    principal = principal_of(request)
    if principal.mode != Mode.TEST:
        raise NotFound("path")
    return principal


class ReplayViewSet(ViewSet):
    """Replays of the key's merchant; they do not exist for live keys."""

    key_scopes: ClassVar = {"create": KeyScope.WRITE_INTENTS, "retrieve": KeyScope.READ_INTENTS}

    @extend_schema(
        operation_id="createTestScenarioReplay",
        tags=["Test helpers"],
        extensions=COMMAND_ONLY,
        parameters=[idempotency_header()],
        request=ReplayScenarioSerializer,
        responses={201: component(ReplayShape), **errors(404, ScenarioTooLarge, TooManyReplays)},
    )
    def create(self, request: Request) -> Response:
        """Have a scenario played. A worker does it within seconds; nothing is played in this request."""
        principal = _test_principal(request)
        body = check_body(ReplayScenarioSerializer, request.data)

        def effect() -> Answer:
            replay = ask_replay(principal, body["scenario"], body.get("name", ""))
            return Answer(http_status=201, body=replay_body(replay))

        return act_once(request, principal.idempotency_scope, effect)

    @extend_schema(
        operation_id="getTestScenarioReplay",
        tags=["Test helpers"],
        extensions=COMMAND_ONLY,
        responses={200: component(ReplayShape), **errors(401, 404, 429)},
    )
    def retrieve(self, request: Request, replay_id: str) -> Response:
        """Retrieve a replay: what it showed, and whether it came to the file's end."""
        return Response(replay_body(find_replay(_test_principal(request), replay_id)))
