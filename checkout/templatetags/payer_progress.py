"""How long a transaction has been under way, for a page without scripts."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils.translation import gettext

from checkout.words.reasons import duration_words
from core.clock import now
from payments.states import FLYING_LEG

register = template.Library()


@register.filter
def leg_times(leg: Mapping[str, Any]) -> str:
    """Elapsed and typical time of one under way, the time it took of one that arrived; empty for any other."""
    if leg["submitted_at"] is None:
        return ""
    start = datetime.fromisoformat(leg["submitted_at"])
    if leg["status"] in FLYING_LEG:
        typical = duration_words(leg["typical_seconds"])
        return gettext("%(time)s of about %(typical)s") % {"time": _words(now() - start), "typical": typical}
    if leg["confirmed_at"] is None:
        return ""
    return gettext("took %(time)s") % {"time": _words(datetime.fromisoformat(leg["confirmed_at"]) - start)}


def _words(elapsed: timedelta) -> str:
    return duration_words(max(0, int(elapsed.total_seconds())))
