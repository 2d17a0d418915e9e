"""Django's PostgreSQL backend with cheaper health checks. Named in ``DATABASES``; nothing imports it."""
