"""What a program calls itself, in words: ``{{ session.user_agent|device }}``."""

from django import template

from dashboard.account.audit_words import device_words

register = template.Library()


@register.filter
def device(user_agent: object) -> str:
    """A browser and a system, or that neither is known."""
    return device_words(str(user_agent or "")) or "An unknown program"
