"""Source: docs.djangoproject.com, creating custom format files."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = "j M Y, H:i:s"
