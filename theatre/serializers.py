"""What is sent to replays, checked field by field; the scenario itself is read by ``theatre.scenario``."""

from core.fields import FreeFormField, StrictSerializer, StrictStringField


class ReplayScenarioSerializer(StrictSerializer):
    """Body of a new replay."""

    scenario = FreeFormField(help_text="A scenario file, as `GET /payment-intents/{id}/scenario` answers it.")
    name = StrictStringField(
        required=False, allow_blank=True, max_length=120, help_text="What to call it, such as the file's name."
    )
