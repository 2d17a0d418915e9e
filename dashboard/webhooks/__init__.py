"""Screens of webhooks: endpoints, what was sent to them, events, and why a signature did not verify."""
