"""The quickest shape of a creation that we know with the same framework: it does less than the service.

One view of Django REST framework, a body checked by hand, two round trips: the key, then three inserts at once, into
the tables of the fixed floor. No limits, no log, no history, no encryption, no middleware.
"""

import hashlib
import json
import os
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

_place = urlsplit(os.environ["DATABASE_URL"])
settings.configure(
    SECRET_KEY="compared",  # noqa: S106 - it signs nothing
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["*"],
    USE_TZ=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": _place.path.lstrip("/"),
            "USER": _place.username or "",
            "PASSWORD": _place.password or "",
            "HOST": _place.hostname or "",
            "PORT": _place.port or 5432,
            "CONN_MAX_AGE": None,
            "OPTIONS": {"server_side_binding": True, "prepare_threshold": 5},
        }
    },
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from django.db import connection  # noqa: E402 - needs the settings
from rest_framework.request import Request  # noqa: E402 - needs the settings
from rest_framework.response import Response  # noqa: E402 - needs the settings
from rest_framework.views import APIView  # noqa: E402 - needs the settings

_KEY = "SELECT merchant_id, mode FROM merchants_apikey WHERE digest = %s AND revoked_at IS NULL"
_INSERT = """
WITH intent AS (
    INSERT INTO floor_intent VALUES (
        %s, %s, %s, 'created', %s, 'USD', %s, %s, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 6, %s, %s, %s::jsonb,
        '', '', 0, 0, %s, %s, %s
    )
), remembered AS (INSERT INTO floor_idempotency VALUES (%s, %s, %s, %s, %s))
INSERT INTO floor_event VALUES (%s, %s, 'payment_intent.created', %s, %s)
"""
_TEXTS = ("settlement_chain", "settlement_token", "settlement_address", "customer_email")
_LONGEST = 128
_MICROS = 1_000_000


class Create(APIView):
    """Creates an intent."""

    def post(self, request: Request) -> Response:
        """Check, write, answer."""
        digest = hashlib.sha256(request.headers["Authorization"].removeprefix("Bearer ").encode()).hexdigest()
        with connection.cursor() as cursor:
            cursor.execute(_KEY, [digest])
            key = cursor.fetchone()
        body: Any = request.data
        texts = [body.get(name, "") for name in _TEXTS]
        if key is None or not isinstance(body.get("amount"), int | float):
            return Response({"code": "invalid_request"}, status=400)
        if any(not isinstance(text, str) or len(text) > _LONGEST for text in texts):
            return Response({"code": "invalid_request"}, status=400)
        return _store(key, body, texts, str(request.headers.get("Idempotency-Key")))


def _store(key: tuple[Any, ...], body: dict[str, Any], texts: list[str], idempotency_key: str) -> Response:
    merchant, mode = key
    moment, intent = datetime.now(UTC), uuid.uuid4()
    expires = moment + timedelta(minutes=30)
    answer = {"id": str(intent), "status": "created", "mode": mode, **body, "created_at": moment.isoformat()}
    written, metadata = json.dumps(answer), json.dumps(body.get("metadata", {}))
    fingerprint = hashlib.sha256(written.encode()).hexdigest()
    amount = int(body["amount"] * _MICROS)
    values: list[Any] = [intent, merchant, mode, amount, *texts, metadata, moment, expires, expires]
    scope, until = f"m{merchant}:{mode}", moment + timedelta(days=1)
    remembered: list[Any] = [scope, idempotency_key, fingerprint, written.encode(), until]
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [*values, *remembered, uuid.uuid4(), merchant, written, moment])
    return Response(answer, status=201)


urlpatterns = [path("api/public/v1/payment-intents", Create.as_view())]
application = get_wsgi_application()
