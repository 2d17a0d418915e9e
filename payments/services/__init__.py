"""Every write to intents, a function per verb."""
