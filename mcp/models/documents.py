"""What clients say of themselves at their own address, as it was read last."""

from typing import ClassVar

from django.db import models

from core.clock import now


class ClientDocument(models.Model):
    """A client's metadata document. The row is the queue: it is read by a worker when ``next_attempt_at`` has come.

    ``body`` is what was read, unchecked and untrusted; ``problem`` is why nothing was, in one word.
    Source: https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/; docs/adr/0021.
    """

    url = models.CharField(max_length=255, unique=True)
    body = models.TextField(blank=True)
    problem = models.CharField(max_length=40, blank=True)
    wanted_at = models.DateTimeField(default=now)
    read_at = models.DateTimeField(null=True, blank=True)
    fresh_until = models.DateTimeField(null=True, blank=True)
    next_attempt_at = models.DateTimeField(null=True, blank=True, db_index=True)

    objects: ClassVar = models.Manager()

    def __str__(self) -> str:
        """Whose it is."""
        return self.url
