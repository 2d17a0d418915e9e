"""A JSON column that reads numbers as decimals, so that free-form values round-trip with their digits."""

from typing import Any

from django.db import models

from core.exact_json import ExactDecoder, ExactEncoder

__all__ = ["ExactEncoder", "ExactJSONColumn"]


class ExactJSONColumn(models.JSONField):
    """JSON whose numbers are ``int`` or ``Decimal``, never ``float``."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options.setdefault("encoder", ExactEncoder)
        options.setdefault("decoder", ExactDecoder)
        super().__init__(*arguments, **options)

    def deconstruct(self) -> Any:
        """Migrations need not know how it is encoded."""
        name, path, arguments, options = super().deconstruct()
        options.pop("encoder", None)
        options.pop("decoder", None)
        return name, path, arguments, options
