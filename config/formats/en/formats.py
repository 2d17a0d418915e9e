"""Source: https://docs.djangoproject.com/en/stable/topics/i18n/formatting/."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = "j M Y, H:i:s"
