"""The two worlds every merchant row lives in; they never meet."""

from django.db import models


class Mode(models.TextChoices):
    """Test keys and live keys see only rows of their own mode. Source: specification, Authentication 3."""

    TEST = "test"
    LIVE = "live"
