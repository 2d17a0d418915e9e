"""The keys by which the service proves what it says, and their history."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now


class ProofKey(models.Model):
    """An Ed25519 key that signs receipts and statements. Rows are never deleted: what one signed is checked for ever.

    ``id`` follows from the public key. ``sealed_seed`` is the private key, encrypted; empty once it is retired, so that
    nobody can sign by it any more. ``endorsement`` is the signature of the key before it, ``endorsed_by``, under the
    new one's facts. ``document`` is what is published while this key is the current one, signed by it.
    Units: keys and signatures are lower-case hexadecimal.
    """

    id = models.CharField(primary_key=True, max_length=24)
    public_key = models.CharField(max_length=64)
    sealed_seed = models.BinaryField()
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=now)
    retired_at = models.DateTimeField(null=True)
    endorsed_by = models.CharField(max_length=24, blank=True)
    endorsement = models.CharField(max_length=128, blank=True)
    document = models.TextField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["is_current"], condition=Q(is_current=True), name="one_current_proof_key"),
        ]

    def __str__(self) -> str:
        """Its id."""
        return self.id
