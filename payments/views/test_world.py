"""Test helpers: the doors through which a script plays payer, clock and events. They do not exist for live keys."""

from django.conf import settings
from drf_spectacular.utils import extend_schema, extend_schema_field, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core import test_clock
from core.errors import InvalidParameter, NotFound
from core.fields import FreeFormField, StrictIntegerField, StrictSerializer, StrictStringField, check_body
from core.misnamed import refuse_paging
from core.modes import Mode
from core.openapi import component, idempotency_header, list_of
from core.pagination import whole_body
from core.refusals import errors
from merchants.authentication import principal_of
from merchants.idempotency import Answer, act_once
from merchants.principal import Principal
from merchants.scopes import KeyScope
from payments.errors import IntentNotPayable, PaymentInDoubt, TooManyAttempts
from payments.scenarios import NAMES, scenario_named, scenarios
from payments.selectors import intent_id_from, visible_intent
from payments.services.simulated_payer import pay_by_simulation
from payments.shapes import PaymentIntentShape, ScenarioShape, intent_body, scenario_body
from webhooks.catalog import NAMES_IN_ORDER
from webhooks.errors import UnknownEventType
from webhooks.services import trigger_sample_event

LONGEST_ADVANCE_SECONDS = 31_536_000
"""Source: docs/design/test-mode.md, The test clock."""


@extend_schema_field({"type": "string", "enum": [*NAMES, None]})
class ScenarioField(StrictStringField):
    """A scenario by its name. Whether it exists is looked at with the body."""


@extend_schema_field({"type": "string", "enum": list(NAMES_IN_ORDER)})
class EventTypeField(StrictStringField):
    """An event type by its name. Whether it exists is the service's to say."""


class PayTestPaymentIntentSerializer(StrictSerializer):
    """Body of the pay helper."""

    scenario = ScenarioField(required=False, allow_null=True, help_text="What should happen; see the list.")

    def validate_scenario(self, value: str | None) -> str | None:
        """A known scenario. Raises: ValidationError."""
        if value is not None and value not in scenarios():
            raise serializers.ValidationError(f"Must be among {', '.join(scenarios())}.", "invalid_choice")
        return value


class AdvanceTestClockSerializer(StrictSerializer):
    """Body of the clock helper."""

    seconds = StrictIntegerField(min_value=1, max_value=LONGEST_ADVANCE_SECONDS)


class TriggerTestEventSerializer(StrictSerializer):
    """Body of the event helper."""

    type = EventTypeField(max_length=64, help_text="An event type by its exact name.")
    data = FreeFormField(required=False)  # type: ignore[assignment]  # the wire name; the framework moves it away

    def validate_data(self, value: object) -> object:
        """An object. Raises: ValidationError."""
        if not isinstance(value, dict):
            raise serializers.ValidationError("Must be an object.", "type")
        return value


def _test_principal(request: Request) -> Principal:
    """The caller, if it is in test mode. Raises: NotFound, so that the helpers do not exist for live keys."""
    principal = principal_of(request)
    if principal.mode != Mode.TEST:
        raise NotFound("path")
    return principal


class ScenarioHelperView(APIView):
    """What can be asked for."""

    key_scopes = {"get": KeyScope.READ_INTENTS}

    @extend_schema(
        operation_id="listTestScenarios",
        tags=["Test helpers"],
        responses={200: list_of(ScenarioShape), **errors(404, InvalidParameter)},
    )
    def get(self, request: Request) -> Response:
        """List the scenarios of test mode; all of them, not paged."""
        _test_principal(request)
        refuse_paging(request.query_params)
        return Response(whole_body([scenario_body(one) for one in scenarios().values()]))


class PayHelperView(APIView):
    """Pays an intent without a browser."""

    key_scopes = {"post": KeyScope.WRITE_INTENTS}

    @extend_schema(
        operation_id="payTestPaymentIntent",
        tags=["Test helpers"],
        parameters=[idempotency_header()],
        request=PayTestPaymentIntentSerializer,
        responses={
            200: component(PaymentIntentShape),
            **errors(404, IntentNotPayable, PaymentInDoubt, TooManyAttempts),
        },
    )
    def post(self, request: Request, intent_id: str) -> Response:
        """Pay like a payer would; the rest happens through the workers within seconds."""
        principal = _test_principal(request)
        intent = visible_intent(principal, intent_id_from(intent_id))
        asked = check_body(PayTestPaymentIntentSerializer, request.data or {}).get("scenario")
        scenario = asked or scenario_named(intent.metadata.get("simulate"))

        def effect() -> Answer:
            return Answer(http_status=200, body=intent_body(pay_by_simulation(intent, scenario), settings.BASE_URL))

        return act_once(request, principal.idempotency_scope, effect)


class ClockHelperView(APIView):
    """Moves the merchant's test world forward."""

    @extend_schema(
        operation_id="advanceTestClock",
        tags=["Test helpers"],
        parameters=[idempotency_header()],
        request=AdvanceTestClockSerializer,
        responses={
            200: inline_serializer("AdvancedTestClock", {"advanced_seconds": serializers.IntegerField()}),
            **errors(404),
        },
    )
    def post(self, request: Request) -> Response:
        """Bring everything due within so many seconds forward; times that are shown stay."""
        principal = _test_principal(request)
        seconds = check_body(AdvanceTestClockSerializer, request.data)["seconds"]

        def effect() -> Answer:
            test_clock.advance(principal.merchant_id, principal.mode, seconds)
            return Answer(http_status=200, body={"advanced_seconds": seconds})

        return act_once(request, principal.idempotency_scope, effect)


class TriggerHelperView(APIView):
    """Sends a sample event."""

    @extend_schema(
        operation_id="triggerTestEvent",
        tags=["Test helpers"],
        parameters=[idempotency_header()],
        request=TriggerTestEventSerializer,
        responses={
            200: inline_serializer(
                "TriggeredTestEvent", {"id": serializers.CharField(), "type": serializers.CharField()}
            ),
            **errors(404, UnknownEventType),
        },
    )
    def post(self, request: Request) -> Response:
        """Send a sample of an event type to the subscribed endpoints; keys of ``data`` replace those of the sample."""
        principal = _test_principal(request)
        body = check_body(TriggerTestEventSerializer, request.data)

        def effect() -> Answer:
            event = trigger_sample_event(principal, body["type"], body.get("data"))
            return Answer(http_status=200, body={"id": event.pk, "type": event.type})

        return act_once(request, principal.idempotency_scope, effect)
