"""What a merchant reads where it would otherwise wonder: ``{% sending_paused %}``, nothing while webhooks leave."""

from django import template

from core.models import Pause
from core.pauses import Paused, standing

register = template.Library()


@register.inclusion_tag("dashboard/webhooks/paused.html")
def sending_paused() -> dict[str, Pause | None]:
    """Since when the operator has it paused. Why not its reason: that is written for operators."""
    return {"pause": standing().get(Paused.SENDING)}
