"""What a list without entries says: ``{% nothing_yet title="No payouts yet" %}Why.{% endnothing_yet %}``."""

from django import template
from django.template.context import Context
from django.template.engine import Engine
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_block_tag(takes_context=True)
def nothing_yet(context: Context, content: str, **words: object) -> SafeString:
    """``dashboard/empty.html`` with the block as its text; takes its other words, and sees what the page sees."""
    with context.push(text=content.strip(), **words):
        return Engine.get_default().get_template("dashboard/empty.html").render(context)
